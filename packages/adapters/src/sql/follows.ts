import { AppError, type FollowStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

const ADD = 'insert into follows (follower, followed) values (?1, ?2) on conflict do nothing';
const REMOVE = 'delete from follows where follower = ?1 and followed = ?2';

export function createFollowStore(executor: SqlExecutor): FollowStore {
  return {
    async add(follower, followed) {
      try {
        return (await executor.change(ADD, [follower, followed])) === 1;
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('user.not_found', { cause: error }) : error;
      }
    },
    async remove(follower, followed) {
      return (await executor.change(REMOVE, [follower, followed])) === 1;
    },
  };
}
