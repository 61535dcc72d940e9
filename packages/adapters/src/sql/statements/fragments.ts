import { AppError, type ErrorCode, REMOVED_NAME } from '@baobab/core';
import type { SqlExecutor, SqlValue } from './executor.ts';
import type { Sql } from './statement.ts';

/** Returns the condition that the removal of the user or collection with this name has not begun. */
export const isThere = (name = 'name') => `${name} <> '${REMOVED_NAME}'`;

/** Returns the number `n` that a statement counts. A distributed database returns a row for each part. */
export async function countOf(
  executor: Pick<SqlExecutor, 'read'>,
  sql: Sql,
  params: readonly SqlValue[],
): Promise<number> {
  const rows = await executor.read<{ n: number }>(sql, params);
  return rows.reduce((sum, { n }) => sum + n, 0);
}

/** Creates a statement for each kind of database. */
export function forDatabase<Statement>(build: (database: Pick<SqlExecutor, 'isLocal'>) => Statement) {
  const [local, remote] = [build({ isLocal: true }), build({ isLocal: false })];
  return ({ isLocal }: Pick<SqlExecutor, 'isLocal'>): Statement => (isLocal ? local : remote);
}

/** Runs a statement on at most one row. Returns true if it changed one. */
export const changesOne = async (executor: SqlExecutor, sql: Sql, params: readonly SqlValue[]): Promise<boolean> =>
  (await executor.change(sql, params)) === 1;

/** Returns an error handler for writes that reference another row. @throws `code` if that row does not exist */
export const asMissing =
  ({ isForeignKeyViolation }: Pick<SqlExecutor, 'isForeignKeyViolation'>, code: ErrorCode = 'user.not_found') =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? new AppError(code, { cause: error }) : error;
  };

/** Returns the elements of a JSON array of texts as rows `value` and `place`, in the order of the array. */
export function jsonRows({ isLocal }: Pick<SqlExecutor, 'isLocal'>, param: string): string {
  if (isLocal) return `(select value, key as place from json_each(${param}) order by key)`;
  // As text, because the driver would convert a parameter of type json to JSON again.
  const json = `cast(cast(${param} as text) as json)`;
  return `(select e.value, e.place from json_array_elements_text(${json}) with ordinality e(value, place))`;
}

/** Returns the id in an expression of type text. */
export const idIn = ({ isLocal }: Pick<SqlExecutor, 'isLocal'>, text: string): string =>
  isLocal ? text : `cast(${text} as uuid)`;

/** Returns the arrays in a JSON array as rows `e`, whose elements are `e.value ->> 0` and so on. */
export const jsonArrays = ({ isLocal }: Pick<SqlExecutor, 'isLocal'>, param: string): string =>
  isLocal ? `json_each(${param}) e` : `json_array_elements(cast(cast(${param} as text) as json)) e(value)`;

/** Returns the ids in a JSON array, as a subquery. */
export const jsonIds = (executor: Pick<SqlExecutor, 'isLocal'>, param: string): string =>
  `(select ${idIn(executor, 'w.value')} from ${jsonRows(executor, param)} w)`;

/**
 * Builds a statement that first locks the rows it relies on, on databases with concurrent writers. A row that another
 * transaction is removing then counts as missing. Without the lock, the foreign key check would fail, and with it the
 * whole transaction.
 *
 * @param strength in the syntax of Postgres, after `for`
 */
export const withRowLock = <Statement>(strength: string, build: (lock: string) => Statement) =>
  forDatabase(({ isLocal }) => build(isLocal ? '' : ` for ${strength}`));
