import { AppError } from '@baobab/core';
import { parseConfig } from '@baobab/server';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reasonOf } from '../../packages/server/src/faults/explain.ts';
import { createQuietLogger } from '../../packages/server/src/faults/quiet-logger.ts';
import { untilAvailable } from '../../packages/server/src/until-available.ts';

const withCode = (code: string) => Object.assign(new Error(`the cause ${code}`), { code });
const unavailable = (code: string) => new AppError('storage.unavailable', { cause: withCode(code) });

const lines: Array<readonly [level: string, bindings: Record<string, unknown>, message: string]> = [];
const keep = (level: string) => (bindings: object, message: string) =>
  void lines.push([level, { ...bindings }, message]);
const logger = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
beforeEach(() => void lines.splice(0));

describe('the quiet logger', () => {
  let now = 0;
  const quiet = createQuietLogger({ logger, reasonOf: (error) => String(error), now: () => now });
  const shown = () => lines.filter(([level]) => level !== 'debug').map(([, bindings]) => bindings);

  it('reports the same fault once a minute, with the number in between, and each one at debug', () => {
    for (let times = 0; times < 5; times++) quiet.warn({ err: unavailable('53100'), path: '/x' }, 'not served');
    quiet.warn({ err: unavailable('ECONNREFUSED') }, 'not served');
    expect(shown()).toEqual([
      { code: 'storage.unavailable', reason: expect.any(String), path: '/x' },
      { code: 'storage.unavailable', reason: expect.any(String) },
    ]);
    now += 60_000;
    quiet.warn({ err: unavailable('53100') }, 'not served');
    expect(shown()[2]).toMatchObject({ unreported: 4 });
    expect(lines.filter(([level, { err }]) => level === 'debug' && err instanceof Error)).toHaveLength(7);
  });

  it('passes bugs on as they are', () => {
    const err = new TypeError('a bug');
    quiet.error({ err }, 'request failed');
    quiet.error({ err }, 'request failed');
    expect(lines).toEqual([
      ['error', { err }, 'request failed'],
      ['error', { err }, 'request failed'],
    ]);
  });
});

it('waiting for a database ends after a minute with the last failure, having logged each state once', async () => {
  vi.useFakeTimers();
  try {
    let attempts = 0;
    const work = async () => {
      attempts++;
      throw unavailable(attempts < 4 ? 'ECONNREFUSED' : '28P01');
    };
    const ended = untilAvailable(work, { logger, reasonOf: (error) => String(error) }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await ended).toMatchObject({ code: 'storage.unavailable', cause: { code: '28P01' } });
    expect(lines.map(([level, { retryInMs }]) => [level, retryInMs])).toEqual([
      ['warn', 500],
      ['warn', 500],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ['42501', /^DATABASE_URL: the user "ann" may not create tables in the database "app"; make it the owner/],
  ['53300', /^DATABASE_CONNECTIONS: Postgres at db:5432 does not have 10 free connections; /],
  ['53100', /^DATABASE_URL: the disk of the Postgres server at db:5432 is full; free space on it \(the cause 53100\)$/],
  ['XX000', /^The database is unavailable: try again shortly \(the cause XX000\)$/],
])('explains the SQLSTATE %s without the password', (code, expected) => {
  const reason = reasonOf(unavailable(code), parseConfig({ DATABASE_URL: 'postgres://ann:hidden@db:5432/app' }));
  expect(reason).toMatch(expected);
  expect(reason).not.toContain('hidden');
});

it.each([
  ['/srv/blobs/files/a3f', /^BLOB_URL: the user of this process may not write to \/srv\/blobs; /],
  ['/srv/rows/baobab.db', /^DATABASE_URL: the user of this process may not write to \/srv\/rows; /],
  ['/srv/data/secret.key', /^DATA_DIR: the user of this process may not write to \/srv\/data; /],
  ['/srv/elsewhere', /^DATA_DIR: /],
])('names the variable from which the path %s comes', (path, expected) => {
  const config = parseConfig({
    DATA_DIR: '/srv/data',
    DATABASE_URL: 'sqlite:/srv/rows/baobab.db',
    BLOB_URL: 'file:/srv/blobs',
  });
  const refused = Object.assign(withCode('EACCES'), { path, syscall: 'open' });
  expect(reasonOf(refused, config)).toMatch(expected);
});
