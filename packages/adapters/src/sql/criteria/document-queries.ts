import type { AccessScope, Condition, DocumentList, DocumentSummary, ListPosition, OrderKey, Path } from '@baobab/core';
import type { SqlValue } from '../executor.ts';
import type { CriteriaDialect } from './dialect.ts';
import { createStatement, type Source, type Statement, type Target } from './document-statement.ts';
import { pathKey } from './index-keys.ts';
import { behind, isCreation, rangesAfter, type SortKey, sortKeys } from './order.ts';
import { allOf, anyOf, TRUE } from './scalars.ts';
import { summaryStatement } from './summaries.ts';

export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const direction = ({ descending }: SortKey) => (descending ? ' desc' : '');

/** The rows of a page with their sort keys: `id`, and one column for each part of a key. */
function pageColumns(keys: readonly SortKey[]) {
  let count = 0;
  const columns = keys.flatMap((key) =>
    key.columns.map((sql) => ({ sql, name: sql === 'documents.id' ? 'id' : `k${count++}`, key })),
  );
  return {
    select: columns.map(({ sql, name }) => `${sql} as ${name}`).join(', '),
    /** The columns of `page` to sort by, beside those that are read of a row. */
    sortedBy: columns.filter(({ name }) => name !== 'id').map(({ name }) => `page.${name}`),
    order: (prefix: string) => columns.map(({ name, key }) => `${prefix}${name}${direction(key)}`).join(', '),
    /** The order of rows with equal first columns: SQLite does not notice that they are equal. */
    orderOfAlike: (alike: number) =>
      columns
        .slice(alike)
        .map(({ name, key }) => `${name}${direction(key)}`)
        .join(', '),
  };
}

/**
 * How a list is read:
 * `accessPaths`: from each way that makes documents readable, each sorted and limited to a page;
 * `scan`: in the order of the collection or of an index, or by the ordered ranges of an index;
 * `window`: from the first documents in that order, whatever the condition;
 * `ranges`: all rows that an index finds, sorted.
 */
export type Plan = 'accessPaths' | 'scan' | 'window' | 'ranges';

/** The number of documents in a window. */
const WINDOW = 2000;

/** A limit larger than any table, which keeps the planner from merging a subquery with its surroundings. */
const ALL_ROWS = 1_000_000_000;

export interface ListRequest {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  readonly after: ListPosition | null;
  readonly skip: number;
  readonly scope: AccessScope;
}

export interface ListOptions {
  readonly plan: Plan;
  /** The most rows to return. */
  readonly size: number;
  /** The columns to read of a row of `documents` with its collection `c` and its author `u`. */
  readonly columns: string;
}

/** The path whose index has the requested order; null for the order of the ids, undefined for none. */
function orderedBy([first]: readonly OrderKey[], { isIndexed }: Statement): Path | null | undefined {
  if (first === undefined || isCreation(first)) return null;
  return isIndexed(first.path) ? first.path : undefined;
}

/** Whether the index of the ranges also has the requested order. */
const isInOrderOf = (ranges: Path | null | undefined, order: Path | null | undefined) =>
  ranges != null && order != null && pathKey(ranges) === pathKey(order);

function branchesOf(
  statement: Statement,
  keys: readonly SortKey[],
  { where, order, after }: ListRequest,
  { plan, size }: ListOptions,
): string[] {
  const { parsed } = statement.context.dialect;
  const page = pageColumns(keys);
  const place = () => (after === null ? TRUE : behind(keys, after, statement.context.params));
  const rows = ({ from }: Source, conditions: readonly string[]) =>
    `select ${page.select} from ${from} where ${allOf(conditions)}`;
  const cut = (branch: string) => `${branch} order by ${page.order('')} limit ${size}`;

  /** The page in the order of an index: for each range, the rows of each stretch after the position. */
  function stretches(of: readonly (string | null)[], source: Source, rest: string): string[] {
    const begun = after === null ? [null] : rangesAfter(keys, after, statement.context.params);
    return of.flatMap((range) =>
      begun.map((stretch) => {
        const conditions = [source.where, range ?? TRUE, rest, stretch?.where ?? TRUE];
        const alike = Math.max(stretch?.alike ?? 0, range === null ? 0 : 1);
        return `${rows(source, conditions)} order by ${page.orderOfAlike(alike)} limit ${size}`;
      }),
    );
  }

  if (plan === 'accessPaths') {
    const filter = statement.filter(where);
    return statement.accessPaths().map((path) => cut(rows(path, [path.where, filter, place()])));
  }
  const ranges = plan === 'window' ? null : statement.ranges(where);
  const path = orderedBy(order, statement);
  const source = statement.scan(ranges === null ? (path ?? null) : ranges.path);
  if (plan === 'scan' && path != null && (ranges === null || isInOrderOf(ranges.path, path))) {
    return ranges === null
      ? stretches([null], source, statement.filter(where))
      : stretches(ranges.ranges, source, ranges.rest);
  }
  if (ranges !== null) {
    const found = ranges.ranges.map((range) =>
      rows(source, [source.where, range, plan === 'scan' ? ranges.rest : ranges.sortedRest, place()]),
    );
    return plan === 'scan' ? found.map(cut) : found.map((every) => cut(`select * from (${every} limit ${ALL_ROWS}) f`));
  }
  const filter = statement.filter(where);
  if (plan === 'scan') return [cut(rows(source, [source.where, filter, place()]))];
  const sorted = keys.flatMap((key) => key.columns.map((sql) => `${sql}${direction(key)}`)).join(', ');
  const window = `select documents.* from ${source.from} where ${allOf([statement.isHere, place()])}
    order by ${sorted} limit ${WINDOW}`;
  return [cut(rows({ from: `(${window}) documents${parsed.from}`, where: TRUE }, [source.where, filter]))];
}

