import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { until } from '../support/patience.ts';
import { type Program, startProgram } from '../support/program.ts';

const APP_CODE = 'extensions';
const ADMIN_PASSWORD = 'password of the administrator';
const headers = { authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}` };
const COMMON = { SECRET_KEY: 'k'.repeat(40), APP_CODE, ADMIN_PASSWORD, RATE_LIMIT: 'off' };

const ends: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Writes each call to a file: the process, and what it was called with. */
const EXTENSION = `
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineExtension } from '@baobab/server/extensions';

const write = (...words: unknown[]) => appendFileSync(process.env.CALLS ?? '', [process.pid, ...words].join(' ') + '\\n');

export default defineExtension((app) => {
  app.after('document.put', 'seen', { collection: 'books' }, async ({ document, version }) => {
    write('put', document.title, version);
    await setTimeout(100);
  });
  app.every('0 3 * * *', 'nightly', async ({ at }) => {
    write('begin', at.toISOString());
    await setTimeout(3_000);
    write('end', at.toISOString());
  });
});
`;

function files() {
  const { path, remove } = createFolder();
  ends.push(remove);
  const [module, calls] = [join(path, 'extension.ts'), join(path, 'calls')];
  writeFileSync(module, EXTENSION);
  writeFileSync(calls, '');
  const lines = () => readFileSync(calls, 'utf8').split('\n').slice(0, -1);
  return { path, lines, env: { EXTENSIONS: module, CALLS: calls } };
}

async function start(env: Readonly<Record<string, string>>): Promise<{ node: Program; call: Client }> {
  const node = startProgram({ ...COMMON, ...env });
  ends.push(() => node.dispose());
  return { node, call: createClient(await node.ready(), APP_CODE) };
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

async function store(call: Client, titles: readonly string[]): Promise<void> {
  for (const title of titles) {
    const { status, text } = await call('POST', '/document/books', { headers, body: { title } });
    if (status !== 200) throw new Error(text);
  }
}

const missing = (lines: readonly string[], titles: readonly string[]) =>
  titles.filter((title) => !lines.some((line) => line.endsWith(` put ${title} 1`)));

describe('handlers of extensions', () => {
  it('get every document when nodes are killed, each from one node at a time', async () => {
    const { env, lines, path } = files();
    const database = await createDatabase();
    ends.push(() => database.drop());
    const shared = { ...env, DATABASE_URL: database.url, BLOB_URL: `file:${path}` };
    let [sender, other] = [await start(shared), await start(shared)];
    await sender.call('POST', '/admin/collection/books', { headers });
    await store(sender.call, names('a', 20));
    await until(() => missing(lines(), names('a', 20)).length === 0);
    expect(lines()).toHaveLength(20);
    // One of the two calls the handlers, so one of these kills ends the one that does.
    for (const round of ['b', 'c']) {
      await store(sender.call, names(round, 10));
      sender.node.kill('SIGKILL');
      await sender.node.exit;
      const titles = names(round, 20);
      await store(other.call, titles.slice(10));
      await until(() => missing(lines(), titles).length === 0);
      [sender, other] = [other, await start(shared)];
    }
  });

  it('get every document after a restart on SQLite', async () => {
    const { env, lines, path } = files();
    const alone = { ...env, DATABASE_URL: `sqlite:${join(path, 'baobab.db')}`, BLOB_URL: 'memory:', DATA_DIR: path };
    const before = await start(alone);
    await before.call('POST', '/admin/collection/books', { headers });
    const titles = names('a', 30);
    await store(before.call, titles);
    await until(() => lines().length > 0);
    before.node.kill('SIGKILL');
    await before.node.exit;
    expect(missing(lines(), titles)).not.toEqual([]);
    await start(alone);
    await until(() => missing(lines(), titles).length === 0);
  });
});

describe('jobs of extensions', () => {
  it('run once on three nodes, never twice at once, and again when the node that runs them is killed', async () => {
    const { env, lines, path } = files();
    const database = await createDatabase();
    ends.push(() => database.drop());
    const shared = { ...env, DATABASE_URL: database.url, BLOB_URL: `file:${path}` };
    const nodes = [await start(shared), await start(shared), await start(shared)];
    const sql = postgres(database.url, { max: 1 });
    ends.push(() => sql.end());
    const makeDue = async () => {
      await until(async () => {
        const { count } =
          await sql`update jobs set due = ${Date.now() - 1_000} where name like 'extension/nightly %' and holder is null`;
        return count === 1;
      });
    };
    await makeDue();
    await until(() => lines().some((line) => line.includes(' end ')));
    expect(lines().map((line) => line.split(' ')[1])).toEqual(['begin', 'end']);

    await makeDue();
    await until(() => lines().length === 3);
    const [victim] = (lines()[2] ?? '').split(' ');
    nodes.find(({ node }) => node.pid === Number(victim))?.node.kill('SIGKILL');
    await until(() => lines().length === 5);
    const [, , begun, again, end] = lines().map((line) => line.split(' '));
    expect([begun?.[1], again?.[1], end?.[1]]).toEqual(['begin', 'begin', 'end']);
    expect(again?.[0]).not.toBe(victim);
    expect(again?.[0]).toBe(end?.[0]);
    expect(again?.[2]).toBe(begun?.[2]);
  });
});
