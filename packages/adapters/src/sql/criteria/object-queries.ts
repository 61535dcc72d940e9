import {
  type Condition,
  type ListPosition,
  type OrderKey,
  type Path,
  SORTED_LENGTH,
  type SummaryRequest,
  type SummaryRow,
} from '@baobab/core';
import { type ListedColumns, readBounded } from '../bounded.ts';
import type { SqlExecutor } from '../executor.ts';
import { compileCondition } from './conditions.ts';
import type { CriteriaDialect } from './dialect.ts';
import { type Context, formOf, type Resolve } from './operands.ts';
import { behind, formMarks, idKey, type SortKey } from './order.ts';
import { createParams, type Params } from './params.ts';
import { allOf, TRUE } from './scalars.ts';
import { type SummaryCells, summaryOrder, summaryRowColumns, summaryStatement, toSummaryRow } from './summaries.ts';

/** The queried rows: users, files or assets. */
interface ObjectSource {
  /** The columns to read. */
  readonly columns: string;
  /** The same columns as a list returns them. */
  readonly listed: ListedColumns;
  readonly from: string;
  /** A condition on the rows besides that of the criteria. */
  readonly where: string;
  /** The id column. */
  readonly id: string;
  /** The meaning of a field in a row. */
  readonly resolve: Resolve;
  /** The column that a field is sorted by if that is not its value: for ids and texts. */
  sortColumn(path: Path): string | null;
}

/** Builds the source of one statement, whose first parameters are the source's. */
export type MakeSource = (params: Params, dialect: CriteriaDialect) => ObjectSource;

export interface ObjectList {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  readonly after: ListPosition | null;
  readonly skip: number;
  readonly limit: number;
  readonly maxBytes?: number;
}

export interface ObjectSummary extends SummaryRequest {
  readonly where: Condition | null;
  readonly skip: number;
  readonly limit: number;
  readonly maxBytes?: number;
}

/** A constant does not sort anything, and a number in `order by` would refer to a column. */
const isLiteral = (sql: string) => /^(?:[\d.]+|'[^']*')$/.test(sql);

/** The key for one field; null when it is constant. */
function keyOf({ path, descending }: OrderKey, at: number, source: ObjectSource, context: Context): SortKey | null {
  const column = source.sortColumn(path);
  if (column === source.id) return idKey(descending, source.id);
  if (column !== null) {
    return {
      columns: [column],
      descending,
      marks: ({ keys }, params) => [params.text(typeof keys[at] === 'string' ? keys[at] : '')],
    };
  }
  const { rank, num, txt } = formOf(context.resolve(path), context);
  const parts = [rank, num, isLiteral(txt) ? txt : context.dialect.head(txt, SORTED_LENGTH)];
  const columns = parts.filter((part) => !isLiteral(part));
  if (columns.length === 0) return null;
  return {
    columns,
    descending,
    marks: ({ keys }, params) =>
      formMarks(keys[at] ?? null, params).filter((_mark, part) => columns.includes(parts[part] ?? '')),
  };
}

/** The id ends the keys: it is unique, so later ones have no effect. */
function sortKeys(order: readonly OrderKey[], source: ObjectSource, context: Context): SortKey[] {
  const end = order.findIndex(({ path }) => source.sortColumn(path) === source.id);
  const named = (end === -1 ? order : order.slice(0, end + 1)).map((key, at) => keyOf(key, at, source, context));
  const keys = named.filter((key) => key !== null);
  return end === -1 ? [...keys, idKey(false, source.id)] : keys;
}

/** Runs criteria on the rows of a source. */
export function createObjectQueries(executor: SqlExecutor) {
  const { criteria } = executor;

  async function statement(make: MakeSource, where: Condition | null) {
    await criteria.prepare(executor);
    const params = createParams(criteria.typed);
    const source = make(params, criteria);
    let aliases = 0;
    const context: Context = { dialect: criteria, params, resolve: source.resolve, alias: () => `e${++aliases}` };
    const filter = allOf([
      source.where,
      criteria.work('0', null),
      where === null ? TRUE : compileCondition(where, context),
    ]);
    return { source, context, params, filter };
  }

  return {
    async list<Row>(make: MakeSource, { where, order, after, skip, limit, maxBytes }: ObjectList): Promise<Row[]> {
      const { source, context, params, filter } = await statement(make, where);
      const keys = sortKeys(order, source, context);
      const isBehind = after === null ? TRUE : behind(keys, after, params);
      // Only the sort keys are sorted; the rows are read afterwards, one by one.
      const sorted = keys
        .flatMap(({ columns, descending }) => columns.map((sql) => ({ sql, direction: descending ? ' desc' : '' })))
        .map((key, at) => ({ ...key, name: `sorted${at}` }));
      const sortedBy = sorted.map(({ name, direction }) => `${name}${direction}`).join(', ');
      const page = `select ${source.id} as page_id, ${sorted.map(({ sql, name }) => `${sql} as ${name}`).join(', ')}
        from ${source.from} where ${allOf([filter, isBehind])}
        order by ${sortedBy} limit ${params.add(limit)} offset ${params.add(skip)}`;
      const columns = criteria.joinsInOrder ? source.columns : `${source.columns}, page.*`;
      const text = `select ${columns} from (${page}) page cross join ${source.from} where ${source.id} = page.page_id`;
      return readBounded(executor, 'search', {
        text,
        values: params.values,
        columns: source.listed,
        order: sortedBy,
        rows: limit,
        maxBytes,
      });
    },

    async count(make: MakeSource, where: Condition | null): Promise<number> {
      const { source, params, filter } = await statement(make, where);
      const text = `select count(*) as n from ${source.from} where ${filter}`;
      const [row] = await executor.search<{ n: number }>(text, params.values);
      return row?.n ?? 0;
    },

    async summarize(
      make: MakeSource,
      { where, skip, limit, maxBytes, ...summary }: ObjectSummary,
    ): Promise<SummaryRow[]> {
      const { source, context, params, filter } = await statement(make, where);
      const rows = { from: source.from, where: filter, limit: params.add(limit), offset: params.add(skip) };
      const text = summaryStatement(summary, rows, context);
      const cells = await readBounded<SummaryCells>(executor, 'search', {
        text,
        values: params.values,
        columns: summaryRowColumns(summary),
        order: summaryOrder(summary),
        rows: limit,
        maxBytes,
      });
      return cells.map((row) => toSummaryRow(row, summary));
    },
  };
}
