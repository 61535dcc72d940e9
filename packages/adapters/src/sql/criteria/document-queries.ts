import type { Condition, DocumentList, DocumentSummary, ListPosition, OrderKey, Path, Reach } from '@baobab/core';
import type { SqlValue } from '../executor.ts';
import type { CriteriaDialect } from './dialect.ts';
import { createStatement, type Source, type Statement, type Target } from './document-statement.ts';
import { pathKey } from './index-keys.ts';
import { behind, isCreation, type SortKey, sortKeys, stretchesBehind } from './order.ts';
import { allOf, anyOf, TRUE } from './scalars.ts';
import { summaryStatement } from './summaries.ts';

export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const direction = ({ descending }: SortKey) => (descending ? ' desc' : '');

/** Rows of a page with what they are sorted by: `id` and one column for each part of a key. */
function pageColumns(keys: readonly SortKey[]) {
  let count = 0;
  const columns = keys.flatMap((key) =>
    key.columns.map((sql) => ({ sql, name: sql === 'documents.id' ? 'id' : `k${count++}`, key })),
  );
  return {
    select: columns.map(({ sql, name }) => `${sql} as ${name}`).join(', '),
    order: (prefix: string) => columns.map(({ name, key }) => `${prefix}${name}${direction(key)}`).join(', '),
    /** The order of rows whose first columns are alike: SQLite does not see that they are. */
    orderOfAlike: (alike: number) =>
      columns
        .slice(alike)
        .map(({ name, key }) => `${name}${direction(key)}`)
        .join(', '),
  };
}

/**
 * How a list is read:
 * `ways` from each way that makes documents readable, in turn sorted and cut off after a page;
 * `scan` in the order of the collection or of an index, or by the ranges of one that are in order;
 * `window` from the first documents in that order, whatever the condition;
 * `ranges` all that an index finds, sorted.
 */
export type Plan = 'ways' | 'scan' | 'window' | 'ranges';

/** Documents that a window has. */
const WINDOW = 2000;

/** More rows than there are: what stands before it is done by itself, and not mixed with what stands around it. */
const ALL_ROWS = 1_000_000_000;

export interface ListRequest {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  readonly after: ListPosition | null;
  readonly skip: number;
  readonly reach: Reach;
}

export interface ListOptions {
  readonly plan: Plan;
  /** Rows at most. */
  readonly size: number;
  /** What is read of a row of `documents` with its collection `c` and its author `u`. */
  readonly columns: string;
}

/** Whose index has the order asked for; null for the order of the ids, undefined for none. */
function orderedBy([first]: readonly OrderKey[], { isIndexed }: Statement): Path | null | undefined {
  if (first === undefined || isCreation(first)) return null;
  return isIndexed(first.path) ? first.path : undefined;
}

/** Whether rows come in the order asked for from the index that the ranges are of. */
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

  /** The page in the order of an index: of each range, what stands in each stretch behind the position. */
  function stretches(of: readonly (string | null)[], source: Source, rest: string): string[] {
    const begun = after === null ? [null] : stretchesBehind(keys, after, statement.context.params);
    return of.flatMap((range) =>
      begun.map((stretch) => {
        const conditions = [source.where, range ?? TRUE, rest, stretch?.where ?? TRUE];
        const alike = Math.max(stretch?.alike ?? 0, range === null ? 0 : 1);
        return `${rows(source, conditions)} order by ${page.orderOfAlike(alike)} limit ${size}`;
      }),
    );
  }

  if (plan === 'ways') {
    const filter = statement.filter(where);
    return statement.ways().map((way) => cut(rows(way, [way.where, filter, place()])));
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

/** The page is cut from all branches, each cut off after a page, and only its rows are read. */
export function listQuery(dialect: CriteriaDialect, target: Target, request: ListRequest, options: ListOptions): Query {
  const statement = createStatement(dialect, target, request.reach);
  const { context, isHere } = statement;
  const sorted = options.plan === 'ways' ? statement.plainForm : statement.sortedForm;
  const keys = sortKeys(request.order, { dialect, sorted });
  const page = pageColumns(keys);
  const branches = branchesOf(statement, keys, request, options);
  const rows = branches.map((branch, i) => `select * from (${branch}) b${i}`).join(' union ');
  const found = rows === '' ? `select ${page.select} from documents where 1 = 0` : rows;
  const text = `select ${options.columns} from (
    select * from (${found}) ways order by ${page.order('')} limit ${options.size} offset ${context.params.add(request.skip)}
  ) page cross join documents join collections c on c.id = documents.collection join users u on u.id = documents.author
  where ${isHere} and documents.id = page.id order by ${page.order('page.')}`;
  return { text, values: context.params.values };
}

/** What indexes can do for a list. */
export interface Help {
  /** Whether there is any: without it a list is read whole. */
  readonly isThere: boolean;
  /** Whether the rows can be read in the order asked for. */
  readonly isOrdered: boolean;
  /** Whether that order is the one of an index. */
  readonly isOrderedByIndex: boolean;
  /** Whether it is that of the index whose ranges they are: the first rows of each range make the page. */
  readonly isOrderedByRanges: boolean;
  /** What the condition makes of an index: ranges that are in the order of the ids, others, or nothing. */
  readonly ranges: 'equal' | 'wide' | null;
  /** Counts what is in the ranges, up to `most` in each. */
  rangeCount(most: number): Query;
}

export function helpFor(dialect: CriteriaDialect, target: Target, { where, order, reach }: ListRequest): Help {
  const statement = createStatement(dialect, target, reach);
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
  { where, reach }: Pick<DocumentList, 'where' | 'reach'>,
): Query {
  const statement = createStatement(dialect, target, reach);
  const source = statement.readable();
  const ranges = reach.everything ? statement.ranges(where) : null;
  const filter = ranges === null ? statement.filter(where) : allOf([anyOf(ranges.ranges), ranges.rest]);
  const text = `select count(*) as n from ${source.from} where ${allOf([source.where, filter])}`;
  return { text, values: statement.context.params.values };
}

/** Columns r0, n0, t0, r1, … hold the values in the form in which they are sorted. */
export function summaryQuery(
  dialect: CriteriaDialect,
  target: Target,
  { where, groupBy, aggregates, order, skip, reach }: DocumentSummary,
  size: number,
): Query {
  const statement = createStatement(dialect, target, reach);
  const source = statement.readable();
  const { context } = statement;
  const filtered = allOf([source.where, statement.filter(where)]);
  const rows = { from: source.from, where: filtered, limit: size, offset: context.params.add(skip) };
  const text = summaryStatement({ groupBy, aggregates, order }, rows, context);
  return { text, values: context.params.values };
}
