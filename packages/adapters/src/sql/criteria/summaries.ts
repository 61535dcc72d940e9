import { type Aggregate, type Path, roundAggregate, type SummaryRequest, type SummaryRow } from '@baobab/core';
import type { SqlValue } from '../statements/executor.ts';
import type { ListedColumns } from '../statements/pages.ts';
import { type Context, formOf } from './conditions.ts';
import { isBeyond, NOTHING, type SqlValueForm } from './dialect.ts';

export interface SummaryShape {
  readonly groupBy: readonly Path[];
  readonly aggregates: readonly Aggregate[];
}

/** Returns the expressions that an aggregate needs from each row, with the names that `aggregateOf` uses. */
function ingredients({ name, path }: Aggregate, at: number, context: Context): string[] {
  if (path === null) return [];
  const { dialect, params } = context;
  const meaning = context.resolve(path);
  if (name === 'sum' || name === 'avg') {
    if (meaning.kind === 'json' && !isBeyond(meaning.place.steps))
      return [`${dialect.addend(meaning.place, params)} as v${at}`];
    const { rank, num } = meaning.kind === 'json' ? NOTHING : formOf(meaning, context);
    return [`case when ${rank} = 2 then ${num} end as v${at}`];
  }
  const { rank, num, txt } = formOf(meaning, context);
  return name === 'count' ? [`${rank} as a${at}`] : [`${rank} as a${at}`, `${num} as b${at}`, `${txt} as c${at}`];
}

/**
 * Returns the minimum or maximum across types: the extreme of the type that is first (or last) in the order of types.
 */
function extreme(name: 'min' | 'max', at: number): SqlValueForm {
  const of = (rank: number, column: string) => `${name}(case when a${at} = ${rank} then ${column}${at} end)`;
  const best = [
    { rank: 1, sql: of(1, 'b') },
    { rank: 2, sql: of(2, 'b') },
    { rank: 3, sql: of(3, 'c') },
  ];
  const ordered = name === 'min' ? best : best.toReversed();
  const choose = (then: (of: { rank: number; sql: string }) => string | null, otherwise: string) => {
    const cases = ordered.map((of) => `when ${of.sql} is not null then ${then(of) ?? otherwise}`);
    return `case ${cases.join(' ')} else ${otherwise} end`;
  };
  return {
    rank: choose(({ rank }) => String(rank), '0'),
    num: choose(({ rank, sql }) => (rank === 3 ? null : sql), '0.0'),
    txt: choose(({ rank, sql }) => (rank === 3 ? sql : null), "''"),
  };
}

function aggregateOf({ name, path }: Aggregate, at: number, { dialect }: Context): SqlValueForm {
  switch (name) {
    case 'count':
      return { ...NOTHING, rank: '2', num: path === null ? 'count(*)' : `count(case when a${at} <> 0 then 1 end)` };
    case 'sum':
      return { ...NOTHING, rank: '2', num: `coalesce(${dialect.total('sum', `v${at}`)}, 0)` };
    case 'avg': {
      const rank = `case when count(v${at}) = 0 then 0 else 2 end`;
      return { ...NOTHING, rank, num: `coalesce(${dialect.total('avg', `v${at}`)}, 0)` };
    }
    case 'min':
    case 'max':
      return extreme(name, at);
  }
}

/** Returns the columns of a summary: `r0`, `n0`, `t0` and so on contain the values in their sorted form. */
function summaryColumns({ groupBy, aggregates }: SummaryShape, context: Context) {
  const groups = groupBy.map((path, at) => {
    const { rank, num, txt } = formOf(context.resolve(path), context);
    return [
      `case when ${rank} between 1 and 3 then ${rank} else 0 end as r${at}`,
      `${num} as n${at}`,
      `${txt} as t${at}`,
    ];
  });
  const values = aggregates.map((aggregate, i) => {
    const at = groupBy.length + i;
    const { rank, num, txt } = aggregateOf(aggregate, at, context);
    return [`${rank} as r${at}`, `${num} as n${at}`, `${txt} as t${at}`];
  });
  const names = groupBy.map((_path, at) => `r${at}, n${at}, t${at}`);
  const needed = aggregates.flatMap((aggregate, i) => ingredients(aggregate, groupBy.length + i, context));
  return {
    /** Columns of each row. */
    computed: ['1 as one', ...groups.flat(), ...needed].join(', '),
    /** Columns of each group. */
    selected: [...names, ...values.flat()].join(', '),
    grouping: names.length === 0 ? '' : ` group by ${names.join(', ')}`,
  };
}

export interface SummarySource {
  /** Rows to group. */
  readonly sources: readonly { readonly from: string; readonly where: string }[];
  /** Maximum number of rows to read. An expression, like `offset`. */
  readonly limit: string | number;
  readonly offset: string;
}

/** Returns the order of the rows, by their columns. */
export function summaryOrder({ order, groupBy }: Pick<SummaryRequest, 'order' | 'groupBy'>): string {
  const keys = [...order, ...groupBy.map((_path, column) => ({ column, descending: false }))].flatMap(
    ({ column, descending }) => ['r', 'n', 't'].map((part) => `${part}${column}${descending ? ' desc' : ''}`),
  );
  return keys.length === 0 ? 'r0' : keys.join(', '); // a single row
}

/** Returns a statement that groups rows, in the requested order and then by all group values. */
export function summaryStatement(
  { order, ...shape }: SummaryShape & SummaryRequest,
  { sources, limit, offset }: SummarySource,
  context: Context,
): string {
  const { computed, selected, grouping } = summaryColumns(shape, context);
  const rows = sources.map(({ from, where }) => `select ${computed} from ${from} where ${where}`).join(' union all ');
  return `select * from (select ${selected} from (${rows}) found${grouping}) summary
    order by ${summaryOrder({ order, ...shape })} limit ${limit} offset ${offset}`;
}

/** Returns the positions of the columns: all group values, then all aggregates. */
const placesOf = ({ groupBy, aggregates }: SummaryShape) => Array.from([...groupBy, ...aggregates].keys());

export const summaryRowColumns = (shape: SummaryShape): ListedColumns => ({
  names: placesOf(shape).flatMap((at) => [`r${at}`, `n${at}`, `t${at}`]),
  heavy: placesOf(shape).map((at) => `t${at}`),
});

/** A row as returned by the database. */
export type SummaryCells = Readonly<Record<string, SqlValue>>;

export function toSummaryRow(cells: SummaryCells, { groupBy, aggregates }: SummaryShape): SummaryRow {
  const names = [...groupBy.map(() => null), ...aggregates.map(({ name }) => name)];
  return names.map((name, at) => {
    const number = Number(cells[`n${at}`]);
    switch (Number(cells[`r${at}`])) {
      case 1:
        return number === 1;
      case 2:
        return name === 'sum' || name === 'avg' ? roundAggregate(number) : number;
      case 3:
        return String(cells[`t${at}`]);
      default:
        return null;
    }
  });
}
