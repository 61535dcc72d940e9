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
import { countQuery, listQuery, type Plan, summaryQuery } from '../criteria/document-queries.ts';
import type { Target } from '../criteria/document-statement.ts';
import { type SummaryCells, summaryOrder, summaryRowColumns, toSummaryRow } from '../criteria/summaries.ts';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import * as SQL from '../documents/document-statements.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { pageSize, readBounded } from '../statements/pages.ts';
import * as LISTS from './document-list-statements.ts';
import { collectionExists, createPlannedLists, creationOrder, queryCollection } from './document-plan.ts';
import { createDocumentTotals } from './document-totals.ts';

/**
 * Treats a caller whose rules allow reading the whole collection as an administrator, whose statements are cheapest.
 */
const readScope = (scope: AccessScope): AccessScope =>
  scope.ruled !== 0 && allowsEverywhere(scope, 'read') ? EVERYTHING : scope;

/** True for a full page, or one that ended early at the byte limit. */
const isPage = (rows: readonly DocumentRecord[], { limit, maxBytes = Number.POSITIVE_INFINITY }: DocumentList) =>
  rows.length >= limit || exceedsBytes(rows, ({ content }) => [content], maxBytes);

type Paths = Pick<LISTS.AccessPaths, 'granted' | 'followed'>;
const NO_PATHS: Paths = { granted: 'no', followed: false };

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
  const { criteria } = executor;
  const totals = createDocumentTotals(executor, mayWrite);
  const plans = createPlannedLists(executor);

  /**
   * Returns the access paths of a list. Checking which of them exist pays off on a local database. Elsewhere, one
   * statement tries all of them.
   */
  async function pathsOf(scope: AccessScope, values: readonly SqlValue[]): Promise<Paths> {
    const many = hasMany(scope);
    if (!executor.isLocal) return { granted: many ? 'manyLateral' : 'few', followed: scope.followed };
    const granted = many ? 'many' : 'few';
    const found = await executor.readOne<{ granted: number; followed: number }>(LISTS.ACCESS_PATHS[granted], values);
    return {
      granted: found?.granted === 1 ? granted : 'no',
      followed: scope.followed && found?.followed === 1,
    };
  }

  async function walk(list: DocumentList, descending: boolean): Promise<DocumentRecord[] | null> {
    const { collection, scope, skip, limit, maxBytes } = list;
    const { everything } = scope;
    const after = list.after?.id ?? (descending ? LISTS.LAST_ID : LISTS.FIRST_ID);
    const values = [collection, after, ...scopeParams(scope), skip];
    const paths = everything ? NO_PATHS : await pathsOf(scope, values);
    const rows = await readBounded<DocumentRecord>(executor, 'read', {
      text: LISTS.list({ ...paths, everything, descending }, list),
      values,
      columns: SQL.LISTED,
      order: descending ? 'id desc' : 'id',
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
      const direction = list.where === null && scope.rules === undefined ? creationOrder(list.order) : null;
      if (direction !== null) return walk(list, direction.descending);
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
