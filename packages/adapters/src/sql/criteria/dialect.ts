import type { PathStep } from '@baobab/core';
import type { SqlExecutor } from '../executor.ts';
import type { MarkType, Params } from './params.ts';

/**
 * A value of JSON as SQL sees it: three expressions that are never null, so that values of all types compare and sort
 * as a row (rank, num, txt).
 */
export interface SqlValueForm {
  /** 0 absent or null, 1 boolean, 2 number, 3 text, 4 array or object. */
  readonly rank: string;
  /** A double: the number, 0 or 1 for a boolean, 0 for all else. */
  readonly num: string;
  /** The text, compared by code point; empty for all else. */
  readonly txt: string;
}

/** A JSON value of which an expression is known, and the steps from there. */
export interface JsonPlace {
  readonly base: string;
  readonly steps: readonly PathStep[];
}

export interface JsonElements {
  /** What stands in `from`. */
  readonly from: string;
  readonly value: SqlValueForm;
  /** The element as a base; only where `isObject` holds. */
  readonly base: string;
  readonly isObject: string;
}

/** Where the two databases differ in how they see JSON. Boolean results are conditions. */
export interface CriteriaDialect {
  /** The content of a row of `documents` as indexes have it. */
  readonly content: string;
  /** The same for conditions that no index helps: read once for all of them, by what stands in `from`. */
  readonly parsed: { readonly base: string; readonly from: string };
  /** A text column of JSON as a base of places; null where it is null. */
  json(text: string): string;
  /** Functions that make an object of names and values in turn, and an array of values. */
  readonly make: { readonly object: string; readonly array: string };
  /** A mark for a constant, with its type where that cannot be seen. */
  typed(mark: string, type: MarkType): string;
  /** Behind the name of a table: that this index has to be used; empty where the database finds that out. */
  hint(index: string): string;
  /** What has to be known before the first statement is made; null when it is. */
  prepare(executor: SqlExecutor): Promise<void> | null;
  value(place: JsonPlace, params: Params): SqlValueForm;
  /** Elements of an array, -1 for anything else. */
  size(place: JsonPlace, params: Params): string;
  /** Elements of the array that is there; none when there is something else. */
  elements(place: JsonPlace, alias: string, params: Params): JsonElements;
  /**
   * A condition that holds, or ends a search that has taken too long. It stands before what takes time.
   *
   * @param sample a whole number of the row: not every row has to be counted
   * @param bytes how large the row is, where that varies
   */
  work(sample: string, bytes: string | null): string;
  /** @param pattern canonical */
  like(txt: string, pattern: string, params: Params): string;
  containsText(txt: string, part: string, params: Params): string;
  /** Code points from the beginning. */
  head(txt: string, length: number): string;
  lengthOf(txt: string): string;
  toLowerCase(txt: string): string;
  toUpperCase(txt: string): string;
  /** The text of an expression of another type. */
  textOf(sql: string): string;
  /** Milliseconds as the interface writes times. */
  wireDate(milliseconds: string): string;
  /** Four numbers, in degrees. */
  kilometres(of: readonly [string, string, string, string]): string;
  /** The number at a place as it is added up exactly; null for anything else. */
  addend(place: JsonPlace, params: Params): string;
  /** The sum or average of addends to 15 significant digits; null without any. */
  total(name: 'sum' | 'avg', column: string): string;
}

/** Names that may stand in the text of a statement: what an index is on has to. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** What both databases take for an index of an array. */
const MAX_INDEX = 2 ** 31 - 1;

export const isPlainStep = (step: PathStep) => (typeof step === 'number' ? step <= MAX_INDEX : PLAIN_NAME.test(step));

/** Whether a path leads nowhere because no array is so long. */
export const isBeyond = (steps: readonly PathStep[]) =>
  steps.some((step) => typeof step === 'number' && step > MAX_INDEX);

export const NOTHING: SqlValueForm = { rank: '0', num: '0.0', txt: "''" };
