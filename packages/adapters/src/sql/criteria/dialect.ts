import {
  AppError,
  type Collation,
  type Comparison,
  type FullTextSearch,
  isStorable,
  type PathStep,
  type Scalar,
} from '@baobab/core';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';

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
  /**
   * Returns how a full-text index finds the candidates of a search: what precedes `documents` in a `from` clause, and
   * the condition.
   */
  candidates(search: FullTextSearch, params: Params): { readonly from: string; readonly where: string };
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
  /** Returns an expression for a unique index that differs between different texts, of any length. */
  whole(txt: string): string;
  lengthOf(txt: string): string;
  toLowerCase(txt: string): string;
  /** Returns a text in the form of the core function with this name. */
  collatedText(txt: string): string;
  /**
   * Returns a text that the database sorts by the rules of a language.
   *
   * @throws `criteria.invalid` if it cannot
   */
  collated(txt: string, language: Collation): string;
  toUpperCase(txt: string): string;
  /** Converts an expression of another type to text. */
  textOf(sql: string): string;
  /** Converts a text to an id, or to null if it is not one. */
  idOf(txt: string): string;
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

/** Type of a parameter in the database. */
export type MarkType = 'integer' | 'double precision' | 'text';

/** Collects the parameters of a statement, and returns their marks and other names for its text. */
export interface Params {
  readonly values: readonly SqlValue[];
  /** Returns a mark whose type the database infers from its context. */
  add(value: SqlValue): string;
  integer(value: number): string;
  number(value: number): string;
  /** @throws `input.invalid` for a text that the databases cannot store */
  text(value: string): string;
  /** Returns a unique name for a table of the statement. */
  alias(): string;
}

/** A statement with its parameters. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * @param typed returns a mark with its type in the syntax of the database
 * @param first values of parameters that are in the statement already
 */
export function createParams(typed: (mark: string, type: MarkType) => string, first: readonly SqlValue[] = []): Params {
  const values: SqlValue[] = [...first];
  let aliases = 0;

  function add(value: SqlValue): string {
    return `?${values.push(value)}`;
  }

  return {
    values,
    add,
    integer: (value) => typed(add(value), 'integer'),
    number: (value) => typed(add(value), 'double precision'),
    text(value) {
      if (!isStorable(value))
        throw new AppError('input.invalid', { detail: 'a text contains U+0000 or an unpaired surrogate' });
      return typed(add(value), 'text');
    },
    alias: () => `e${++aliases}`,
  };
}

export const TRUE = '(1 = 1)';
export const FALSE = '(1 = 0)';

export const RANK = { boolean: 1, number: 2, string: 3 } as const;

export const rankOf = (value: Scalar) => RANK[typeof value as keyof typeof RANK];

export function allOf(conditions: readonly string[]): string {
  const left = conditions.filter((condition) => condition !== TRUE);
  if (left.includes(FALSE)) return FALSE;
  return left.length === 0 ? TRUE : `(${left.join(' and ')})`;
}

export function anyOf(conditions: readonly string[]): string {
  const left = conditions.filter((condition) => condition !== FALSE);
  if (left.includes(TRUE)) return TRUE;
  return left.length === 0 ? FALSE : `(${left.join(' or ')})`;
}

export function not(condition: string): string {
  if (condition === TRUE) return FALSE;
  return condition === FALSE ? TRUE : `(not ${condition})`;
}

/** Returns a mark for a constant, in the form used for comparisons. */
export function mark(value: Scalar, params: Params): string {
  return typeof value === 'string' ? params.text(value) : params.number(Number(value));
}

/** Returns the column of a form that contains values of this type. */
export const columnOf = ({ num, txt }: SqlValueForm, value: Scalar) => (typeof value === 'string' ? txt : num);

/** Returns the text of a value in lower case. Values of other types become absent. */
export function lowerForm({ rank, txt }: SqlValueForm, dialect: CriteriaDialect): SqlValueForm {
  return {
    ...NOTHING,
    rank: `case when ${rank} = ${RANK.string} then ${RANK.string} else 0 end`,
    txt: dialect.toLowerCase(txt),
  };
}

/** Compares a value with a constant. */
export function compareWith(form: SqlValueForm, operator: Comparison, value: Scalar, params: Params): string {
  return `(${form.rank} = ${rankOf(value)} and ${columnOf(form, value)} ${operator} ${mark(value, params)})`;
}

/** Compares two values. If their types are equal, only one of num and txt can differ. */
export function compareForms(a: SqlValueForm, operator: Comparison, b: SqlValueForm): string {
  const joined = operator === '=' || operator === '<=' || operator === '>=' ? 'and' : 'or';
  return `(${a.rank} = ${b.rank} and ${a.rank} between 1 and 3
    and (${a.num} ${operator} ${b.num} ${joined} ${a.txt} ${operator} ${b.txt}))`;
}

/** True for a literal. Constants do not affect the order, and a number in `order by` would refer to a column. */
export const isLiteral = (sql: string) => /^(?:[\d.]+|'[^']*')$/.test(sql);

/** Returns the parts of a form that differ between rows. */
export const variableParts = ({ rank, num, txt }: SqlValueForm) => [rank, num, txt].filter((part) => !isLiteral(part));

const LONGEST_LIST = 16;

/**
 * Returns the number of marks for a list of `length` values. It has few possible results, which limits the number of
 * distinct texts.
 */
function padded(length: number): number {
  return length <= LONGEST_LIST ? 2 ** Math.ceil(Math.log2(length)) : Math.ceil(length / LONGEST_LIST) * LONGEST_LIST;
}

/** Returns the condition that `sql` equals one of these values. There must be at least one, and all of one type. */
export function isOneOf(sql: string, values: readonly Scalar[], params: Params): string {
  const marks = Array.from({ length: padded(values.length) }, (_, i) =>
    mark(values[Math.min(i, values.length - 1)] as Scalar, params),
  );
  return `${sql} in (${marks.join(', ')})`;
}

/** Groups values by type. */
export function byType(values: Iterable<Scalar>): Scalar[][] {
  const distinct = Array.from(new Set(values));
  const types = ['boolean', 'number', 'string'].map((type) => distinct.filter((value) => typeof value === type));
  return types.filter((group) => group.length > 0);
}
