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
  /** The text, compared by code point; empty for all other types. */
  readonly txt: string;
}

/** A JSON value: an expression, and the steps from there. */
export interface JsonPlace {
  readonly base: string;
  readonly steps: readonly PathStep[];
}

interface JsonElements {
  /** The expression for the `from` clause. */
  readonly from: string;
  readonly value: SqlValueForm;
  /** The element as a base; only valid where `isObject` holds. */
  readonly base: string;
  readonly isObject: string;
}

/** How the two databases differ in their JSON functions. Boolean results are conditions. */
export interface CriteriaDialect {
  /** The content of a row of `documents`, as indexes are defined on it. */
  readonly content: string;
  /** The same for conditions that use no index: parsed once for all of them, by the expression in `from`. */
  readonly parsed: { readonly base: string; readonly from: string };
  /** A text column with JSON as a base of places; null where the column is null. */
  json(text: string): string;
  /** Functions that build an object of alternating names and values, and an array of values. */
  readonly make: { readonly object: string; readonly array: string };
  /** A parameter mark, with a cast where the database cannot infer the type. */
  typed(mark: string, type: MarkType): string;
  /** Follows the name of a table: forces this index; empty where the database chooses well. */
  hint(index: string): string;
  /**
   * Whether `cross join`ed tables are read row by row in the order in which they are written, so that rows keep the
   * order of the first one and need not be sorted in memory.
   */
  readonly joinsInOrder: boolean;
  /** Looks up what must be known before the first statement is compiled; null when nothing is missing. */
  prepare(executor: SqlExecutor): Promise<void> | null;
  value(place: JsonPlace, params: Params): SqlValueForm;
  /** The number of elements of an array, -1 for anything else. */
  size(place: JsonPlace, params: Params): string;
  /** The elements of the array at this place; none for anything else. */
  elements(place: JsonPlace, alias: string, params: Params): JsonElements;
  /**
   * A condition that is true, or stops a search that has taken too long. It precedes the slow conditions.
   *
   * @param sample an integer of the row, since not every row has to be checked
   * @param bytes the size of the row, where it varies
   */
  work(sample: string, bytes: string | null): string;
  /** @param pattern canonical */
  like(txt: string, pattern: string, params: Params): string;
  containsText(txt: string, part: string, params: Params): string;
  /**
   * The same as `containsText` for a column with JSON of which most rows do not contain the part, as fast as possible.
   *
   * @param part not empty, and short
   */
  containsPart(text: string, part: string, params: Params): string;
  /** A prefix of this many code points. */
  head(txt: string, length: number): string;
  lengthOf(txt: string): string;
  toLowerCase(txt: string): string;
  toUpperCase(txt: string): string;
  /** Converts an expression of another type to text. */
  textOf(sql: string): string;
  /** Milliseconds in the API's format of times. */
  wireDate(milliseconds: string): string;
  /** The distance between two points: latitude and longitude of each, in degrees. */
  kilometres(of: readonly [string, string, string, string]): string;
  /** The number at a place, for exact addition; null for anything else. */
  addend(place: JsonPlace, params: Params): string;
  /** The sum or average of addends, to 15 significant digits; null without any. */
  total(name: 'sum' | 'avg', column: string): string;
}

/** Names that may be inlined in a statement's text, as in the definition of an index. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The largest array index that both databases accept. */
const MAX_INDEX = 2 ** 31 - 1;

export const isPlainStep = (step: PathStep) => (typeof step === 'number' ? step <= MAX_INDEX : PLAIN_NAME.test(step));

/** Whether a path cannot exist because no array is that long. */
export const isBeyond = (steps: readonly PathStep[]) =>
  steps.some((step) => typeof step === 'number' && step > MAX_INDEX);

export const NOTHING: SqlValueForm = { rank: '0', num: '0.0', txt: "''" };
