import { type AccessScope, type DocumentList, type DocumentRecord, isAppError, type OrderKey } from '@baobab/core';
import { isCreation } from '../../document-order.ts';
import { pathsOfText } from '../../index-paths.ts';
import { helpFor, inheritedCountQuery, type Plan, type Query, type QueryHints } from '../criteria/document-queries.ts';
import type { Target } from '../criteria/document-statement.ts';
import type { ReadyIndex } from '../criteria/index-choice.ts';
import { contentPaths } from '../criteria/index-keys.ts';
import { searchIn } from '../criteria/text-tests.ts';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { countOf } from '../statements/fragments.ts';
import { FEW, readableCount } from './document-list-statements.ts';

/*
 * Plans for lists of documents. The first row that applies decides. `walk` is a statement of
 * `document-list-statements.ts`; the other plans are those of `criteria/document-queries.ts`.
 *
 * | The list                                       | The caller                            | Plan                     |
 * | ---------------------------------------------- | ------------------------------------- | ------------------------ |
 * | no filter, in the order of creation            | without rules that depend on documents | `walk`                   |
 * | with a full-text search                        | may read at most `FEW`, without rules  | `accessPaths`            |
 * |                                                | any other                             | `search`                 |
 * | no index helps                                 | may read everything                   | `scan`                   |
 * | no index helps, in the order of creation       | has such rules and inherits many       | `window`, then           |
 * |                                                |                                       | `accessPaths` if the     |
 * |                                                |                                       | page is not full         |
 * | no index helps                                 | any other                             | `accessPaths`            |
 * | an index helps                                 | may read at most `FEW`, without rules  | `accessPaths`            |
 * | an index has the order, none has a range       | any other                             | `scan`                   |
 * | the narrowest range has the order              | any other                             | `scan`                   |
 * | the narrowest range has another order, and no  | any other                             | `ranges`                 |
 * | index has the requested one                    |                                       |                          |
 * | it has fewer than `MANY` rows                  | any other                             | `ranges`                 |
 * | a wider range has the order                    | any other                             | `scan`                   |
 * | all others                                     | any other                             | `window`, then `ranges`  |
 * |                                                |                                       | if the page is not full  |
 *
 * Rows are counted up to a limit, not estimated: a range of an index may have three rows or all, and the caller may be
 * able to read ten documents or all. The plan affects the time only. Each statement decides what the caller sees.
 */

/** Number of rows in a range that are not read and sorted without first trying a window in the requested order. */
const MANY = 2_000;
/** Number of inherited documents that are not read and sorted without first trying a window in the order of creation. */
const MANY_INHERITED = 4_096;

/** Returns the direction of an order by creation, or null for another order. */
export function creationOrder([key]: readonly OrderKey[]): { readonly descending: boolean } | null {
  if (key === undefined) return { descending: false };
  return isCreation(key) ? { descending: key.descending } : null;
}

/** Returns the plan by indexes, or null if it depends on the number of rows in the ranges. */
function indexedPlan({ ranges, isOrdered, isOrderedByRanges }: QueryHints): Plan | null {
  if (ranges === null) return 'scan';
  if (isOrderedByRanges) return ranges === 'alone' ? 'scan' : null;
  return isOrdered ? null : 'ranges';
}

/** Sources for reading a list. */
interface ListReading {
  readonly target: Target;
  by(plan: Plan): Promise<DocumentRecord[]>;
  /** Returns true if these rows are a full page. */
  isPage(rows: readonly DocumentRecord[]): boolean;
}

