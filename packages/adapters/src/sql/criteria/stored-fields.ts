import type { Path, StoredColumn } from '@baobab/core';
import type { Meaning, Resolve } from './conditions.ts';
import { type CriteriaDialect, NOTHING } from './dialect.ts';

/** Columns of the values of files or assets. */
export interface StoredFields {
  column(name: string): StoredColumn | null;
  /**
   * Returns true if a row may have no value. SQLite simplifies conditions on columns that it knows to be not null, so
   * no index would match.
   */
  isOptional(column: StoredColumn): boolean;
  readonly sql: Readonly<Partial<Record<StoredColumn, string>>>;
}

/** Returns the meaning of fields in a row of files or assets. */
export function storedMeaning(dialect: CriteriaDialect, { column, isOptional, sql }: StoredFields): Resolve {
  function scalar(known: StoredColumn, value: string): Meaning {
    if (known === 'created') return { kind: 'time', column: value };
    if (known === 'id') return { kind: 'form', form: { ...NOTHING, rank: '3', txt: dialect.textOf(value) } };
    const type = known === 'size' ? 2 : 3;
    const rank = isOptional(known) ? `case when ${value} is null then 0 else ${type} end` : String(type);
    const some = (otherwise: string) => (isOptional(known) ? `coalesce(${value}, ${otherwise})` : value);
    if (known === 'size') {
      return { kind: 'form', form: { ...NOTHING, rank, num: `cast(${some('0')} as double precision)` } };
    }
    return { kind: 'form', form: { ...NOTHING, rank, txt: some("''") } };
  }

  return ([first, ...steps]: Path) => {
    const known = column(first);
    const value = known === null ? undefined : sql[known];
    if (known === null || value === undefined) return { kind: 'form', form: NOTHING };
    if (known === 'data') return { kind: 'json', place: { base: dialect.json(value), steps } };
    return steps.length === 0 ? scalar(known, value) : { kind: 'form', form: NOTHING };
  };
}
