import { join } from 'node:path';
import { createSqliteArchive } from '@baobab/adapters/archive';
import { createFilesystemBlobs } from '@baobab/adapters/filesystem';
import { type ArchiveEntry, backupEntries, type ReadEntry, restoreEntries } from '@baobab/core';
import { createTestBackend, type TestBackendOptions } from '@baobab/server/testing';
import { afterEach, expect, it } from 'vitest';
import { createCall } from '../support/backend.ts';
import { collect } from '../support/blobs.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createFolder } from '../support/databases.ts';
import { filePart, multipart } from '../support/files.ts';
import { silentLogger } from '../support/logger.ts';

const nothing = () => undefined;
const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A database and a blob store, and services on them. */
function createPlace() {
  const folder = createFolder();
  cleanups.push(folder.remove);
  const [path, bytes] = [join(folder.path, 'x.db'), join(folder.path, 'blobs')];
  const archive = createSqliteArchive({ path, logger: silentLogger });
  const blobs = createFilesystemBlobs({ path: bytes });
  return {
    archive,
    blobs,
    async serve(options: TestBackendOptions = {}) {
      const backend = await createTestBackend({ databaseUrl: `sqlite:${path}`, blobUrl: `file:${bytes}`, ...options });
      cleanups.push(() => backend.close());
      return { ...backend, call: createCall(backend) };
    },
    keys: async () => (await blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 100 })).keys,
  };
}

/** As it is read from an archive. */
async function written(entry: ArchiveEntry): Promise<ReadEntry> {
  const content = 'text' in entry ? Buffer.from(entry.text) : await collect(entry.bytes);
  async function* bytes() {
    yield content;
  }
  return { name: entry.name, bytes: bytes(), text: async () => content.toString() };
}

it('blobs whose row was removed during a backup are swept after a restore, and no others', async () => {
  const [here, there] = [createPlace(), createPlace()];
  const { call, adminPassword } = await here.serve();
  const basic = ['admin', adminPassword] as const;
  const [kept, doomed] = await Promise.all(
    ['kept', 'doomed'].map(async (text) => {
      const { data } = await call('POST', '/file', { basic, bytes: multipart(filePart(text)) });
      return { id: String(data.id), text, key: `files/${data.id}/original` };
    }),
  );
  if (kept === undefined || doomed === undefined) throw new Error('nothing was stored');

  const entries: ReadEntry[] = [];
  const open = () => here.archive.source();
  const options = { open, blobs: here.blobs, program: 'test', created: 'now', progress: nothing };
  for await (const entry of backupEntries(options)) {
    entries.push(await written(entry));
    if (entry.name !== `blobs/${doomed.key}`) continue;
    expect((await call('DELETE', `/file/${doomed.id}`, { basic })).status).toBe(200);
  }

  async function* read() {
    yield* entries;
  }
  const target = await there.archive.target();
  await restoreEntries({ target, blobs: there.blobs, entries: read(), progress: nothing });
  await target.close();
  expect([...(await there.keys())].sort()).toEqual([kept.key, doomed.key].sort());

  const later = createHandDrivenClock(Date.now() + 50 * 60 * MINUTE);
  const restored = await there.serve({ clock: later });
  expect((await restored.call('GET', `/file/${doomed.id}`, { basic })).status).toBe(404);
  await restored.sweep();
  expect(await there.keys()).toEqual([kept.key]);
  expect((await restored.call('GET', `/file/${kept.id}`, { basic })).text).toBe(kept.text);
});
