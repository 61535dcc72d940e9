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
import { createDocumentWindows, type SharedPage } from './document-windows.ts';

/**
 * Treats a caller whose rules allow reading the whole collection as an administrator, whose statements are cheapest.
 */
const readScope = (scope: AccessScope): AccessScope =>
  scope.ruled !== 0 && allowsEverywhere(scope, 'read') ? EVERYTHING : scope;

/** True for a full page, or one that ended early at the byte limit. */
const isPage = (rows: readonly DocumentRecord[], { limit, maxBytes = Number.POSITIVE_INFINITY }: DocumentList) =>
  rows.length >= limit || exceedsBytes(rows, ({ content }) => [content], maxBytes);

type Paths = Pick<LISTS.AccessPaths, 'granted' | 'followed'>;

/** Sources of a page. */
interface PageSources {
  readonly paths: Paths;
  /** Ids of documents that are not in the paths. */
  readonly ids: readonly string[];
  /** Version of the database for which the ids are valid. Null if there are none. */
  readonly version: number | null;
}

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
  const windows = createDocumentWindows(executor);
  const totals = createDocumentTotals(executor, mayWrite);
  const plans = createPlannedLists(executor);

  /**
   * Checks which access paths exist, which pays off on a local database. Elsewhere, one statement tries all of them.
   */
  async function existingPaths(
    scope: AccessScope,
    values: readonly SqlValue[],
    isGrantedKnown: boolean,
  ): Promise<Paths> {
    if (isGrantedKnown && !scope.followed) return { granted: 'no', followed: 'no' };
    const granted = hasMany(scope) ? 'many' : 'few';
    const text = isGrantedKnown ? LISTS.ACCESS_PATHS_BESIDE_GRANTS : LISTS.ACCESS_PATHS[granted];
    const found = await executor.readOne<{ granted: number; followed: number }>(text, values);
    return {
      granted: found?.granted === 1 ? granted : 'no',
      followed: scope.followed && found?.followed === 1 ? 'heads' : 'no',
    };
  }

  async function localSources(page: SharedPage, values: readonly SqlValue[]): Promise<PageSources> {
    const { scope } = page;
    const granted = hasMany(scope) ? await windows.granted(page) : null;
    const paths = await existingPaths(scope, values, granted !== null);
    const followed = paths.followed === 'no' ? null : await windows.followed(page);
    return {
      paths: { granted: paths.granted, followed: followed === null ? paths.followed : 'no' },
      ids: [...(granted?.ids ?? []), ...(followed?.ids ?? [])],
      // If the version has changed in between, the first one is invalid too.
      version: (granted ?? followed)?.version ?? null,
    };
  }

  function remoteSources(scope: AccessScope): PageSources {
    const granted = hasMany(scope) ? 'manyLateral' : 'few';
    return { paths: { granted, followed: scope.followed ? 'windowThenHeads' : 'no' }, ids: [], version: null };
  }

  async function walk(list: DocumentList, descending: boolean): Promise<DocumentRecord[] | null> {
    const { collection, scope, skip, limit, maxBytes } = list;
    const { everything } = scope;
    const after = list.after?.id ?? (descending ? LISTS.LAST_ID : LISTS.FIRST_ID);
    const size = pageSize(skip + limit);
    const values = [collection, after, ...scopeParams(scope), skip];

    function read(paths: Paths, ids: readonly string[]): Promise<DocumentRecord[]> {
      const text = LISTS.list({ ...paths, everything, ids: ids.length > 0, descending }, list);
      return readBounded<DocumentRecord>(executor, 'read', {
        text,
        values: ids.length > 0 ? [...values, JSON.stringify(ids)] : values,
        columns: SQL.LISTED,
        order: descending ? 'id desc' : 'id',
        maxBytes,
      });
    }

    const page = { collection, scope, after, descending, size };
    const { paths, ids, version } =
      executor.isLocal && !everything ? await localSources(page, values) : remoteSources(scope);
    let rows = await read(paths, ids);
    if (version !== null && executor.version() !== version) {
      // A concurrent write may have invalidated the ids.
      rows = await read(await existingPaths(scope, values, false), []);
    }
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
