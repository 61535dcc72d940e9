import { AppError, type Device, type DeviceStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

const DETACH = 'update sessions set device = null where device = ?1 and user_id <> ?2';
const UPSERT = `insert into devices (id, user_id, os, registered) values (?1, ?2, ?3, ?4)
  on conflict (id) do update set user_id = excluded.user_id, os = excluded.os, registered = excluded.registered`;
const REMOVE = 'delete from devices where id = ?1 and user_id = ?2';
const REMOVE_OF_USER = 'delete from devices where user_id = ?1';
const LIST = 'select id, user_id as "userId", os, registered from devices where user_id = ?1 order by id';

export function createDeviceStore(executor: SqlExecutor): DeviceStore {
  return {
    async register({ id, userId, os, registered }) {
      try {
        await executor.atomic(async (transaction) => {
          await transaction.change(UPSERT, [id, userId, os, registered]);
          await transaction.change(DETACH, [id, userId]);
        });
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('user.not_found', { cause: error }) : error;
      }
    },
    async remove(id, userId) {
      return (await executor.change(REMOVE, [id, userId])) === 1;
    },
    async removeOfUser(userId) {
      await executor.change(REMOVE_OF_USER, [userId]);
    },
    list: (userId) => executor.read<Device>(LIST, [userId]),
  };
}
