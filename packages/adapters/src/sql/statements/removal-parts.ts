import type { SqlExecutor, SqlValue } from './executor.ts';
import type { Sql } from './statement.ts';

/*
 * A part is the first rows in the order of an index. `between` instead of `=` makes databases use that index for any
 * row estimate. With `=` they would also consider an index with the same order of the other columns, and pass over
 * the rows of all other owners in each part.
 */
export interface Kind {
  /** Finds the last of the first rows. ?1 owner, ?2 limit */
  readonly last: string;
  /** Removes the rows up to that one. ?1 owner, from ?2 its key */
  readonly remove: Sql;
}

/** @param owner column with the owner of the rows @param key the rest of the columns of an index */
export function kind(table: string, owner: string, key: readonly string[], removing = `delete from ${table}`) {
  const columns = key.join(', ');
  const marks = key.map((_, i) => `?${i + 2}`);
  return {
    last: `select ${columns} from (
      select ${columns} from ${table} where ${owner} between ?1 and ?1 order by ${owner}, ${columns} limit ?2) first_rows
      order by ${key.map((column) => `${column} desc`).join(', ')} limit 1`,
    remove: `${removing} where ${owner} = ?1 and (${columns}) <= (${marks.join(', ')})`,
  };
}

export interface Granted {
  readonly id: string;
  /** Number of grants. */
  readonly n: number;
}

/**
 * Returns the number of leading objects (at least one) that have, including their grants, at most `limit` rows, and
 * the number of these rows.
 */
export function firstWithin(
  grants: readonly number[],
  limit: number,
): { readonly count: number; readonly rows: number } {
  let [count, rows] = [0, 0];
  for (const n of grants) {
    if (count > 0 && rows + 1 + n > limit) break;
    [count, rows] = [count + 1, rows + 1 + n];
  }
  return { count, rows };
}

/** Removes some belongings of a user or a collection. Returns true if there were any. */
export type Part = (transaction: SqlExecutor, id: string, limit: number) => Promise<boolean>;

/** Objects that are removed in parts. */
export interface Removals {
  /** Finds the ids of those whose removal has begun, in ascending order. ?1 limit */
  readonly begun: string;
  /** Returns true if anything is left; false also if its removal has not begun. */
  readonly removePart: Part;
}

/** Removes the first rows of a kind. */
export const removeFirst =
  ({ last, remove }: Kind, ownerOf = (id: string) => id): Part =>
  async (transaction, id, limit) => {
    const owner = ownerOf(id);
    const row = await transaction.readOne<Record<string, SqlValue>>(last, [owner, limit]);
    if (row !== null) await transaction.change(remove, [owner, ...Object.values(row)]);
    return row !== null;
  };
