import { type GroupStore, groupPrincipal } from '@baobab/core';
import { FIRST_ID } from './document-list-statements.ts';
import type { SqlExecutor } from './executor.ts';
import { recordRemovalOfGroup } from './feed-records.ts';
import { removeGrantsOnDocuments, removeGrantsOnFiles } from './received-grants.ts';
import { withRowLock } from './row-lock.ts';

/** End of the last removed part. */
interface Progress {
  readonly collection: string;
  readonly document: string;
  readonly file: string;
}

const BEGINNING: Progress = { collection: FIRST_ID, document: FIRST_ID, file: FIRST_ID };

const REMOVE = 'delete from user_groups where id = ?1';
const BEGIN = 'insert into removed_groups (id, collection, document, file) values (?1, ?2, ?3, ?4)';
const BEGUN = 'select id from removed_groups order by id limit ?1';
/** Serializes the removal of parts by several nodes. */
const LOCK_REMOVED = withRowLock(
  'update',
  (lock) => `select collection, document, file from removed_groups where id = ?1${lock}`,
);
const GO_ON = 'update removed_groups set collection = ?2, document = ?3, file = ?4 where id = ?1';
const FINISH = 'delete from removed_groups where id = ?1';

const paramsOf = (id: string, { collection, document, file }: Progress) => [id, collection, document, file];

/** Concurrent grants to the group lock it, and are then among those to remove. Later ones find no group. */
export async function removeGroup(transaction: SqlExecutor, id: string): Promise<boolean> {
  await recordRemovalOfGroup(transaction, id);
  if ((await transaction.change(REMOVE, [id])) === 0) return false;
  await transaction.change(BEGIN, paramsOf(id, BEGINNING));
  return true;
}

/** Removes the next grants. Returns the end of this part, or null if there were none. */
async function removeNext(
  transaction: SqlExecutor,
  { id, limit, progress }: { readonly id: string; readonly limit: number; readonly progress: Progress },
): Promise<Progress | null> {
  const first = { principal: groupPrincipal(id), limit };
  const after = { collection: progress.collection, id: progress.document };
  const last = await removeGrantsOnDocuments(transaction, { ...first, after });
  if (last !== null) return { ...progress, collection: last.collection, document: last.id };
  const file = await removeGrantsOnFiles(transaction, { ...first, after: progress.file });
  return file === null ? null : { ...progress, file };
}

const isBeginning = ({ document, file }: Progress) => document === FIRST_ID && file === FIRST_ID;

type RemovalMethods = 'remove' | 'removePart' | 'removalsBegun';

export function createGroupRemoval(executor: SqlExecutor): Pick<GroupStore, RemovalMethods> {
  return {
    remove: (id) => executor.atomic((transaction) => removeGroup(transaction, id)),
    removePart: (id, limit) =>
      executor.atomic(async (transaction) => {
        const [progress] = await transaction.read<Progress>(LOCK_REMOVED(transaction), [id]);
        if (progress === undefined) return false;
        const next = await removeNext(transaction, { id, limit, progress });
        // After the last part, one more pass from the start ensures that no grant remains, for any recorded progress.
        const isLeft = next !== null || !isBeginning(progress);
        await (isLeft ? transaction.change(GO_ON, paramsOf(id, next ?? BEGINNING)) : transaction.change(FINISH, [id]));
        return isLeft;
      }),
    async removalsBegun(limit) {
      return (await executor.read<{ id: string }>(BEGUN, [limit])).map(({ id }) => id);
    },
  };
}
