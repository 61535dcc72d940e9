import type { PathStep } from '@baobab/core';
import type { SqlExecutor } from '../executor.ts';
import type { MarkType, Params } from './params.ts';

/**
 * A JSON value in SQL: three expressions that are never null, so that values of all types compare and sort as a row
 * (rank, num, txt).
 */
export interface SqlValueForm {
  /** 0 absent or null, 1 boolean, 2 number, 3 text, 4 array or object. */
  readonly rank: string;
  /** A double: the number, 0 or 1 for a boolean, 0 for all other types. */
  readonly num: string;
  /** The text, compared by code point. Empty for all other types. */
  readonly txt: string;
}

/** A JSON value: an expression, and the steps from there. */
export interface JsonPlace {
  readonly base: string;
  readonly steps: readonly PathStep[];
}

interface JsonElements {
  /** Expression for the `from` clause. */
  readonly from: string;
  readonly value: SqlValueForm;
  /** The element as a base. Only valid if `isObject` is true. */
  readonly base: string;
  readonly isObject: string;
}

/** Differences between the JSON functions of the two databases. Boolean results are SQL conditions. */
export interface CriteriaDialect {
  /** Content of a row of `documents`, in the form used by indexes. */
  readonly content: string;
  /** The content for filters without an index, parsed once for all of them by the expression in `from`. */
  readonly parsed: { readonly base: string; readonly from: string };
  /** Returns a text column with JSON as a base of places. Null if the column is null. */
  json(text: string): string;
  /** Functions that build an object from alternating names and values, and an array from values. */
  readonly make: { readonly object: string; readonly array: string };
  /** Returns a parameter mark, with a cast if the database cannot infer the type. */
  typed(mark: string, type: MarkType): string;
  /** Returns a suffix for the name of a table that forces this index. Empty if the database chooses well. */
  hint(index: string): string;
  /**
   * True if `cross join`ed tables are read row by row in the given order, so that rows keep the order of the first
   * table and need not be sorted in memory.
   */
  readonly joinsInOrder: boolean;
  /** Looks up data required to compile the first statement. Returns null if nothing is missing. */
  prepare(executor: SqlExecutor): Promise<void> | null;
  value(place: JsonPlace, params: Params): SqlValueForm;
  /** Returns the number of elements of an array, or -1 for any other value. */
  size(place: JsonPlace, params: Params): string;
  /** Returns the elements of the array at this place, or none for any other value. */
  elements(place: JsonPlace, alias: string, params: Params): JsonElements;
  /**
   * Returns a condition that is true, or stops a search that has taken too long. It precedes the slow conditions.
   *
   * @param sample an integer of the row, used to check only some rows
   * @param bytes size of the row, if it varies
   */
  work(sample: string, bytes: string | null): string;
  /** @param pattern canonical */
  like(txt: string, pattern: string, params: Params): string;
  containsText(txt: string, part: string, params: Params): string;
  /**
   * Like `containsText`, optimized for a JSON column with few matching rows.
   *
   * @param part short and not empty
   */
  containsPart(text: string, part: string, params: Params): string;
  /** Returns a prefix of this many code points. */
  head(txt: string, length: number): string;
  lengthOf(txt: string): string;
  toLowerCase(txt: string): string;
  toUpperCase(txt: string): string;
  /** Converts an expression of another type to text. */
  textOf(sql: string): string;
  /** Converts milliseconds to the API's time format. */
  wireDate(milliseconds: string): string;
  /** Returns the distance between two points, in kilometers. @param of latitude and longitude of each, in degrees */
  kilometres(of: readonly [string, string, string, string]): string;
  /** Returns the number at a place for exact addition, or null for any other value. */
  addend(place: JsonPlace, params: Params): string;
  /** Returns the sum or average of addends, to 15 significant digits. Null without addends. */
  total(name: 'sum' | 'avg', column: string): string;
}

/** Names that may be inlined in a statement, as in the definition of an index. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Maximum array index that both databases accept. */
const MAX_INDEX = 2 ** 31 - 1;

export const isPlainStep = (step: PathStep) => (typeof step === 'number' ? step <= MAX_INDEX : PLAIN_NAME.test(step));

/** True if a path cannot exist because no array is that long. */
export const isBeyond = (steps: readonly PathStep[]) =>
  steps.some((step) => typeof step === 'number' && step > MAX_INDEX);

export const NOTHING: SqlValueForm = { rank: '0', num: '0.0', txt: "''" };
