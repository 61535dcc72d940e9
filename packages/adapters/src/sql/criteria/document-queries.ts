import {
  type AccessScope,
  type Condition,
  type DocumentList,
  type DocumentSummary,
  isCreation,
  type ListPosition,
  type OrderKey,
} from '@baobab/core';
import { rangeCount } from '../lists/index-choice.ts';
import { ALL_ROWS, WINDOW } from '../lists/list-plan.ts';
import { cut as cutOf } from '../statements/pages.ts';
import { allOf, anyOf, type CriteriaDialect, createParams, type Query, TRUE } from './dialect.ts';
import { behind, documentFields, rangesAfter, type SortKey, sortKeys } from './document-fields.ts';
import {
  createStatement,
  type IdOrder,
  type Ranges,
  type Source,
  type Statement,
  type Target,
} from './document-statement.ts';
import { summaryStatement } from './summaries.ts';

interface ListQuery extends Query {
  /** Order of the rows, by columns of the statement. */
  readonly order: string;
}

const direction = ({ descending }: SortKey) => (descending ? ' desc' : '');

/** Returns the sort columns of a page: `id`, and one for each part of a key. */
function pageColumns(keys: readonly SortKey[]) {
  let count = 0;
  const columns = keys.flatMap((key) =>
    key.columns.map((sql) => ({ sql, name: key.isId ? 'id' : `k${count++}`, key })),
  );
  return {
    /** @param id column of the ids */
    select: (id: string) => columns.map(({ sql, name }) => `${name === 'id' ? id : sql} as ${name}`).join(', '),
    /** Columns of `page` to sort by, in addition to those read from a row. */
    sortedBy: columns.filter(({ name }) => name !== 'id').map(({ name }) => `page.${name}`),
    order: (prefix: string) => columns.map(({ name, key }) => `${prefix}${name}${direction(key)}`).join(', '),
    /**
     * Returns the columns without the first `alike` ones and those in `equal`, which are equal in all rows. SQLite does
     * not detect that.
     */
    columnsWithout: (alike: number, equal: ReadonlySet<string>) =>
      columns.filter(({ sql }, at) => at >= alike && !equal.has(sql)),
    /** Sort columns other than the id, for a statement that reads the rows directly. */
    selectSorted: columns.filter(({ name }) => name !== 'id').map(({ sql, name }) => `${sql} as ${name}`),
  };
}

/**
 * Access plan of a list:
 * - `accessPaths`: reads each path that makes documents readable, sorted and limited to a page
 * - `scan`: reads in the order of the collection or of an index, or by the ordered ranges of an index
 * - `window`: reads the first documents in that order, for any filter
 * - `ranges`: reads and sorts all rows that an index finds
 * - `search`: reads and sorts all rows that the full-text index finds
 */
export type Plan = 'accessPaths' | 'scan' | 'window' | 'ranges' | 'search';

export interface ListRequest {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  readonly after: ListPosition | null;
  readonly skip: number;
  readonly scope: AccessScope;
}

export interface ListOptions {
  readonly plan: Plan;
  /** Number of rows in the page, including those skipped before it. */
  readonly size: number;
  /** Maximum number of rows to return. */
  readonly rows: number;
  /** Columns to read from a row of `documents` with its collection `c` and its author `u`. */
  readonly columns: string;
}

/** Returns the direction of an order by creation, which is that of the ids. */
export function idOrder([first]: readonly OrderKey[]): IdOrder {
  if (first === undefined) return '';
  if (!isCreation(first)) return null;
  return first.descending ? ' desc' : '';
}

/** Rows of one stretch of an index, in the requested order. */
interface Stretch {
  readonly source: Source;
  readonly conditions: readonly string[];
  /** Sort columns. */
  readonly sortedBy: readonly { readonly sql: string; readonly name: string; readonly key: SortKey }[];
}

/** Branches of a list: statements that each find some rows of the page, or a single stretch that is the whole page. */
type Branches = readonly string[] | Stretch;

const isStretch = (branches: Branches): branches is Stretch => 'source' in branches;

