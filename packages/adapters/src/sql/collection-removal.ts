import { type CollectionStore, REMOVED_NAME } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';
import { forgetCollection } from './feed-records.ts';
import { isThere } from './is-there.ts';
import { firstWithin, type Granted, kind, type Part, removeFirst } from './removal-parts.ts';
import { withRowLock } from './row-lock.ts';

/** ?1 key */
export const REMOVE = 'delete from collections where name_key = ?1 returning id';
/** ?1 key. A distributed database adds the slices that contain the documents. */
export const IDS = 'select id from collections where name_key = ?1';

/** Rows that `weigh` counts. ?1 collection, ?2 limit */
const WEIGHED = ['documents', 'document_grants', 'access_changes'].map(
  (table) => `select count(*) as n from (select 1 as one from ${table} where collection = ?1 limit ?2) of_collection`,
);

/** Frees the key. The new one has capital letters, so no request can match it. ?1 collection */
const HIDE = `update collections set name = '${REMOVED_NAME}', name_key = '_REMOVED ' || cast(id as text)
  where id = ?1 and ${isThere()}`;
const REMOVE_SETTINGS = ['collection_indexes', 'collection_rules', 'collection_schemas'].map(
  (table) => `delete from ${table} where collection = ?1`,
);

const BEGUN = `select id from collections where not (${isThere()}) order by id limit ?1`;
/** Serializes the removal of parts by several nodes. */
const LOCK_REMOVED = withRowLock(
  'update',
  (lock) => `select id from collections where id = ?1 and not (${isThere()})${lock}`,
);

/** `between` for the same reason as in `removal-parts.ts`. ?1 collection, ?2 limit */
const DOCUMENTS = `select id from documents where collection between ?1 and ?1 order by collection, id limit ?2`;
/** ?1 collection, ?2 first document, ?3 last document */
const GRANTS = `select document as id, count(*) as n from document_grants
  where collection = ?1 and document between ?2 and ?3 group by document`;
const REMOVE_DOCUMENTS = 'delete from documents where collection = ?1 and id between ?2 and ?3';
const REMOVE_ROW = 'delete from collections where id = ?1';

const removeDocuments: Part = async (transaction, id, limit) => {
  const ids = (await transaction.read<{ id: string }>(DOCUMENTS, [id, limit])).map((document) => document.id);
  const [first] = ids;
  if (first === undefined) return false;
  const counted = await transaction.read<Granted>(GRANTS, [id, first, ids.at(-1) ?? first]);
  const grants = new Map(counted.map(({ id: document, n }) => [document, n]));
  const { count } = firstWithin(
    ids.map((document) => grants.get(document) ?? 0),
    limit,
  );
  await transaction.change(REMOVE_DOCUMENTS, [id, first, ids[count - 1] ?? first]);
  return true;
};

/** Each call removes rows of the first kind that has any. */
const PARTS: readonly Part[] = [
  removeDocuments,
  removeFirst(kind('access_changes', 'collection', ['document', 'audience'])),
];

type RemovalMethods = 'weigh' | 'remove' | 'beginRemoval' | 'removePart' | 'removalsBegun';

/** Creates the methods of a collection store that remove collections. */
export function createCollectionRemoval(executor: SqlExecutor): Pick<CollectionStore, RemovalMethods> {
  const idsOf = async (target: SqlExecutor, key: string) =>
    (await target.read<{ id: string }>(IDS, [key])).map(({ id }) => id);

  return {
    async weigh(key, most) {
      let sum = 0;
      for (const id of await idsOf(executor, key)) {
        for (const weigh of WEIGHED) if (sum < most) sum += await executor.count(weigh, [id, most]);
      }
      return Math.min(sum, most);
    },
    remove: (key) =>
      executor.atomic(async (transaction) => {
        const [removed] = await transaction.write<{ id: string }>(REMOVE, [key]);
        if (removed !== undefined) await forgetCollection(transaction, removed.id);
        return removed !== undefined;
      }),
    beginRemoval: (key) =>
      executor.atomic(async (transaction) => {
        const ids = await idsOf(transaction, key);
        let hidden = 0;
        for (const id of ids) {
          hidden += await transaction.change(HIDE, [id]);
          for (const remove of REMOVE_SETTINGS) await transaction.change(remove, [id]);
        }
        return hidden === 0 ? null : ids;
      }),
    removePart: (id, limit) =>
      executor.atomic(async (transaction) => {
        if ((await transaction.read(LOCK_REMOVED(transaction), [id])).length === 0) return false;
        for (const remove of PARTS) if (await remove(transaction, id, limit)) return true;
        await transaction.change(REMOVE_ROW, [id]);
        return false;
      }),
    async removalsBegun(limit) {
      return (await executor.read<{ id: string }>(BEGUN, [limit])).map(({ id }) => id);
    },
  };
}