/**
 * Cuts the page from all branches, each limited to a page, and reads only its rows in full. Where joins do not keep the
 * order, the page has the sort columns as well.
 */
export function listQuery(
  dialect: CriteriaDialect,
  target: Target,
  request: ListRequest,
  options: ListOptions,
): Query & { readonly order: string } {
  const statement = createStatement(dialect, target, request.scope);
  const { context, isHere } = statement;
  const sorted = options.plan === 'accessPaths' ? statement.plainForm : statement.sortedForm;
  const keys = sortKeys(request.order, { dialect, sorted });
  const page = pageColumns(keys);
  const branches = branchesOf(statement, keys, request, options);
  const rows = branches.map((branch, i) => `select * from (${branch}) b${i}`).join(' union ');
  const found = rows === '' ? `select ${page.select} from documents where 1 = 0` : rows;
  const columns = dialect.joinsInOrder ? options.columns : [options.columns, ...page.sortedBy].join(', ');
  const text = `select ${columns} from (
    select * from (${found}) ways order by ${page.order('')} limit ${options.size} offset ${context.params.add(request.skip)}
  ) page cross join documents cross join collections c cross join users u
  where ${isHere} and documents.id = page.id and c.id = documents.collection and u.id = documents.author`;
  return { text, values: context.params.values, order: page.order('') };
}

/** How indexes can help with a list. */
export interface QueryHints {
  /** Whether there is any index; without one a list is read in full. */
  readonly isThere: boolean;
  /** Whether the rows can be read in the requested order. */
  readonly isOrdered: boolean;
  /** Whether that order is the order of an index. */
  readonly isOrderedByIndex: boolean;
  /** Whether it is the order of the index of the ranges: the first rows of each range make up the page. */
  readonly isOrderedByRanges: boolean;
  /** The ranges that the condition gives in an index: ordered by id, of another order, or none. */
  readonly ranges: 'equal' | 'wide' | null;
  /** Counts the rows in the ranges, up to `most` in each. */
  rangeCount(most: number): Query;
}

export function helpFor(dialect: CriteriaDialect, target: Target, { where, order, scope }: ListRequest): QueryHints {
  const statement = createStatement(dialect, target, scope);
  const ranges = statement.ranges(where);
  const path = orderedBy(order, statement);
  const kind = ranges?.areEqualities === true ? 'equal' : 'wide';
  const isOrderedByIndex = path !== undefined && path !== null;
  return {
    isThere: ranges !== null || isOrderedByIndex,
    isOrdered: path !== undefined,
    isOrderedByIndex,
    isOrderedByRanges: isInOrderOf(ranges?.path, path),
    ranges: ranges === null ? null : kind,
    rangeCount(most) {
      const { from } = statement.scan(ranges?.path ?? null);
      const counted = (ranges?.ranges ?? []).map(
        (range, i) =>
          `select * from (select 1 as one from ${from} where ${statement.isHere} and ${range} limit ${most}) r${i}`,
      );
      return {
        text: `select count(*) as n from (${counted.join(' union all ')}) found`,
        values: statement.context.params.values,
      };
    },
  };
}

export function countQuery(
  dialect: CriteriaDialect,
  target: Target,
  { where, scope }: Pick<DocumentList, 'where' | 'scope'>,
): Query {
  const statement = createStatement(dialect, target, scope);
  const source = statement.readable();
  const ranges = scope.everything ? statement.ranges(where) : null;
  const filter = ranges === null ? statement.filter(where) : allOf([anyOf(ranges.ranges), ranges.rest]);
  const text = `select count(*) as n from ${source.from} where ${allOf([source.where, filter])}`;
  return { text, values: statement.context.params.values };
}

/** Columns r0, n0, t0, r1, … hold the values in the form in which they are sorted. */
export function summaryQuery(
  dialect: CriteriaDialect,
  target: Target,
  { where, groupBy, aggregates, order, skip, scope }: DocumentSummary,
  size: number,
): Query {
  const statement = createStatement(dialect, target, scope);
  const source = statement.readable();
  const { context } = statement;
  const filtered = allOf([source.where, statement.filter(where)]);
  const rows = { from: source.from, where: filtered, limit: size, offset: context.params.add(skip) };
  const text = summaryStatement({ groupBy, aggregates, order }, rows, context);
  return { text, values: context.params.values };
}