/** Creates the functions that read a list by the plan of the table above. */
export function createPlannedLists(executor: SqlExecutor) {
  const { criteria } = executor;

  async function counted({ text, values }: Query): Promise<number> {
    return (await executor.search<{ n: number }>(text, values))[0]?.n ?? 0;
  }

  /** Returns true if the caller inherits few documents, which an index finds. Otherwise a page is soon full in any order. */
  async function inheritsFew(target: Target, scope: AccessScope): Promise<boolean> {
    const query = inheritedCountQuery(criteria, target, scope, MANY_INHERITED);
    return query !== null && (await counted(query)) < MANY_INHERITED;
  }

  /** Returns true if it is cheapest to read all documents of the caller. */
  async function readsFew({ collection, scope }: Pick<DocumentList, 'collection' | 'scope'>): Promise<boolean> {
    // The number of documents that are readable under rules is unknown.
    if (scope.everything || scope.rules !== undefined) return false;
    const text = readableCount({ followed: scope.followed, many: hasMany(scope) });
    return (await countOf(executor, text, [collection, null, ...scopeParams(scope)])) <= FEW;
  }

  async function withoutIndex(list: DocumentList, { target, by, isPage }: ListReading) {
    const { everything, rules } = list.scope;
    if (everything) return by('scan');
    const isOrderedById = creationOrder(list.order) !== null;
    if (rules === undefined || !isOrderedById || (await inheritsFew(target, list.scope))) return by('accessPaths');
    const first = await by('window');
    return isPage(first) ? first : by('accessPaths');
  }

  /** Returns true if a filter has a full-text search, and its index finds the documents. */
  async function isFoundBySearch(list: Pick<DocumentList, 'collection' | 'scope' | 'where'>): Promise<boolean> {
    return searchIn(list.where) !== null && !(await readsFew(list));
  }

  async function read(list: DocumentList, reading: ListReading): Promise<DocumentRecord[]> {
    const isSearch = searchIn(list.where) !== null;
    const hints = isSearch || reading.target.indexed.length === 0 ? null : helpFor(criteria, reading.target, list);
    if (!isSearch && hints?.isThere !== true) return withoutIndex(list, reading);
    if (await readsFew(list)) return reading.by('accessPaths');
    return hints === null ? reading.by('search') : readByIndex(hints, reading);
  }

  async function readByIndex(hints: QueryHints, { by, isPage }: ListReading): Promise<DocumentRecord[]> {
    const plan = indexedPlan(hints);
    if (plan !== null) return by(plan);
    if ((await counted(hints.rangeCount(MANY))) < MANY) return by('ranges');
    if (hints.isOrderedByRanges) return by('scan');
    const first = await by('window');
    return isPage(first) ? first : by('ranges');
  }

  return { read, isFoundBySearch };
}

const FIND = 'select id from collections where name_key = ?1';
/** Collection with this key, and its indexes. */
const READY = `select c.id, i.path, i.name from collections c
  left join collection_indexes i on i.collection = c.id and i.state = 'ready' where c.name_key = ?1`;

interface Row {
  readonly id: string;
  readonly path: string | null;
  readonly name: string | null;
}

export async function collectionExists(executor: SqlExecutor, collection: string): Promise<boolean> {
  return (await executor.readOne(FIND, [collection])) !== null;
}

/**
 * Runs a query on a collection by its id, with its indexes. Returns null if the collection does not exist.
 *
 * @param parts see `Target`
 */
export async function queryCollection<Answer>(
  executor: SqlExecutor,
  { collection, parts }: { readonly collection: string; readonly parts: readonly string[] | undefined },
  query: (target: Target) => Promise<Answer>,
): Promise<Answer | null> {
  await executor.criteria.prepare(executor);
  const rows = await executor.read<Row>(READY, [collection]);
  const [first] = rows;
  if (first === undefined) return null;
  const ready = rows.flatMap(({ path, name }) =>
    path === null || name === null ? [] : [{ paths: contentPaths(pathsOfText(path)), name }],
  );
  const target = { collection: first.id, key: collection, ...(parts && { parts }) };
  return withIndexes(executor, ready, (indexed) => query({ ...target, indexed }));
}

/**
 * Runs a query that may force indexes. SQLite refuses a statement with an index that was dropped since, or is not
 * built yet in a copied database. The query then runs without indexes.
 */
export async function withIndexes<Answer>(
  { isLocal }: SqlExecutor,
  indexes: readonly ReadyIndex[],
  query: (indexes: readonly ReadyIndex[]) => Promise<Answer>,
): Promise<Answer> {
  if (!isLocal || indexes.length === 0) return query(indexes);
  try {
    return await query(indexes);
  } catch (error) {
    // Database errors have a cause. A search refused for its duration, or because too many wait, remains refused.
    if (isAppError(error) && error.cause === undefined) throw error;
    return query([]);
  }
}