function branchesOf(
  statement: Statement,
  keys: readonly SortKey[],
  { where, order, after }: ListRequest,
  { plan, size }: ListOptions,
): Branches {
  const { parsed } = statement.context.dialect;
  const page = pageColumns(keys);
  const place = () => (after === null ? TRUE : behind(keys, after, statement.context.params));
  const rows = ({ from }: Source, conditions: readonly string[], id = 'documents.id') =>
    `select ${page.select(id)} from ${from} where ${allOf(conditions)}`;
  const cut = (branch: string) => `${branch} order by ${page.order('')} limit ${size}`;

  /** Returns the page in the order of an index: for each range, the rows of each stretch after the position. */
  function stretches(range: Ranges | null, depth: number, source: Source, rest: string): Branches {
    const begun = after === null ? [null] : rangesAfter(keys, depth, after, statement.context.params);
    const equal = range === null ? new Set<string>() : statement.alikeIn(range);
    const all = (range?.ranges ?? [TRUE]).flatMap((one) =>
      begun.map((stretch) => ({
        source,
        conditions: [source.where, one, rest, stretch?.where ?? TRUE],
        sortedBy: page.columnsWithout(stretch?.alike ?? 0, equal),
      })),
    );
    const [first, ...others] = all;
    if (first !== undefined && others.length === 0) return first;
    return all.map(({ conditions, sortedBy }) => {
      const sorted = sortedBy.map(({ name, key }) => `${name}${direction(key)}`).join(', ');
      return `${rows(source, conditions)} order by ${sorted} limit ${size}`;
    });
  }

  if (plan === 'accessPaths') {
    const filter = statement.filter(where);
    return statement.accessPaths(idOrder(order)).map((path) => cut(rows(path, [path.where, filter, place()], path.id)));
  }
  if (plan === 'search') {
    const source = statement.candidates(where);
    return [cut(rows(source, [source.where, statement.filter(where), place()]))];
  }
  const found = plan === 'window' ? null : statement.rangesOf(where, order);
  if (plan === 'ranges' && found !== null) {
    const { index, ranges, sortedRest } = found.narrow;
    const source = statement.scan(index);
    return ranges.map((range) =>
      cut(`select * from (${rows(source, [source.where, range, sortedRest, place()])} limit ${ALL_ROWS}) f`),
    );
  }
  const ordered = found?.ordered ?? null;
  if (ordered?.depth != null) {
    return stretches(ordered, ordered.depth, statement.scan(ordered.index), ordered.rest);
  }
  const inOrder = statement.orderedIndex(order);
  const source = statement.scan(inOrder?.index ?? null);
  if (plan === 'scan' && inOrder !== null) {
    return stretches(null, inOrder.depth, source, statement.filter(where));
  }
  const filter = statement.filter(where);
  if (plan === 'scan') return [cut(rows(source, [source.where, filter, place()]))];
  const sorted = keys.flatMap((key) => key.columns.map((sql) => `${sql}${direction(key)}`)).join(', ');
  const window = `select documents.* from ${source.from} where ${allOf([statement.isHere, place()])}
    order by ${sorted} limit ${WINDOW}`;
  return [cut(rows({ from: `(${window}) documents${parsed.from}`, where: TRUE }, [source.where, filter]))];
}

/**
 * Cuts the page from all branches, each limited to a page, and reads in full only its rows. A single stretch of an
 * index is the page. If joins do not keep the order, the page includes the sort columns.
 */
export function listQuery(
  dialect: CriteriaDialect,
  target: Target,
  request: ListRequest,
  options: ListOptions,
): ListQuery {
  const statement = createStatement(dialect, target, request.scope);
  const { context, isHere } = statement;
  const sorted = options.plan === 'accessPaths' ? statement.plainForm : statement.sortedForm;
  const keys = sortKeys(request.order, documentFields(context, sorted));
  const page = pageColumns(keys);
  const branches = branchesOf(statement, keys, request, options);
  const joined = 'c.id = documents.collection and u.id = documents.author';
  const cut = cutOf(options.rows, request.skip === 0 ? null : context.params.add(request.skip));
  const query = { values: context.params.values, order: page.order('') };
  if (isStretch(branches)) {
    const { source, conditions, sortedBy } = branches;
    const order = `order by ${sortedBy.map(({ sql, key }) => `${sql}${direction(key)}`).join(', ')}`;
    if (dialect.joinsInOrder) {
      const text = `select ${options.columns} from ${source.from} cross join collections c cross join users u
      where ${allOf([...conditions, joined])} ${order} ${cut}`;
      return { ...query, text };
    }
    // Cut before the names are joined. A join may lose the order of the index, and then reads all rows of the
    // stretch.
    const stretch = `select documents.* from ${source.from} where ${allOf(conditions)} ${order} ${cut}`;
    const text = `select ${[options.columns, ...page.selectSorted].join(', ')}
      from (${stretch}) documents${dialect.parsed.from} cross join collections c cross join users u
      where ${joined} ${order}`;
    return { ...query, text };
  }
  const rows = branches.map((branch, i) => `select * from (${branch}) b${i}`).join(' union ');
  const found = rows === '' ? `select ${page.select('documents.id')} from documents where 1 = 0` : rows;
  const columns = dialect.joinsInOrder ? options.columns : [options.columns, ...page.sortedBy].join(', ');
  const text = `select ${columns} from (
    select * from (${found}) branches order by ${page.order('')} ${cut}
  ) page cross join documents cross join collections c cross join users u
  where ${isHere} and documents.id = page.id and ${joined}`;
  return { ...query, text };
}

