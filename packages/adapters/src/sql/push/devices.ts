import type { Device, DeviceStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing } from '../statements/fragments.ts';

const DETACH = 'update sessions set device = null where device = ?1 and user_id <> ?2';
const UPSERT = `insert into devices (id, user_id, os, registered) values (?1, ?2, ?3, ?4)
  on conflict (id) do update set user_id = excluded.user_id, os = excluded.os, registered = excluded.registered`;
const REMOVE = 'delete from devices where id = ?1 and user_id = ?2';
const REMOVE_OF_USER = 'delete from devices where user_id = ?1 and id <> ?2 returning id';
const REMOVE_OLDEST = `delete from devices where id in (
  select id from devices where user_id = ?1 and id <> ?2 order by registered desc, id limit 100 offset ?3) returning id`;
const LIST = 'select id, user_id as "userId", os, registered from devices where user_id = ?1 order by id';

const WITHDRAW = "update push_deliveries set state = 'withdrawn' where device = ?1 and state = 'waiting'";
const STATEMENTS = { of: `${WITHDRAW} and user_id = ?2`, others: `${WITHDRAW} and user_id <> ?2` };

/** Withdraws the waiting deliveries of device ?1: those to user ?2, or those to all other users. */
export const withdrawStatement = (whose: 'of' | 'others') => STATEMENTS[whose];

export function createDeviceStore(executor: SqlExecutor): DeviceStore {
  async function withdrawAll(transaction: SqlExecutor, userId: string, removed: ReadonlyArray<{ id: string }>) {
    // The order in which deliveries are settled, to avoid deadlocks.
    for (const id of removed.map((row) => row.id).sort()) {
      await transaction.change(withdrawStatement('of'), [id, userId]);
    }
  }

  return {
    async register({ id, userId, os, registered }, most) {
      await executor
        .atomic(async (transaction) => {
          await transaction.change(UPSERT, [id, userId, os, registered]);
          await transaction.change(DETACH, [id, userId]);
          await transaction.change(withdrawStatement('others'), [id, userId]);
          if (most === undefined) return;
          const removed = await transaction.write<{ id: string }>(REMOVE_OLDEST, [userId, id, most]);
          await withdrawAll(transaction, userId, removed);
        })
        .catch(asMissing(executor));
    },
    remove: (id, userId) =>
      executor.atomic(async (transaction) => {
        if ((await transaction.change(REMOVE, [id, userId])) === 0) return false;
        await transaction.change(withdrawStatement('of'), [id, userId]);
        return true;
      }),
    removeOfUser: (userId, except) =>
      executor.atomic(async (transaction) => {
        const removed = await transaction.write<{ id: string }>(REMOVE_OF_USER, [userId, except ?? '']);
        await withdrawAll(transaction, userId, removed);
      }),
    list: (userId) => executor.read<Device>(LIST, [userId]),
  };
}
