import {
  type AccessScope,
  allowsEverywhere,
  type Condition,
  type DocumentList,
  type DocumentRecord,
  type DocumentStore,
  exceedsBytes,
  type OrderKey,
} from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import { readBounded } from './bounded.ts';
import {
  countQuery,
  helpFor,
  listQuery,
  type Plan,
  type Query,
  type QueryHints,
  summaryQuery,
} from './criteria/document-queries.ts';
import type { Target } from './criteria/document-statement.ts';
import { isCreation } from './criteria/order.ts';
import { type SummaryCells, summaryOrder, summaryRowColumns, toSummaryRow } from './criteria/summaries.ts';
import * as LISTS from './document-list-statements.ts';
import * as SQL from './document-statements.ts';
import { createTargets } from './document-targets.ts';
import type { SqlExecutor, SqlValue } from './executor.ts';
import { createFollowedWindows } from './followed-windows.ts';

/** The direction of an order by creation; null for another order. */
function walkOf([key]: readonly OrderKey[]): { readonly descending: boolean } | null {
  if (key === undefined) return { descending: false };
  return isCreation(key) ? { descending: key.descending } : null;
}

/** Up to this many rows of an index are read and sorted without first looking for a page in the requested order. */
const MANY = 2000;

/** The plan; null where it depends on the number of rows in the ranges. */
function planOf({ ranges, isOrdered, isOrderedByIndex, isOrderedByRanges }: QueryHints): Plan | null {
  if (ranges === null || isOrderedByRanges) return 'scan';
  if (!isOrdered) return 'ranges';
  return ranges === 'equal' && !isOrderedByIndex ? 'scan' : null;
}

/** A scope that may read the whole collection by its rules reads it like an administrator: by the cheapest statements. */
const readScope = (scope: AccessScope): AccessScope =>
  scope.ruled !== 0 && allowsEverywhere(scope, 'read') ? { ...scope, everything: true } : scope;

/** Whether these rows are a full page, or one that the byte limit ended early. */
const isPage = (rows: readonly DocumentRecord[], { limit, maxBytes = Number.POSITIVE_INFINITY }: DocumentList) =>
  rows.length >= limit || exceedsBytes(rows, ({ content }) => [content], maxBytes);

/** A list in the order of the ids. */
const walked = (
  text: string,
  values: readonly SqlValue[],
  {
    descending,
    rows,
    maxBytes,
  }: {
    readonly descending: boolean;
    readonly rows: number;
    readonly maxBytes: number | undefined;
  },
) => ({ text, values, columns: SQL.LISTED, order: descending ? 'id desc' : 'id', rows, maxBytes });

