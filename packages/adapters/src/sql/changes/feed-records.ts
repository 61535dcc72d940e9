import {
  authorAudience,
  EVERYBODY,
  type Grant,
  type Rights,
  sufficientRights,
  userPrincipal,
  type VisibilityReason,
} from '@baobab/core';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { idIn, jsonRows } from '../statements/fragments.ts';
import { withFeedPlaces } from './feed-position.ts';

/** Records of the other stores for the change feed, see `ChangeStore`. */

const READABLE = sufficientRights('read');
const COLUMNS = '(collection, document, audience, position, recorded)';
const AGAIN = `on conflict (collection, document, audience) do update
  set position = excluded.position, recorded = excluded.recorded`;

/** ?1 document, ?2 audiences as a JSON array, ?3 now */
const access = (executor: SqlExecutor) =>
  withFeedPlaces(
    (position, here) => `insert into access_changes ${COLUMNS}
  select d.collection, d.id, p.value, ${position}, cast(?3 as bigint) from documents d cross join ${jsonRows(executor, '?2')} p
  where d.id = ?1${here === null ? '' : ` and d.collection = ${here}`} ${AGAIN}`,
    'first',
  )(executor);

/** ?1 collection id, ?2 document, ?3 audiences as a JSON array, ?4 now */
const removal = (executor: SqlExecutor) =>
  withFeedPlaces(
    (position) => `insert into access_changes ${COLUMNS}
  select ${idIn(executor, '?1')}, ${idIn(executor, '?2')}, p.value, ${position}, cast(?4 as bigint) from ${jsonRows(executor, '?3')} p where true
  union all select g.collection, g.document, g.principal, ${position}, cast(?4 as bigint) from document_grants g
    where g.collection = ?1 and g.document = ?2 and (g.rights & ${READABLE}) <> 0 ${AGAIN}`,
  )(executor);

/**
 * Documents of one author in one collection, within a range of ids. The order and the limit make the database use the
 * index on the author. Another index would read the documents of all other authors in between.
 *
 * @param but further condition
 *
 * ?1 author, ?2 collection id, ?3 first id, ?4 last id, ?5 number of documents
 */
export const documentsInRange = (but: string) => `(select author, collection, id from documents
  where author = ?1 and collection = ?2 and id between ?3 and ?4${but} order by author, collection, id limit ?5)`;

/** The statement by which `recordRemovals` records the documents that `documentsInRange` returns. ?6 now */
export const removalsInRange = (but: string) =>
  withFeedPlaces((position) => {
    const rest = `${position}, cast(?6 as bigint)`;
    return `insert into access_changes ${COLUMNS}
  select d.collection, d.id, '${EVERYBODY}', ${rest} from ${documentsInRange(but)} d
  union all select d.collection, d.id, '${authorAudience('')}' || d.author, ${rest} from ${documentsInRange(but)} d
  union all select g.collection, g.document, g.principal, ${rest} from ${documentsInRange(but)} d
    join document_grants g on g.collection = d.collection and g.document = d.id
    where g.collection = ?2 and (g.rights & ${READABLE}) <> 0 ${AGAIN}`;
  });

/** Marks the users whose ids a query returns. They are ordered, so that two such statements cannot deadlock. ?2 now */
const markUsers = (reason: VisibilityReason, query: string) =>
  withFeedPlaces(
    (position) => `insert into sight_marks (audience, collection_key, reason, position, recorded)
  select '${userPrincipal('')}' || found.id, '', '${reason}', ${position}, cast(?2 as bigint) from (${query}) found
  where true order by found.id on conflict (audience, collection_key, reason) do update
  set position = excluded.position, recorded = excluded.recorded`,
  );
/** ?1 ids as a JSON array */
const markThese = (executor: SqlExecutor) =>
  markUsers('follow', `select w.value as id from ${jsonRows(executor, '?1')} w`)(executor);
const MARK_USERS_OF_ROLE = markUsers('role', 'select u.id from users u where u.role = ?1');
const MARK_MEMBERS = markUsers('group', 'select m.user_id as id from group_members m where m.group_id = ?1');

const RECORDS = ['access_changes', 'sight_marks'];
const FORGET_AUDIENCE = RECORDS.map((table) => `delete from ${table} where audience = ?1`);
const MOVE_AUDIENCE = RECORDS.map((table) => `update ${table} set audience = ?2 where audience = ?1`);

/** True if the rights include read access. */
export const letsRead = (rights: Rights): boolean => (rights & READABLE) !== 0;

/** Returns the principals whose read access differs between the two lists of grants. */
export function readersChanged(before: readonly Grant[], now: readonly Grant[]): string[] {
  const readersOf = (grants: readonly Grant[]) =>
    new Set(grants.filter(({ rights }) => letsRead(rights)).map(({ principal }) => principal));
  const [old, current] = [readersOf(before), readersOf(now)];
  return [...Array.from(old).filter((one) => !current.has(one)), ...Array.from(current).filter((one) => !old.has(one))];
}

/** Records that these principals gained or lost read access to a document. */
export async function recordAccess(
  transaction: SqlExecutor,
  document: string,
  principals: readonly string[],
): Promise<void> {
  if (principals.length === 0) return;
  await transaction.change(access(transaction), [document, JSON.stringify(principals), Date.now()]);
}

/** Records the coming removal of a document, which is locked with its grants. */
export async function recordRemoval(
  transaction: SqlExecutor,
  { collection, id, author }: { readonly collection: string; readonly id: string; readonly author: string },
): Promise<void> {
  const audiences = JSON.stringify([EVERYBODY, authorAudience(author)]);
  await transaction.change(removal(transaction), [collection, id, audiences, Date.now()]);
}

/**
 * Records the coming removal of documents, which are locked with their grants.
 *
 * @param range the parameters of `documentsInRange`
 */
export async function recordRemovals(
  transaction: SqlExecutor,
  removals: ReturnType<typeof removalsInRange>,
  range: readonly SqlValue[],
): Promise<void> {
  await transaction.change(removals(transaction), [...range, Date.now()]);
}

/** Records that these users no longer follow a user who is being removed. */
export async function recordLostFollowers(transaction: SqlExecutor, userIds: readonly string[]): Promise<void> {
  await transaction.change(markThese(transaction), [JSON.stringify(userIds), Date.now()]);
}

/** Records the coming removal of a locked role from its users. @param name as stored in the users */
export async function recordRemovalOfRole(transaction: SqlExecutor, name: string): Promise<void> {
  await transaction.change(MARK_USERS_OF_ROLE(transaction), [name, Date.now()]);
}

/** Records the coming removal of a group. */
export async function recordRemovalOfGroup(transaction: SqlExecutor, id: string): Promise<void> {
  await transaction.change(MARK_MEMBERS(transaction), [id, Date.now()]);
}

/** Removes the records for an audience that ceases to exist. */
export async function forgetAudience(transaction: SqlExecutor, audience: string): Promise<void> {
  for (const forget of FORGET_AUDIENCE) await transaction.change(forget, [audience]);
}

/** Moves the records of one audience to another. */
export async function moveAudience(transaction: SqlExecutor, from: string, to: string): Promise<void> {
  await forgetAudience(transaction, to); // of a former role with this name
  for (const move of MOVE_AUDIENCE) await transaction.change(move, [from, to]);
}
