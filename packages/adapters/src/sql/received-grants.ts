import { FIRST_ID } from './document-list-statements.ts';
import type { SqlExecutor } from './executor.ts';

/*
 * Grants to one principal, in the order of an index. The conditions make databases use that index from the given
 * start. Otherwise Postgres would pass over all removed rows again in each part.
 */

/** ?1 principal, ?2 limit, from ?3 the last place of the previous part */
const ON_DOCUMENTS = `select collection, document as id from document_grants
  where (principal, collection, document) > (?1, ?3, ?4) and principal <= ?1
  order by principal, collection, document limit ?2`;
const ON_FILES = `select file as id from file_grants where (principal, file) > (?1, ?3) and principal <= ?1
  order by principal, file limit ?2`;
/** In one collection, so that a distributed database needs one node. */
const REMOVE_ON_DOCUMENTS = `delete from document_grants
  where principal = ?1 and collection = ?2 and document between ?3 and ?4`;
const REMOVE_ON_FILES = 'delete from file_grants where principal = ?1 and file between ?2 and ?3';

export interface PlacedId {
  readonly collection: string;
  readonly id: string;
}

/** The first grants to a principal. */
export interface ReceivedGrants<Place> {
  readonly principal: string;
  readonly limit: number;
  /** Only grants after this place. Absent for the start. */
  readonly after?: Place;
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

/** Removes grants on documents. Returns the document of the last one, or null if there were none. */
export async function removeGrantsOnDocuments(
  transaction: SqlExecutor,
  { principal, limit, after = { collection: FIRST_ID, id: FIRST_ID } }: ReceivedGrants<PlacedId>,
): Promise<PlacedId | null> {
  const page = await transaction.read<PlacedId>(ON_DOCUMENTS, [principal, limit, after.collection, after.id]);
  for (const [collection, ids] of byCollection(page)) {
    await transaction.change(REMOVE_ON_DOCUMENTS, [principal, collection, ids[0] ?? '', ids.at(-1) ?? '']);
  }
  return page.at(-1) ?? null;
}

/** Removes grants on files. Returns the file of the last one, or null if there were none. */
export async function removeGrantsOnFiles(
  transaction: SqlExecutor,
  { principal, limit, after = FIRST_ID }: ReceivedGrants<string>,
): Promise<string | null> {
  const page = await transaction.read<{ id: string }>(ON_FILES, [principal, limit, after]);
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return null;
  await transaction.change(REMOVE_ON_FILES, [principal, first.id, last.id]);
  return last.id;
}