/** The methods of a document store that read many documents. */
export function createDocumentLists(executor: SqlExecutor): Pick<DocumentStore, 'list' | 'count' | 'summarize'> {
  const { criteria } = executor;
  const windows = createFollowedWindows(executor);

  /** On a local database it pays to check which access paths exist; elsewhere one statement tries all of them. */
  async function existingPaths(
    scope: AccessScope,
    values: readonly SqlValue[],
  ): Promise<Omit<LISTS.AccessPaths, 'descending'>> {
    const granted = hasMany(scope) ? 'many' : 'few';
    const found = await executor.readOne<{ granted: number; followed: number }>(LISTS.ACCESS_PATHS[granted], values);
    return {
      everything: false,
      granted: found?.granted === 1 ? granted : 'no',
      followed: scope.followed && found?.followed === 1 ? 'heads' : 'no',
    };
  }

  async function accessPathsOf(
    scope: AccessScope,
    descending: boolean,
    values: readonly SqlValue[],
  ): Promise<LISTS.AccessPaths> {
    const { everything, followed } = scope;
    if (everything) return { everything, granted: 'few', followed: 'no', descending };
    if (executor.isLocal) return { ...(await existingPaths(scope, values)), descending };
    const granted = hasMany(scope) ? 'manyLateral' : 'few';
    return { everything, granted, followed: followed ? 'windowThenHeads' : 'no', descending };
  }

  const targets = createTargets(executor);

  /** The list from the cached window of the next documents; null when that is not enough. */
  async function fromWindow(
    { collection, scope: { owner }, skip, limit, maxBytes }: DocumentList,
    accessPaths: LISTS.AccessPaths,
    values: readonly SqlValue[],
  ): Promise<DocumentRecord[] | null> {
    if (accessPaths.followed !== 'heads' || owner === null) return null;
    const [, after] = values;
    const { descending } = accessPaths;
    const size = LISTS.pageSize(skip + limit);
    const page = await windows.find({ collection, follower: owner, after: String(after), descending, size });
    if (page === null) return null;
    const text = LISTS.list({ ...accessPaths, followed: 'ids' }, skip + limit);
    const withIds = [...values, JSON.stringify(page.ids)];
    const rows = await readBounded<DocumentRecord>(
      executor,
      'read',
      walked(text, withIds, { descending, rows: size, maxBytes }),
    );
    return executor.version() === page.version ? rows : null;
  }

  async function walk(list: DocumentList, descending: boolean): Promise<DocumentRecord[] | null> {
    const { collection, scope, after, skip, limit, maxBytes } = list;
    const first = descending ? LISTS.LAST_ID : LISTS.FIRST_ID;
    const values = [collection, after?.id ?? first, ...scopeParams(scope), skip];
    const accessPaths = await accessPathsOf(scope, descending, values);
    const known = await fromWindow(list, accessPaths, values);
    const bounds = { descending, rows: LISTS.pageSize(skip + limit), maxBytes };
    const byAccessPaths = walked(LISTS.list(accessPaths, skip + limit), values, bounds);
    const rows = known ?? (await readBounded<DocumentRecord>(executor, 'read', byAccessPaths));
    if (rows.length === 0 && !(await targets.exists(collection))) return null;
    return rows.length > limit ? rows.slice(0, limit) : rows;
  }

  async function search<Row>({ text, values }: Query): Promise<Row[]> {
    return executor.search<Row>(text, values);
  }

  /** Runs a query on a collection by its id; null when the collection does not exist. */
  async function ask<Row>(collection: string, query: (target: Target) => Promise<Row[]>): Promise<Row[] | null> {
    await criteria.prepare(executor);
    return targets.ask(collection, query);
  }

  async function isReadableFew(collection: string, scope: AccessScope): Promise<boolean> {
    const values = [collection, null, ...scopeParams(scope)];
    const text = LISTS.readableCount({ followed: scope.followed, many: hasMany(scope) });
    return (await executor.count(text, values)) <= LISTS.FEW;
  }

  async function areMany({ rangeCount }: QueryHints): Promise<boolean> {
    const [count] = await search<{ n: number }>(rangeCount(MANY));
    return (count?.n ?? 0) >= MANY;
  }

  /**
   * The request does not show which plan is cheap: a range of an index may hold three rows or all, and the caller may
   * be able to read ten documents or all. So they are counted first, up to a limit. If there are many, the first rows
   * in the requested order usually fill the page.
   */
  async function find(list: DocumentList, target: Target): Promise<DocumentRecord[]> {
    const { collection, scope, skip, limit, maxBytes } = list;
    const size = LISTS.pageSize(skip + limit);
    const by = (plan: Plan) => {
      const { order, ...query } = listQuery(criteria, target, list, { plan, size, columns: SQL.JOINED });
      return readBounded<DocumentRecord>(executor, 'search', {
        ...query,
        columns: SQL.LISTED,
        order,
        rows: size,
        maxBytes,
      });
    };
    const help = helpFor(criteria, target, list);
    if (!help.isThere) return by(scope.everything ? 'scan' : 'accessPaths');
    if (!scope.everything && (await isReadableFew(collection, scope))) return by('accessPaths');
    const plan = planOf(help);
    if (plan !== null) return by(plan);
    const first = (await areMany(help)) ? await by('window') : [];
    return isPage(first, list) ? first : by('ranges');
  }

  async function countAll(collection: string, scope: AccessScope): Promise<number | null> {
    const { everything, followed } = scope;
    const text = SQL.count({ everything, followed, many: hasMany(scope) });
    const n = await executor.count(text, [collection, null, ...scopeParams(scope)]);
    return n === 0 && !(await targets.exists(collection)) ? null : n;
  }

  return {
    async list(request) {
      const scope = readScope(request.scope);
      const list = scope === request.scope ? request : { ...request, scope };
      const direction = list.where === null ? walkOf(list.order) : null;
      if (direction !== null) return walk(list, direction.descending);
      const rows = await ask(list.collection, (target) => find(list, target));
      return rows === null || rows.length <= list.limit ? rows : rows.slice(0, list.limit);
    },

    async count(collection: string, held: AccessScope, where: Condition | null) {
      const scope = readScope(held);
      if (where === null) return countAll(collection, scope);
      const rows = await ask(collection, (target) =>
        search<{ n: number }>(countQuery(criteria, target, { where, scope })),
      );
      return rows === null ? null : (rows[0]?.n ?? 0);
    },

    async summarize(request) {
      const summary = { ...request, scope: readScope(request.scope) };
      const { collection, skip, limit, maxBytes } = summary;
      const size = LISTS.pageSize(skip + limit);
      const rows = await ask(collection, (target) =>
        readBounded<SummaryCells>(executor, 'search', {
          ...summaryQuery(criteria, target, summary, size),
          columns: summaryRowColumns(summary),
          order: summaryOrder(summary),
          rows: size,
          maxBytes,
        }),
      );
      return rows === null ? null : rows.slice(0, limit).map((row) => toSummaryRow(row, summary));
    },
  };
}
