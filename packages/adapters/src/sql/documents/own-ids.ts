import { EVERYBODY } from '@baobab/core';
import { claiming } from '../statements/claims.ts';
import type { SqlExecutor } from '../statements/executor.ts';

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
  return executor.atomic((transaction) => {
    const addUnlessTaken = async () => {
      for (const find of [IS_USED, WAS_USED]) if ((await transaction.readOne(find, [id])) !== null) return 'taken';
      return add(transaction);
    };
    return claiming(transaction, [`id:${id.toLowerCase()}`], addUnlessTaken, (text) => text);
  });
}
