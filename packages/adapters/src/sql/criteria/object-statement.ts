import {
  type Condition,
  type IndexedList,
  type IndexedPath,
  indexedPathOf,
  isPlain,
  type ListPosition,
  type OrderKey,
  type Path,
} from '@baobab/core';
import {
  alikeIn,
  type IndexedFilter,
  indexedFilters,
  orderedIndex,
  type ReadyIndex,
  type RequestedOrder,
} from '../lists/index-choice.ts';
import type { ListedColumns } from '../statements/pages.ts';
import { type Context, compileCondition, type Resolve } from './conditions.ts';
import {
  allOf,
  type CriteriaDialect,
  createParams,
  type Params,
  type Query,
  type SqlValueForm,
  TRUE,
} from './dialect.ts';
import { type SortColumn, type SortKey, sortKeys } from './document-fields.ts';
import { pathKey } from './index-keys.ts';
import { keyForm, type ListTable, sortedForm } from './list-fields.ts';

/** The queried rows: users, files or assets. */
export interface ObjectSource {
  /** Columns to read. */
  readonly columns: string;
  /** The same columns as a list returns them. */
  readonly listed: ListedColumns;
  readonly table: ListTable;
  /** Returns the `from` clause. @param table the table with its alias, or a replacement */
  from(table: string): string;
  /** Condition on the rows, in addition to the criteria. */
  readonly where: string;
  /** Returns the meaning of a field in a row. */
  readonly resolve: Resolve;
  /** Returns the sort column of a field if it is not the value: for ids and texts. It is unique in each row. */
  sortColumn(key: OrderKey): SortColumn | null;
  /** Support for searches in the whole list. Null if the rows are found in other ways. */
  readonly whole: WholeList | null;
}

interface WholeList {
  /** List whose indexes serve the search. */
  readonly list: IndexedList;
  /** Returns true if the indexes contain the values that criteria see at a path. */
  isIndexed(path: Path): boolean;
  /** Returns a statement with the ids of all possible matches, if these may be few. Otherwise null. */
  within(where: Condition | null): string | null;
}

/** Builds the source of one statement, whose first parameters are the source's. */
export type MakeSource = (params: Params, dialect: CriteriaDialect) => ObjectSource;

/**
 * Ranges of an index that contain the matching rows, and the remaining condition. It includes the time limit even if
 * the index covers the whole filter, because each row is checked for visibility to the caller.
 */
export interface ObjectRanges extends Omit<IndexedFilter, 'others'> {
  readonly rest: string;
}

/** A path that is in no index. */
const NOWHERE: Path = [''];

/** Returns the id column. */
export const idOf = ({ table }: Pick<ObjectSource, 'table'>) => `${table.alias}.id`;

/** Creates the parts shared by all statements on the rows of a source. */
export function createObjectStatement(dialect: CriteriaDialect, make: MakeSource, ready: readonly ReadyIndex[]) {
  const params = createParams(dialect.typed);
  const source = make(params, dialect);
  const { table, whole } = source;
  const context: Context = { dialect, params, resolve: source.resolve };
  const named = table.alias === table.name ? table.name : `${table.name} ${table.alias}`;
  const work = dialect.work('0', null);
  const indexed = whole === null ? [] : ready;
  const indexedPaths = new Set(indexed.flatMap(({ paths }) => paths.map(pathKey)));

  const hasIndex = (path: IndexedPath): path is Path =>
    isPlain(path) && indexedPaths.has(pathKey(path)) && whole?.isIndexed(path) === true;
  const formOf = (path: IndexedPath): SqlValueForm | null => (hasIndex(path) ? sortedForm(path, context) : null);

  /** Returns the order, as far as indexes can provide it. */
  const requested = (order: readonly OrderKey[]): RequestedOrder => ({
    keys: order.map((key) => {
      const column = source.sortColumn(key);
      if (column?.kind === 'id') return key;
      const path = indexedPathOf(key);
      return column === null && path !== null && hasIndex(path) ? key : { ...key, path: NOWHERE };
    }),
    isById: (key) => source.sortColumn(key)?.kind === 'id',
  });

  function withRest({ others, ...filter }: IndexedFilter): ObjectRanges {
    return { ...filter, rest: allOf([work, ...others.map((condition) => compileCondition(condition, context))]) };
  }

  return {
    source,
    context,
    params,
    /** Returns all rows, read by an index or in any other way. */
    rows: (index: ReadyIndex | null = null) => source.from(`${named}${index === null ? '' : dialect.hint(index.name)}`),
    /** Returns the first rows in the order of a column, from a position. */
    firstRows(
      { columns: [column = ''], descending, marks }: SortKey,
      after: ListPosition | null,
      most: number,
    ): string {
      const bare = column.slice(column.indexOf('.') + 1);
      const begun = after === null ? TRUE : `${bare} ${descending ? '<=' : '>='} ${marks(after, params)[0]}`;
      const first = `select * from ${table.name} where ${begun} order by ${bare}${descending ? ' desc' : ''} limit ${most}`;
      return source.from(`(${first}) ${table.alias}`);
    },
    /** Compiles a filter without an index. */
    filter: (where: Condition | null) => allOf([work, where === null ? TRUE : compileCondition(where, context)]),
    keys: (order: readonly OrderKey[]) =>
      sortKeys(order, { id: idOf(source), column: source.sortColumn, form: (key) => keyForm(key, context) }),
    /** Returns the index with the requested order, or a prefix of it. Null if there is none. */
    orderedIndex: (order: readonly OrderKey[]) => orderedIndex(indexed, requested(order)),
    /** Returns the ranges of the narrowest index, and of the narrowest with ranges in the requested order. */
    rangesOf: (where: Condition | null, order: readonly OrderKey[]) =>
      indexedFilters(where, requested(order), { indexes: indexed, formOf, params }, withRest),
    /** Returns the columns that are equal in all rows of a range. */
    alikeIn: (range: ObjectRanges) => alikeIn(range, formOf),
    /** Returns a statement with the ids of all possible matches, or null if these are not known to be few. */
    within: (where: Condition | null) => whole?.within(where) ?? null,
    query: (text: string): Query => ({ text, values: params.values }),
  };
}

export type ObjectStatement = ReturnType<typeof createObjectStatement>;