/** Returns how indexes help a list, with the query that counts the rows in ranges. Null if no index helps. */
export function helpFor(dialect: CriteriaDialect, target: Target, { where, order, scope }: ListRequest) {
  const statement = createStatement(dialect, target, scope);
  const found = statement.rangesOf(where, order);
  const isOrderedByIndex = statement.orderedIndex(order) !== null;
  if (found === null && !isOrderedByIndex) return null;
  return {
    found,
    isOrdered: isOrderedByIndex || idOrder(order) !== null,
    rangeCount(most: number): Query {
      const { index = null, ranges = [] } = found?.narrow ?? {};
      const here = ranges.map((range) => `${statement.isHere} and ${range}`);
      const text = rangeCount(statement.scan(index).from, here, most);
      return { text, values: statement.context.params.values };
    },
  };
}

/** @param isSearch true to find the documents by the full-text index, not by what the caller may read */
export function countQuery(
  dialect: CriteriaDialect,
  target: Target,
  { where, scope }: Pick<DocumentList, 'where' | 'scope'>,
  isSearch: boolean,
): Query {
  const statement = createStatement(dialect, target, scope);
  const source = isSearch ? statement.candidates(where) : statement.readable();
  const ranges = scope.everything ? statement.ranges(where) : null;
  const filter = ranges === null ? statement.filter(where) : allOf([anyOf(ranges.ranges), ranges.rest]);
  const text = `select count(*) as n from ${source.from} where ${allOf([source.where, filter])}`;
  return { text, values: statement.context.params.values };
}

interface SummaryOptions {
  /** Maximum number of rows. */
  readonly size: number;
  /** See `countQuery`. */
  readonly isSearch: boolean;
}

/** Composes a summary of the rows of all targets, which have the same filter and scope. */
function summaryOf(
  dialect: CriteriaDialect,
  targets: readonly Target[],
  { where, groupBy, aggregates, order, skip, scope }: DocumentSummary,
  { size, isSearch }: SummaryOptions,
): Query {
  const params = createParams(dialect.typed);
  const statements = targets.map((target) => createStatement(dialect, target, scope, params));
  const [first] = statements;
  if (first === undefined) throw new Error('a summary needs a collection');
  const sources = statements.map((statement) => {
    const { from, where: isReadable } = isSearch ? statement.candidates(where) : statement.readable();
    return { from, where: allOf([isReadable, statement.filter(where)]) };
  });
  const rows = { sources, limit: size, offset: params.add(skip) };
  return { text: summaryStatement({ groupBy, aggregates, order }, rows, first.context), values: params.values };
}

/** Returns the query of a summary, see `countQuery`. Columns r0, n0, t0, r1, … contain the values in their sorted form. */
export function summaryQuery(
  dialect: CriteriaDialect,
  target: Target,
  summary: DocumentSummary,
  options: SummaryOptions,
): Query {
  const { parts } = target;
  if (parts === undefined) return summaryOf(dialect, [target], summary, options);
  let hasElements = false;
  const watched: CriteriaDialect = {
    ...dialect,
    elements(...args) {
      hasElements = true;
      return dialect.elements(...args);
    },
  };
  const query = summaryOf(watched, [target], summary, options);
  // The nodes group their rows. Citus cannot do that if a statement on several shards reads the elements of an array.
  // It then reads the rows of each part, and groups them together.
  const each = parts.map((part) => ({ ...target, parts: [part] }));
  return hasElements ? summaryOf(dialect, each, summary, options) : query;
}

/**
 * Returns the query that counts the documents that the caller inherits, up to `most`. Null if they are not found by an
 * index.
 */
export function inheritedCountQuery(
  dialect: CriteriaDialect,
  target: Target,
  scope: AccessScope,
  most: number,
): Query | null {
  const statement = createStatement(dialect, target, scope);
  const path = statement.inheritedPath();
  if (path === null) return null;
  const text = `select count(*) as n from (select 1 as one from ${path.from} where ${path.where} limit ${most}) few`;
  return { text, values: statement.context.params.values };
}
