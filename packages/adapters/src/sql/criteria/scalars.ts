import { type Comparison, compareSortValues, type Scalar } from '@baobab/core';
import type { SqlValueForm } from './dialect.ts';
import type { Params } from './params.ts';

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

const RELATIONS: Readonly<Record<Comparison, (difference: number) => boolean>> = {
  '=': (difference) => difference === 0,
  '<>': (difference) => difference !== 0,
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** Compares two constants, independent of rows. */
export function holds(operator: Comparison, a: Scalar, b: Scalar): boolean {
  return typeof a === typeof b && RELATIONS[operator](compareSortValues(a, b));
}

const FLIPPED: Readonly<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

export const flipped = (operator: Comparison) => FLIPPED[operator];

/** Returns a mark for a constant, in the form used for comparisons. */
export function mark(value: Scalar, params: Params): string {
  return typeof value === 'string' ? params.text(value) : params.number(Number(value));
}

/** Returns the column of a form that contains values of this type. */
export const columnOf = ({ num, txt }: SqlValueForm, value: Scalar) => (typeof value === 'string' ? txt : num);

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
