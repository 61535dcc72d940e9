import { type CollectionStore, REMOVED_NAME } from '@baobab/core';
import { isSliceOf } from '../../slice-keys.ts';
import { FORGET_OWNER, HIDE_FILES, leaveFiles } from '../files/document-files.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { isThere, withRowLock } from '../statements/fragments.ts';
import { firstWithin, type Granted, kind, type Part, type Removals, removeFirst } from '../statements/removal-parts.ts';
import { onCopies, type Statement } from '../statements/statement.ts';

const IS_NAMED = 'name_key = ?1';
const IS_NAMED_OR_SLICE = `(${IS_NAMED} or ${isSliceOf('name_key', 'cast(?1 as text)')})`;
/** Builds a statement on a collection, with the slices that contain its documents if it is spread. ?1 key */
const withSlices = (build: (isWanted: string) => Statement): Statement => {
  const { text, ...properties } = build(IS_NAMED);
  return { text, ...properties, distributed: { text: build(IS_NAMED_OR_SLICE).text } };
};
const IDS = withSlices((isWanted) => ({ text: `select id from collections where ${isWanted} order by name_key` }));

/** Frees the key. The new one has capital letters, so no request can match it. ?1 collection */
const HIDE = onCopies(`update collections set name = '${REMOVED_NAME}', name_key = '_REMOVED ' || cast(id as text)
  where id = ?1 and ${isThere()}`);
const REMOVE_SETTINGS = ['collection_indexes', 'collection_rules', 'collection_schemas', 'search_indexes'].map(
  (table) => `delete from ${table} where collection = ?1`,
);

/** Serializes the removal of parts by several nodes. */
const LOCK_REMOVED = withRowLock('update', (lock) =>
  onCopies(`select id from collections where id = ?1 and not (${isThere()})${lock}`),
);

/** `between` for the same reason as in `removal-parts.ts`. ?1 collection, ?2 limit */
const DOCUMENTS = `select id from documents where collection between ?1 and ?1 order by collection, id limit ?2`;
/** ?1 collection, ?2 first document, ?3 last document */
const GRANTS = `select document as id, count(*) as n from document_grants
  where collection = ?1 and document between ?2 and ?3 group by document`;
/** Locks documents, so that no file is added to them. Parameters as in REMOVE_DOCUMENTS. */
const LOCK_DOCUMENTS = 'select id from documents where collection = ?1 and id between ?2 and ?3 order by id for update';
const REMOVE_DOCUMENTS = 'delete from documents where collection = ?1 and id between ?2 and ?3';
const REMOVE_ROW = onCopies('delete from collections where id = ?1');

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
  const range = [id, first, ids[count - 1] ?? first];
  if (!transaction.isLocal) await transaction.read(LOCK_DOCUMENTS, range);
  await leaveFiles(transaction, ids.slice(0, count));
  await transaction.change(REMOVE_DOCUMENTS, range);
  return true;
};

/** Each call removes rows of the first kind that still has rows. */
const PARTS: readonly Part[] = [
  removeDocuments,
  removeFirst(kind('access_changes', 'collection', ['document', 'audience'])),
];

async function hide(transaction: SqlExecutor, ids: readonly string[]): Promise<boolean> {
  let isHidden = false;
  for (const id of ids) {
    if ((await transaction.change(HIDE, [id])) === 0) continue;
    isHidden = true;
    for (const remove of REMOVE_SETTINGS) await transaction.change(remove, [id]);
    await transaction.change(HIDE_FILES, [id]);
  }
  return isHidden;
}

/** Creates the method of a collection store that removes collections. */
export const createCollectionRemoval = (executor: SqlExecutor): Pick<CollectionStore, 'remove'> => ({
  remove: (key) =>
    executor.atomic(async (transaction) => {
      const ids = (await transaction.read<{ id: string }>(IDS, [key])).map(({ id }) => id);
      return hide(transaction, ids);
    }),
});

export const COLLECTION_REMOVALS: Removals = {
  begun: `select id from collections where not (${isThere()}) order by id limit ?1`,
  async removePart(transaction, id, limit) {
    if ((await transaction.read(LOCK_REMOVED(transaction), [id])).length === 0) return false;
    for (const remove of PARTS) if (await remove(transaction, id, limit)) return true;
    await transaction.change(FORGET_OWNER, [id]);
    await transaction.change(REMOVE_ROW, [id]);
    return false;
  },
};
