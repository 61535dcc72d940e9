import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createPostgresArchive, createSqliteArchive } from '@baobab/adapters/archive';
import { archiveContract, type OpenedArchive, readAll } from '@baobab/contracts/archive';
import { addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import { afterAll, describe, expect, it } from 'vitest';
import { createFolder, STORAGES } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const ARCHIVES: Readonly<Record<string, (url: string) => OpenedArchive['archive']>> = {
  sqlite: (url) => createSqliteArchive({ path: url.slice('sqlite:'.length), logger: silentLogger }),
  postgres: (url) => createPostgresArchive({ url, logger: silentLogger }),
  citus: (url) => createPostgresArchive({ url, logger: silentLogger }),
};
const NAMES = Object.keys(ARCHIVES).filter((name) => name in STORAGES);
const PAIRS = NAMES.includes('citus')
  ? [['citus', 'citus']]
  : [
      ['sqlite', 'postgres'],
      ['postgres', 'sqlite'],
    ];

async function open(name: string): Promise<OpenedArchive> {
  const opened = await STORAGES[name]?.();
  const archive = ARCHIVES[name]?.(opened?.url ?? '');
  if (opened === undefined || archive === undefined) throw new Error(`there is no ${name}`);
  return { archive, storage: opened.storage, dispose: opened.dispose };
}

for (const name of NAMES) archiveContract(name, () => open(name));

describe('rows of one database', () => {
  it.each(PAIRS)('of %s become those of another of %s', async (one = '', other = '') => {
    const [from, to] = [await open(one), await open(other)];
    const ann = await addUser(from.storage, 'Ann');
    const books = await addCollection(from.storage, 'Books');
    await from.storage.documents.add(newDocument(ann.id, books, { content: '{"b":1.10,"a":1e2}' }));
    const paths = [['a'], ['b'], ['_creation_date']] as const;
    await from.storage.indexes.declare({ collection: books, paths, name: 'by_a_and_b' }, 2);
    const unique = { collection: books, paths: [['b']], name: 'unique_b', isUnique: true } as const;
    await from.storage.indexes.declare(unique, 2);
    const ofFiles = [['attachedData', 'a'], ['contentLength']] as const;
    await from.storage.indexes.declare({ list: 'files', paths: ofFiles, name: 'of_files' }, 1);
    await from.storage.indexes.reconcile();
    const [source, target] = [await from.archive.source(), await to.archive.target()];
    expect(source.kinds).toEqual(target.kinds);
    await target.fill(async (write) => {
      for (const kind of source.kinds) for await (const rows of source.read(kind, null)) await write(kind, rows);
    });
    const written = await target.source();
    const rows = await readAll(source);
    const unbuilt = (kind: string) =>
      rows[kind]?.map((row) => ({ ...row, state: row.is_unique === 1 ? 'ready' : 'building' }));
    expect(await readAll(written)).toEqual({
      ...rows,
      collection_indexes: unbuilt('collection_indexes'),
      list_indexes: unbuilt('list_indexes'),
    });
    for (const opened of [written, source, target]) await opened.close();
    const again = newDocument(ann.id, books, { content: '{"b":1.1}' });
    await expect(to.storage.documents.add(again)).rejects.toMatchObject({ code: 'document.duplicate' });
    await to.storage.indexes.reconcile();
    expect(await to.storage.indexes.list({ collection: books })).toEqual([
      { paths: [['b']], state: 'ready', isUnique: true },
      { paths, state: 'ready', isUnique: false },
    ]);
    expect(await to.storage.indexes.list({ list: 'files' })).toMatchObject([{ paths: ofFiles, state: 'ready' }]);
    for (const opened of [from, to]) await opened.dispose();
  });
});

describe('a SQLite file that is filled', () => {
  const folder = createFolder();
  afterAll(() => folder.remove());
  const path = `${folder.path}/filled.db`;
  const archive = createSqliteArchive({ path, logger: silentLogger });
  const journalMode = () => {
    const database = new DatabaseSync(path);
    const row = database.prepare('pragma journal_mode').get();
    database.close();
    return row?.journal_mode;
  };
  const settings = { name: 'settings', key: ['setting_key'] };

  it('has no log as long as the data, is empty again after a failure, and has a WAL afterwards', async () => {
    const target = await archive.target();
    const sizes: number[] = [];
    const fill = (atEnd: () => void) =>
      target.fill(async (write) => {
        for (let n = 0; n < 100; n++) {
          await write(settings, [{ setting_key: `key${n}`, value: 'x'.repeat(1_000_000) }]);
          sizes.push(
            ['-wal', '-journal'].reduce(
              (sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0),
              0,
            ),
          );
        }
        atEnd();
      });
    const failing = fill(() => {
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect([await target.isEmpty(), journalMode()]).toEqual([true, 'wal']);
    await fill(() => undefined);
    await target.close();
    expect(Math.max(...sizes)).toBeLessThan(5_000_000);
    expect(statSync(path).size).toBeGreaterThan(100_000_000);
    expect(journalMode()).toBe('wal');
  });
});
