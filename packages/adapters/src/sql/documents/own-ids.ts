import { EVERYBODY } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';

/** Locks an id until the transaction ends, without leaving a row. A concurrent claim of the same id waits. */
const CLAIM = 'insert into id_claims (id) values (?1)';
const UNCLAIM = 'delete from id_claims where id = ?1';
const IS_USED = 'select 1 as one from documents where id = ?1';
/** `cross join` makes SQLite start with the first table. */
const WAS_USED = `select 1 as one from collections c cross join access_changes a
  where a.collection = c.id and a.document = ?1 and a.audience = '${EVERYBODY}' limit 1`;

/**
 * Adds a document with an id chosen by a client. The primary key of documents cannot prevent an id in two collections.
 *
 * @param add called if the id is free; its errors end the transaction
 */
export async function addWithOwnId<Result>(
  executor: SqlExecutor,
  id: string,
  add: (transaction: SqlExecutor) => Promise<Result>,
): Promise<Result | 'taken'> {
  return executor.atomic(async (transaction) => {
    if (!executor.isLocal) await transaction.change(CLAIM, [id]);
    const isTaken =
      (await transaction.readOne(IS_USED, [id])) !== null || (await transaction.readOne(WAS_USED, [id])) !== null;
    const result = isTaken ? 'taken' : await add(transaction);
    if (!executor.isLocal) await transaction.change(UNCLAIM, [id]);
    return result;
  });
}
