import { AppError, isStorable } from '@baobab/core';
import type { SqlValue } from '../executor.ts';

/** Type of a parameter in the database. */
export type MarkType = 'integer' | 'double precision' | 'text';

/** Collects the parameters of a statement, and returns their marks for its text. */
export interface Params {
  readonly values: readonly SqlValue[];
  /** Returns a mark whose type the database infers from its context. */
  add(value: SqlValue): string;
  integer(value: number): string;
  number(value: number): string;
  /** @throws `input.invalid` for a text that the databases cannot store */
  text(value: string): string;
}

/** @param typed returns a mark with its type in the syntax of the database */
export function createParams(typed: (mark: string, type: MarkType) => string): Params {
  const values: SqlValue[] = [];

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
  };
}
