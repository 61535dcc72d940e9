import { createPostgresArchive, createSqliteArchive } from '@baobab/adapters/archive';
import { archiveContract, type OpenedArchive, readAll } from '@baobab/contracts/archive';
import { addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import { describe, expect, it } from 'vitest';
import { STORAGES } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const ARCHIVES: Readonly<Record<string, (url: string) => OpenedArchive['archive']>> = {
  sqlite: (url) => createSqliteArchive({ path: url.slice('sqlite:'.length), logger: silentLogger }),
  postgres: (url) => createPostgresArchive({ url, logger: silentLogger }),
};

async function open(name: string): Promise<OpenedArchive> {
  const opened = await STORAGES[name]?.();
  const archive = ARCHIVES[name]?.(opened?.url ?? '');
  if (opened === undefined || archive === undefined) throw new Error(`there is no ${name}`);
  return { archive, storage: opened.storage, dispose: opened.dispose };
}

for (const name of Object.keys(ARCHIVES)) archiveContract(name, () => open(name));

describe('rows of one database', () => {
  it.each([
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ])('of %s become those of another of %s', async (one, other) => {
    const [from, to] = [await open(one), await open(other)];
    const ann = await addUser(from.storage, 'Ann');
    const books = await addCollection(from.storage, 'Books');
    await from.storage.documents.add(newDocument(ann.id, books, { content: '{"b":1.10,"a":1e2}' }));
    const [source, target] = [await from.archive.source(), await to.archive.target()];
    expect(source.kinds).toEqual(target.kinds);
    await target.fill(async (write) => {
      for (const kind of source.kinds) for await (const rows of source.read(kind, null)) await write(kind, rows);
    });
    const written = await target.source();
    expect(await readAll(written)).toEqual(await readAll(source));
    for (const opened of [written, source, target]) await opened.close();
    for (const opened of [from, to]) await opened.dispose();
  });
});
