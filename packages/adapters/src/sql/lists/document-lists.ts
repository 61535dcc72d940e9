import {
  type AccessScope,
  allowsEverywhere,
  type Condition,
  type DocumentList,
  type DocumentRecord,
  type DocumentStore,
  EVERYTHING,
  exceedsBytes,
} from '@baobab/core';
import { pathsOfText } from '../../index-paths.ts';
import type { Query } from '../criteria/dialect.ts';
import {
  countQuery,
  helpFor,
  idOrder,
  inheritedCountQuery,
  listQuery,
  type Plan,
  summaryQuery,
} from '../criteria/document-queries.ts';
import type { IdOrder, Target } from '../criteria/document-statement.ts';
import { contentPaths } from '../criteria/index-keys.ts';
import { type SummaryCells, summaryOrder, summaryRowColumns, toSummaryRow } from '../criteria/summaries.ts';
import { searchIn } from '../criteria/text-tests.ts';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import * as SQL from '../documents/document-statements.ts';
import { type SqlExecutor, type SqlValue, withIndexes } from '../statements/executor.ts';
import { countOf } from '../statements/fragments.ts';
import { pageSize, readBounded } from '../statements/pages.ts';
import * as LISTS from './document-list-statements.ts';
import { createDocumentTotals } from './document-totals.ts';
import { FEW, planByIndex } from './list-plan.ts';

/** Number of inherited documents that are not read and sorted without first trying a window in the order of creation. */
const MANY_INHERITED = 4_096;

/** Sources for reading a list. */
interface ListReading {
  readonly target: Target;
  by(plan: Plan): Promise<DocumentRecord[]>;
  /** Returns true if these rows are a full page. */
  isPage(rows: readonly DocumentRecord[]): boolean;
}

