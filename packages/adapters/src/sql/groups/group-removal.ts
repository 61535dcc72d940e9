import { type GroupStore, groupPrincipal } from '@baobab/core';
import { recordRemovalOfGroup } from '../changes/feed-records.ts';
import { removeReceivedGrants } from '../documents/received-grants.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { withRowLock } from '../statements/fragments.ts';
import type { Removals } from '../statements/removal-parts.ts';

const REMOVE = 'delete from user_groups where id = ?1';
const BEGIN = 'insert into removed_groups (id) values (?1)';
/** Serializes the removal of parts by several nodes. */
const LOCK_REMOVED = withRowLock('update', (lock) => `select id from removed_groups where id = ?1${lock}`);
const FINISH = 'delete from removed_groups where id = ?1';

/** Concurrent grants to the group lock it, and are then among those to remove. Later ones find no group. */
export async function removeGroup(transaction: SqlExecutor, id: string): Promise<boolean> {
  await recordRemovalOfGroup(transaction, id);
  if ((await transaction.change(REMOVE, [id])) === 0) return false;
  await transaction.change(BEGIN, [id]);
  return true;
}

export const createGroupRemoval = (executor: SqlExecutor): Pick<GroupStore, 'remove'> => ({
  remove: (id) => executor.atomic((transaction) => removeGroup(transaction, id)),
});

export const GROUP_REMOVALS: Removals = {
  begun: 'select id from removed_groups order by id limit ?1',
  async removePart(transaction, id, limit) {
    if ((await transaction.read(LOCK_REMOVED(transaction), [id])).length === 0) return false;
    if (await removeReceivedGrants(transaction, groupPrincipal(id), limit)) return true;
    await transaction.change(FINISH, [id]);
    return false;
  },
};
