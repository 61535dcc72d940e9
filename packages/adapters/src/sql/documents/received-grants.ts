import type { SqlExecutor } from '../statements/executor.ts';

/** Grants to one principal, in the order of an index. `between` for the same reason as in `removal-parts.ts`. */
const ON_DOCUMENTS = `select collection, document as id from document_grants where principal between ?1 and ?1
  order by principal, collection, document limit ?2`;
const ON_FILES =
  'select file as id from file_grants where principal between ?1 and ?1 order by principal, file limit ?2';
/** In one collection, so that a distributed database needs one node. */
const REMOVE_ON_DOCUMENTS = `delete from document_grants
  where principal = ?1 and collection = ?2 and document between ?3 and ?4`;
const REMOVE_ON_FILES = 'delete from file_grants where principal = ?1 and file between ?2 and ?3';

export interface PlacedId {
  readonly collection: string;
  readonly id: string;
}

/** @param rows ordered by their collections */
export function byCollection(rows: readonly PlacedId[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { collection, id } of rows) {
    const some = ids.get(collection) ?? [];
    ids.set(collection, some);
    some.push(id);
  }
  return ids;
}

async function removeOnDocuments(transaction: SqlExecutor, principal: string, limit: number): Promise<boolean> {
  const page = await transaction.read<PlacedId>(ON_DOCUMENTS, [principal, limit]);
  for (const [collection, ids] of byCollection(page)) {
    await transaction.change(REMOVE_ON_DOCUMENTS, [principal, collection, ids[0] ?? '', ids.at(-1) ?? '']);
  }
  return page.length > 0;
}

async function removeOnFiles(transaction: SqlExecutor, principal: string, limit: number): Promise<boolean> {
  const page = await transaction.read<{ id: string }>(ON_FILES, [principal, limit]);
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return false;
  await transaction.change(REMOVE_ON_FILES, [principal, first.id, last.id]);
  return true;
}

/** Removes grants to a principal, on documents or on files. Returns true if there were any. */
export const removeReceivedGrants = async (
  transaction: SqlExecutor,
  principal: string,
  limit: number,
): Promise<boolean> =>
  (await removeOnDocuments(transaction, principal, limit)) || removeOnFiles(transaction, principal, limit);
