import type { ListPage } from '@baobab/core';
import { ALL_ROWS, WINDOW } from '../lists/list-plan.ts';
import { cut, pageSize } from '../statements/pages.ts';
import { allOf, type Params, type Query, TRUE } from './dialect.ts';
import { behind, rangesAfter, type SortKey } from './document-fields.ts';
import { idOf, type ObjectStatement } from './object-statement.ts';

/**
 * Access plan of a page:
 * - `all`: reads all rows, in any way
 * - `within`: reads the few rows that can match
 * - `scan`: reads in the order of an index, or by its ordered ranges
 * - `ranges`: reads and sorts all rows that an index finds
 * - `window`: reads the first rows in the requested order, for any filter
 */
export type ObjectPlan = 'all' | 'within' | 'scan' | 'ranges' | 'window';

interface Column {
  readonly sql: string;
  readonly name: string;
  readonly direction: string;
}

/** One source of rows for the page, sorted by these columns. */
interface Branch {
  readonly from: string;
  readonly where: string;
  readonly sortedBy: readonly Column[];
  /** True if the rows are found first, and then sorted. */
  readonly isGathered?: boolean;
}

/** Returns the branches in the order of an index: for each range, the stretches after the position. */
function orderedBranches(
  statement: ObjectStatement,
  { where, order, after }: ListPage,
  { keys, columns }: { readonly keys: readonly SortKey[]; readonly columns: readonly Column[] },
): Branch[] {
  const { source, params } = statement;
  const found = statement.rangesOf(where, order)?.ordered ?? null;
  const walked = found ?? statement.orderedIndex(order);
  const from = statement.rows(walked?.index ?? null);
  const alike = found === null ? new Set<string>() : statement.alikeIn(found);
  const depth = walked?.depth ?? 0;
  const isSeekable = keys.slice(0, depth).every((key) => key.columns.every((sql) => !alike.has(sql)));
  const place = () => (after === null ? TRUE : behind(keys, after, params));
  const stretches =
    after === null || !isSeekable ? [{ where: place(), alike: 0 }] : rangesAfter(keys, depth, after, params);
  const rest = found === null ? statement.filter(where) : found.rest;
  return (found?.ranges ?? [TRUE]).flatMap((range) =>
    stretches.map((stretch) => ({
      from,
      where: allOf([source.where, range, rest, stretch.where]),
      sortedBy: columns.filter(({ sql }, at) => at >= stretch.alike && !alike.has(sql)),
    })),
  );
}

function branchesOf(
  statement: ObjectStatement,
  page: ListPage,
  plan: ObjectPlan,
  { keys, columns }: { readonly keys: readonly SortKey[]; readonly columns: readonly Column[] },
): Branch[] {
  const { source } = statement;
  const { where, order, after } = page;
  if (plan === 'scan') return orderedBranches(statement, page, { keys, columns });
  const place = after === null ? TRUE : behind(keys, after, statement.params);
  if (plan === 'ranges') {
    const narrow = statement.rangesOf(where, order)?.narrow;
    const from = statement.rows(narrow?.index ?? null);
    return (narrow?.ranges ?? []).map((range) => ({
      from,
      where: allOf([source.where, range, narrow?.rest ?? TRUE, place]),
      sortedBy: columns,
      isGathered: true,
    }));
  }
  const [first] = keys;
  const from = plan === 'window' && first !== undefined ? statement.firstRows(first, after, WINDOW) : statement.rows();
  const among = plan === 'within' ? `${idOf(source)} in (${statement.within(where)})` : TRUE;
  return [{ from, where: allOf([source.where, among, statement.filter(where), place]), sortedBy: columns }];
}

const orderOf = (columns: readonly Column[]) => columns.map(({ name, direction }) => `${name}${direction}`).join(', ');

interface Limits {
  /** Row limit of each branch. */
  readonly wanted: string | number;
  /** Clause that cuts the page from all branches. */
  readonly cut: string;
}

/**
 * SQLite reads rows on demand, and treats a constant as the number of rows, which changes the order of joins.
 * Postgres needs a constant: a plan for an unknown limit assumes a tenth of the rows.
 */
function limitsOf({ skip, limit }: ListPage, joinsInOrder: boolean, params: Params): Limits {
  if (joinsInOrder) {
    const given = `limit ${params.add(limit)} offset ${params.add(skip)}`;
    return { wanted: params.add(skip + limit), cut: given };
  }
  return { wanted: pageSize(skip + limit), cut: cut(pageSize(limit), skip === 0 ? null : params.add(skip)) };
}

/**
 * Returns a statement that finds a page, and possibly a few more rows. It sorts only the sort keys, and then reads
 * the rows one by one.
 */
export function pageQuery(
  statement: ObjectStatement,
  page: ListPage,
  plan: ObjectPlan,
): Query & { readonly order: string } {
  const { source, params, context } = statement;
  const keys = statement.keys(page.order);
  const columns = keys
    .flatMap((key) => key.columns.map((sql) => ({ sql, direction: key.descending ? ' desc' : '' })))
    .map((column, at) => ({ ...column, name: `sorted${at}` }));
  const id = idOf(source);
  const selected = [`${id} as page_id`, ...columns.map(({ sql, name }) => `${sql} as ${name}`)].join(', ');
  const branches = branchesOf(statement, page, plan, { keys, columns });
  const { wanted, cut } = limitsOf(page, context.dialect.joinsInOrder, params);
  const all = branches.map(({ from, where, sortedBy, isGathered = false }) => {
    const rows = `select ${selected} from ${from} where ${where}`;
    const gathered = isGathered ? `select * from (${rows} limit ${ALL_ROWS}) gathered` : rows;
    return `${gathered} order by ${sortedBy.length === 0 ? 'page_id' : orderOf(sortedBy)}`;
  });
  const [only = '', ...others] = all;
  const rows = all.map((branch, i) => `select * from (${branch} limit ${wanted}) b${i}`).join(' union all ');
  const ordered = others.length === 0 ? only : `select * from (${rows}) ways order by ${orderOf(columns)}`;
  const read = context.dialect.joinsInOrder ? source.columns : `${source.columns}, page.*`;
  const text = `select ${read} from (${ordered} ${cut}) page cross join ${statement.rows()}
    where ${id} = page.page_id`;
  return { ...statement.query(text), order: orderOf(columns) };
}

/** Returns a query that counts ids, up to a limit. */
export const idCountQuery = (statement: ObjectStatement, ids: string, most: number): Query =>
  statement.query(`select count(*) as n from (select 1 as one from (${ids}) visible limit ${most}) found`);
