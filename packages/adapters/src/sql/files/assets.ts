import { type AssetRecord, type AssetStore, isStoredId } from '@baobab/core';
import { assetFields, TABLES } from '../criteria/list-fields.ts';
import { createObjectQueries } from '../criteria/object-queries.ts';
import type { MakeSource } from '../criteria/object-statement.ts';
import { storedMeaning } from '../criteria/stored-fields.ts';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, countOf, isThere, jsonIds } from '../statements/fragments.ts';
import { type ListedColumns, readBounded } from '../statements/pages.ts';

interface AssetRow {
  readonly id: string;
  readonly name: string;
  readonly author: string | null;
  readonly created: number;
  readonly meta: string;
  readonly file_name: string | null;
  readonly content_type: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
}

const COLUMNS = 'a.id, a.name, u.name as author, a.created, a.meta, a.file_name, a.content_type, a.size, a.sha256';
const LISTED: ListedColumns = {
  names: ['id', 'name', 'author', 'created', 'meta', 'file_name', 'content_type', 'size', 'sha256'],
  heavy: ['meta'],
};
/** @param assets the table with its alias, or a replacement */
const joined = (assets: string) => `${assets} left join users u on u.id = a.author and ${isThere('u.name')}`;
const FROM = `from ${joined('assets a')}`;
const ADD = `insert into assets (id, name, author, created, meta, file_name, content_type, size, sha256)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) on conflict do nothing`;
const FIND = `select ${COLUMNS} ${FROM} where a.name = ?1`;
const LIST = `select ${COLUMNS} ${FROM} where a.id > ?1 order by a.id limit ?2 offset ?3`;
const COUNT = 'select count(*) as n from assets';
const REMOVE = 'delete from assets where name = ?1 returning id';

function toRecord({ file_name, content_type, size, sha256, ...asset }: AssetRow): AssetRecord {
  const file =
    file_name === null || content_type === null || size === null || sha256 === null
      ? null
      : { fileName: file_name, contentType: content_type, size, sha256 };
  return { ...asset, file };
}

const FIELDS = assetFields('a.');

export const SOURCE: MakeSource = (_params, dialect) => ({
  columns: COLUMNS,
  listed: LISTED,
  table: TABLES.assets,
  from: joined,
  where: '1 = 1',
  resolve: storedMeaning(dialect, FIELDS),
  sortColumn: (key) => (isStoredId(key) ? { sql: 'a.id', kind: 'id' } : null),
  whole: { list: 'assets', isIndexed: () => true, within: () => null },
});

export function createAssetStore(executor: SqlExecutor): AssetStore {
  const queries = createObjectQueries(executor);
  return {
    async add({ id, name, authorId, created, meta, file }) {
      const { fileName = null, contentType = null, size = null, sha256 = null } = file ?? {};
      const values = [id, name, authorId, created, meta, fileName, contentType, size, sha256];
      return (await executor.change(ADD, values).catch(asMissing(executor))) === 1;
    },
    async find(name) {
      const row = await executor.readOne<AssetRow>(FIND, [name]);
      return row === null ? null : toRecord(row);
    },
    async existing(ids) {
      const text = `select id from assets where id in ${jsonIds(executor, '?1')}`;
      return (await executor.read<{ id: string }>(text, [JSON.stringify(ids)])).map(({ id }) => id);
    },
    async list(list) {
      const { where, order, after, skip, limit, maxBytes } = list;
      if (where !== null || order.length > 0) return (await queries.list<AssetRow>(SOURCE, list)).map(toRecord);
      const values = [after?.id ?? FIRST_ID, limit, skip];
      const bounded = { text: LIST, values, columns: LISTED, order: 'id', maxBytes };
      return (await readBounded<AssetRow>(executor, 'read', bounded)).map(toRecord);
    },
    async count(where) {
      if (where !== null) return queries.count(SOURCE, where);
      return countOf(executor, COUNT, []);
    },
    summarize: (summary) => queries.summarize(SOURCE, summary),
    async remove(name) {
      const [removed] = await executor.write<{ id: string }>(REMOVE, [name]);
      return removed?.id ?? null;
    },
  };
}
