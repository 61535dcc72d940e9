import type { SqlExecutor, SqlValue } from './executor.ts';

/*
 * A part is the first rows in the order of an index. `between` instead of `=` makes databases use that index whatever they
 * know about the number of rows: with `=` they would also consider an index with the same order of the other columns, and
 * step over the rows of everybody else in each part.
 */
export interface Kind {
  /** Finds the last of the first rows. ?1 the owner, ?2 the limit */
  readonly last: string;
  /** Removes the rows up to that one. ?1 the owner, from ?2 on its key */
  readonly remove: string;
}

/** @param owner the column by which the rows belong to what is removed @param key the rest of the columns of an index */
export function kind(table: string, owner: string, key: readonly string[], removing = `delete from ${table}`): Kind {
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
  /** The number of grants. */
  readonly n: number;
}

/** How many of the first objects, at least one, have with their grants at most `limit` rows, and the number of these. */
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

/** Removes some of what belongs to a user or a collection; resolves to whether there was anything. */
export type Part = (transaction: SqlExecutor, id: string, limit: number) => Promise<boolean>;

/** Removes the first rows of a kind. */
export const removeFirst =
  ({ last, remove }: Kind, ownerOf = (id: string) => id): Part =>
  async (transaction, id, limit) => {
    const owner = ownerOf(id);
    const row = await transaction.readOne<Record<string, SqlValue>>(last, [owner, limit]);
    if (row !== null) await transaction.change(remove, [owner, ...Object.values(row)]);
    return row !== null;
  };
