import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createFilesystemBlobs } from '@baobab/adapters/filesystem';
import { createS3Blobs } from '@baobab/adapters/s3';
import type { Blobs } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { s3Options, s3Url } from '../support/blobs.ts';
import { type Client, createClient } from '../support/client.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { type SeenRequest, startFaultyProxy } from '../support/faulty-proxy.ts';
import { until } from '../support/patience.ts';
import { type Program, startProgram } from '../support/program.ts';
import { startUpload } from '../support/slow-upload.ts';

const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };
const HOUR = 60 * MINUTE;
const SIZE = 6_000_000;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Place {
  readonly environment: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
  readonly blobUrl: string;
  /** The same blobs, without the adapter. */
  readonly blobs: Blobs;
  /** Resolves when the store contains something of an unfinished upload. */
  isUnderWay(): Promise<unknown>;
}

function onDisk(): Place {
  const folder = createFolder();
  cleanups.push(folder.remove);
  const path = join(folder.path, 'blobs');
  return {
    environment: { ...SETTINGS, DATA_DIR: folder.path },
    databaseUrl: `sqlite:${join(folder.path, 'baobab.db')}`,
    blobUrl: `file:${path}`,
    blobs: createFilesystemBlobs({ path }),
    isUnderWay: () =>
      until(async () => existsSync(join(path, '.incoming')) && readdirSync(join(path, '.incoming')).length > 0),
  };
}

async function onServers(): Promise<Place> {
  const [folder, database, options] = [createFolder(), await createDatabase(), s3Options()];
  cleanups.push(folder.remove, database.drop);
  const { accessKeyId, secretAccessKey } = inject('s3');
  const blobUrl = s3Url(options);
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  return {
    environment: { ...SETTINGS, ...keys, DATA_DIR: folder.path, DATABASE_URL: database.url, BLOB_URL: blobUrl },
    databaseUrl: database.url,
    blobUrl,
    blobs: createS3Blobs(options),
    // The server does not show unfinished uploads.
    isUnderWay: () => new Promise((resolve) => setTimeout(resolve, 300)),
  };
}

async function serving({
  environment,
}: Place): Promise<{ program: Program; client: Client; port: number; token: string }> {
  const program = startProgram(environment);
  cleanups.push(() => program.dispose());
  const address = await program.ready();
  const client = createClient(address, SETTINGS.APP_CODE);
  const { data } = await client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
  return { program, client, port: Number(new URL(address).port), token: data['X-BB-SESSION'] };
}

async function keysIn({ blobs }: Place): Promise<readonly string[]> {
  return (await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 1000 })).keys;
}

/** The housekeeping of a node two days later. */
async function sweepLater({ databaseUrl, blobUrl }: Place): Promise<void> {
  const clock = createHandDrivenClock(Date.now());
  const { accessKeyId, secretAccessKey } = inject('s3');
  const blobCredentials = [accessKeyId, secretAccessKey] as const;
  const backend = await createTestBackend({ databaseUrl, blobUrl, blobCredentials, clock });
  clock.advance(50 * HOUR);
  await backend.sweep();
  await backend.close();
}

const upload = (port: number, token: string, path = '/file') =>
  startUpload(port, { size: SIZE, token, appCode: SETTINGS.APP_CODE, path });