/** Creates the functions that read a list by the plan of `list-plan.ts`. */
function createPlannedLists(executor: SqlExecutor) {
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
    const text = LISTS.readableCount({ followed: scope.followed, many: hasMany(scope) });
    return (await countOf(executor, text, [collection, null, ...scopeParams(scope)])) <= FEW;
  }

  async function withoutIndex(list: DocumentList, { target, by, isPage }: ListReading) {
    const { everything, rules } = list.scope;
    if (everything) return by('scan');
    if (rules === undefined || idOrder(list.order) === null || (await inheritsFew(target, list.scope)))
      return by('accessPaths');
    const first = await by('window');
    return isPage(first) ? first : by('accessPaths');
  }

  /** Returns true if a filter has a full-text search, and its index finds the documents. */
  async function isFoundBySearch(list: Pick<DocumentList, 'collection' | 'scope' | 'where'>): Promise<boolean> {
    return searchIn(list.where) !== null && !(await readsFew(list));
  }

  async function read(list: DocumentList, reading: ListReading): Promise<DocumentRecord[]> {
    const isSearch = searchIn(list.where) !== null;
    const help = isSearch || reading.target.indexed.length === 0 ? null : helpFor(criteria, reading.target, list);
    if (!isSearch && help === null) return withoutIndex(list, reading);
    if (await readsFew(list)) return reading.by('accessPaths');
    if (help === null) return reading.by('search');
    const plan = await planByIndex({ ...help, countRanges: (most) => counted(help.rangeCount(most)) });
    const first = await reading.by(plan);
    return plan !== 'window' || reading.isPage(first) ? first : reading.by('ranges');
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

async function collectionExists(executor: SqlExecutor, collection: string): Promise<boolean> {
  return (await executor.readOne(FIND, [collection])) !== null;
}

/**
 * Runs a query on a collection by its id, with its indexes. Returns null if the collection does not exist.
 *
 * @param parts see `Target`
 */
async function queryCollection<Answer>(
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
 * Treats a caller whose rules allow reading the whole collection as an administrator, whose statements are cheapest.
 */
const readScope = (scope: AccessScope): AccessScope =>
  scope.ruled !== 0 && allowsEverywhere(scope, 'read') ? EVERYTHING : scope;

/** True for a full page, or one that ended early at the byte limit. */
const isPage = (rows: readonly DocumentRecord[], { limit, maxBytes = Number.POSITIVE_INFINITY }: DocumentList) =>
  rows.length >= limit || exceedsBytes(rows, ({ content }) => [content], maxBytes);

type Paths = Pick<LISTS.AccessPaths, 'granted' | 'followed'>;
const NO_PATHS: Paths = { granted: 'no', followed: 'no' };

interface ListOptions {
  /** False on a replica. */
  readonly mayWrite?: boolean;
  /** See `Target`. */
  readonly parts?: readonly string[];
}

/** Creates the methods of a document store that read many documents. */
export function createDocumentLists(
  executor: SqlExecutor,
  { mayWrite = true, parts }: ListOptions = {},
): Pick<DocumentStore, 'list' | 'count' | 'summarize'> {
  const { criteria, isLocal } = executor;
  const totals = createDocumentTotals(executor, mayWrite);
  const plans = createPlannedLists(executor);

  /**
   * Returns the access paths of a list. Checking which of them exist pays off on a local database. Elsewhere, one
   * statement tries all of them.
   */
  async function pathsOf(scope: AccessScope, values: readonly SqlValue[]): Promise<Paths> {
    const granted = hasMany(scope) ? 'many' : 'few';
    if (!isLocal) return { granted, followed: scope.followed ? 'many' : 'no' };
    const found = await executor.readOne<Pick<LISTS.AccessPaths, 'followed'> & { granted: number }>(
      LISTS.ACCESS_PATHS[granted],
      values,
    );
    return {
      granted: found?.granted === 1 ? granted : 'no',
      followed: (scope.followed && found?.followed) || 'no',
    };
  }

  async function walk(list: DocumentList, direction: Exclude<IdOrder, null>): Promise<DocumentRecord[] | null> {
    const { collection, scope, skip, limit, maxBytes } = list;
    const { everything } = scope;
    const descending = direction === ' desc';
    const after = list.after?.id ?? (descending ? LISTS.LAST_ID : LISTS.FIRST_ID);
    const values = [collection, after, ...scopeParams(scope), skip];
    const paths = everything ? NO_PATHS : await pathsOf(scope, values);
    const rows = await readBounded<DocumentRecord>(executor, 'read', {
      text: LISTS.list({ ...paths, everything, isLocal, descending }, list),
      values,
      columns: SQL.LISTED,
      order: `id${direction}`,
      maxBytes,
    });
    if (rows.length === 0 && !(await collectionExists(executor, collection))) return null;
    return rows.length > limit ? rows.slice(0, limit) : rows;
  }

  const ask = <Answer>(collection: string, query: (target: Target) => Promise<Answer>) =>
    queryCollection(executor, { collection, parts }, query);

  async function find(list: DocumentList, target: Target): Promise<DocumentRecord[]> {
    const { skip, limit, maxBytes } = list;
    const [size, rows] = [pageSize(skip + limit), pageSize(limit)];
    const by = (plan: Plan) => {
      const query = listQuery(criteria, target, list, { plan, size, rows, columns: SQL.JOINED });
      return readBounded<DocumentRecord>(executor, 'search', { ...query, columns: SQL.LISTED, maxBytes });
    };
    return plans.read(list, { target, by, isPage: (found) => isPage(found, list) });
  }

  return {
    async list(request) {
      const scope = readScope(request.scope);
      const list = scope === request.scope ? request : { ...request, scope };
      const direction = list.where === null && scope.rules === undefined ? idOrder(list.order) : null;
      if (direction !== null) return walk(list, direction);
      const rows = await ask(list.collection, (target) => find(list, target));
      return rows === null || rows.length <= list.limit ? rows : rows.slice(0, list.limit);
    },

    async count(collection: string, held: AccessScope, where: Condition | null) {
      const scope = readScope(held);
      if (where === null && scope.rules === undefined) return totals.total(collection, scope);
      const isSearch = await plans.isFoundBySearch({ collection, scope, where });
      const rows = await ask(collection, (target) => {
        const { text, values } = countQuery(criteria, target, { where, scope }, isSearch);
        return executor.search<{ n: number }>(text, values);
      });
      return rows === null ? null : (rows[0]?.n ?? 0);
    },

    async summarize(request) {
      const summary = { ...request, scope: readScope(request.scope) };
      const { collection, limit, maxBytes } = summary;
      const size = pageSize(limit);
      const isSearch = await plans.isFoundBySearch(summary);
      const rows = await ask(collection, (target) =>
        readBounded<SummaryCells>(executor, 'search', {
          ...summaryQuery(criteria, target, summary, { size, isSearch }),
          columns: summaryRowColumns(summary),
          order: summaryOrder(summary),
          maxBytes,
        }),
      );
      return rows === null ? null : rows.slice(0, limit).map((row) => toSummaryRow(row, summary));
    },
  };
}
