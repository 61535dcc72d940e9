import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createTestBackend } from '@baobab/server/testing';
import { expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { createFolder } from '../support/databases.ts';
import { readDocument, tableRows } from '../support/markdown.ts';
import { adminOf } from '../support/people.ts';

const BATCH = 100;
const KILOBYTE = 1_000;
const MILLION = 1_000_000;
const BYTES_IN_GB = 1e9;
/** Deviation of a few thousand documents from a million. */
const TOLERATED = 0.1;

/** Gigabytes of a row of docs/sizing.md. */
function documented(row: RegExp): number {
  const rows = tableRows(readDocument('docs/sizing.md'), 'Disk');
  return Number.parseFloat(rows.find(([name = '']) => row.test(name))?.[1] ?? '');
}

/** Sizes of a database with this number of documents, and of an archive of it. In bytes. */
async function sizesWith(documents: number) {
  const folder = createFolder();
  const path = join(folder.path, 'a.db');
  const backend = await createTestBackend({ databaseUrl: `sqlite:${path}` });
  const world = createWorld(backend);
  const call = async (method: string, url: string, body?: unknown) => {
    const answer = await world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBeLessThan(300);
    return answer;
  };
  await call('POST', '/admin/collection/notes');
  for (let at = 0; at < documents; at += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, i) => ({
      method: 'POST',
      path: '/document/notes',
      body: { n: at + i, text: 'x'.repeat(KILOBYTE - 20) },
    }));
    await call('POST', '/batch', { atomic: true, operations });
  }
  const archive = (await call('POST', '/admin/backup/download')).bytes.length;
  await backend.close();
  const database = statSync(path).size;
  folder.remove();
  return { database, archive };
}

it('a million documents take the disk that the page states', async () => {
  const few = await sizesWith(1_000);
  const more = await sizesWith(4_000);
  const gigabytes = (name: 'database' | 'archive') => ((more[name] - few[name]) / 3_000) * (MILLION / BYTES_IN_GB);
  for (const [size, stated] of [
    [gigabytes('database'), documented(/^A million documents/)],
    [gigabytes('archive'), documented(/^An archive of them/)],
  ] as const) {
    expect(size / stated).toBeGreaterThan(1 - TOLERATED);
    expect(size / stated).toBeLessThan(1 + TOLERATED);
  }
});