describe.each([
  ['SQLite and a folder', async () => onDisk()],
  ['Postgres and S3', onServers],
])('a program that is killed, on %s', (_name, open) => {
  it('between the bytes and the row of a file leaves no row, and no bytes after one sweep', async () => {
    const place = await open();
    const { program, client, port, token } = await serving(place);
    const kept = await upload(port, token);
    await kept.send(SIZE);
    await kept.endFile();
    expect(await kept.finish()).toBe('HTTP/1.1 201 Created');
    const before = await keysIn(place);
    expect(before).toHaveLength(1);

    const cut = await upload(port, token);
    await cut.send(SIZE);
    await cut.endFile();
    await until(async () => (await keysIn(place)).length === 2);
    expect((await client('GET', '/file/details?count=true', { token })).data).toEqual([{ count: 1 }]);
    program.kill('SIGKILL');
    await program.exit;

    const again = await serving(place);
    const { data } = await again.client('GET', '/file/details', { token: again.token });
    expect(data).toEqual([expect.objectContaining({ contentLength: SIZE })]);
    expect(await keysIn(place)).toHaveLength(2);
    await sweepLater(place);
    expect(await keysIn(place)).toEqual(before);
    // The sweep removed the session, too.
    const body = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
    const { 'X-BB-SESSION': fresh } = (await again.client('POST', '/login', { body })).data;
    const { bytes } = await again.client('GET', `/file/${data[0].id}`, { token: fresh });
    expect(bytes.equals(Buffer.alloc(SIZE))).toBe(true);
  });

  it('during an upload leaves nothing visible, and nothing at all after one sweep', async () => {
    const place = await open();
    const { program, port, token } = await serving(place);
    const cut = await upload(port, token);
    await cut.send(SIZE / 2);
    await place.isUnderWay();
    program.kill('SIGKILL');
    await program.exit;
    expect(await keysIn(place)).toEqual([]);
    await sweepLater(place);
    expect(await place.blobs.removeUnfinished(Date.now() + 100 * HOUR)).toBe(0);
  });
});

it.each([
  ['SQLite', onDisk],
  ['Postgres', onServers],
])(
  'a program that is killed before the bytes of a removed document’s files are removed, on %s, removes them later',
  async (_name, open) => {
    const [place, options] = [await open(), s3Options()];
    const proxy = await startFaultyProxy(String(options.endpoint));
    cleanups.push(proxy.close);
    const { accessKeyId, secretAccessKey } = inject('s3');
    const environment = {
      ...place.environment,
      BLOB_URL: s3Url({ ...options, endpoint: proxy.url }),
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const stored = { ...place, environment, blobUrl: s3Url(options), blobs: createS3Blobs(options) };
    const { program, client, port, token } = await serving(stored);
    await client('POST', '/admin/collection/rooms', { token });
    const { id } = (await client('POST', '/document/rooms', { token, body: {} })).data;
    for (let n = 0; n < 2; n++) {
      const file = await upload(port, token, `/file?document=rooms/${id}`);
      await file.send(SIZE);
      await file.endFile();
      expect(await file.finish()).toBe('HTTP/1.1 201 Created');
    }
    const isRemoval = ({ method, url }: SeenRequest) => method === 'DELETE' || url.includes('?delete');
    const earlier = proxy.seen.length;
    proxy.behave((request) => (isRemoval(request) ? { kind: 'silence' } : null));
    client('DELETE', `/document/rooms/${id}`, { token }).catch(() => undefined);
    await until(async () => proxy.seen.slice(earlier).some(isRemoval));
    program.kill('SIGKILL');
    await program.exit;
    expect(await keysIn(stored)).toHaveLength(2);

    proxy.behave(() => null);
    const again = await serving(stored);
    expect((await again.client('GET', `/document/rooms/${id}`, { token: again.token })).status).toBe(404);
    expect((await again.client('GET', '/file/details', { token: again.token })).data).toEqual([]);
    await sweepLater(stored);
    expect(await keysIn(stored)).toEqual([]);
  },
);

it('a start reports what is wrong with its blob store', async () => {
  const { bucket: _bucket, ...options } = s3Options();
  const folder = createFolder();
  cleanups.push(folder.remove);
  const { accessKeyId, secretAccessKey } = inject('s3');
  const program = startProgram({
    ...SETTINGS,
    DATA_DIR: folder.path,
    DATABASE_URL: 'memory:',
    BLOB_URL: s3Url({ ...options, bucket: 'no-such-bucket-here' }),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  cleanups.push(() => program.dispose());
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.errors()).toMatch(
    /^baobab: BLOB_URL: .*"no-such-bucket-here" at http\S+: there is no such bucket \(.*\); \S/,
  );
  expect(program.errors().trim().split('\n')).toHaveLength(1);
});
