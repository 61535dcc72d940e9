import type { Path, StoredColumn } from '@baobab/core';
import { type CriteriaDialect, NOTHING } from './dialect.ts';
import type { Meaning, Resolve } from './operands.ts';

/** The columns of the values of files or assets, and whether they may be null. */
export interface StoredFields {
  column(name: string): StoredColumn | null;
  readonly sql: Readonly<Partial<Record<StoredColumn, string>>>;
}

/** The meaning of a field in a row of files or assets. */
export function storedMeaning(dialect: CriteriaDialect, { column, sql }: StoredFields): Resolve {
  const rank = (value: string, known: number) => `case when ${value} is null then 0 else ${known} end`;

  function scalar(known: StoredColumn, value: string): Meaning {
    if (known === 'created') return { kind: 'time', column: value };
    if (known === 'size') {
      const num = `cast(coalesce(${value}, 0) as double precision)`;
      return { kind: 'form', form: { ...NOTHING, rank: rank(value, 2), num } };
    }
    if (known === 'id') return { kind: 'form', form: { ...NOTHING, rank: '3', txt: dialect.textOf(value) } };
    return { kind: 'form', form: { ...NOTHING, rank: rank(value, 3), txt: `coalesce(${value}, '')` } };
  }

  return ([first, ...steps]: Path) => {
    const known = column(first);
    const value = known === null ? undefined : sql[known];
    if (known === null || value === undefined) return { kind: 'form', form: NOTHING };
    if (known === 'data') return { kind: 'json', place: { base: dialect.json(value), steps } };
    return steps.length === 0 ? scalar(known, value) : { kind: 'form', form: NOTHING };
  };
}
