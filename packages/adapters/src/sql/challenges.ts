import { AppError, type Challenge, type ChallengeStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';

const ADD = 'insert into login_challenges (digest, user_id, sealed, attempts, expires) values (?1, ?2, ?3, 0, ?4)';
const ATTEMPT = `update login_challenges set attempts = attempts + 1
  where digest = ?1 and expires > ?2 and attempts < ?3
  returning digest, user_id as "userId", sealed, expires`;
const SPEND = `insert into login_challenges (digest, user_id, sealed, attempts, expires) values (?1, ?2, '', 0, ?3)
  on conflict do nothing`;
const CONSUME = 'delete from login_challenges where digest = ?1';
const REMOVE_EXPIRED = `delete from login_challenges
  where digest in (select digest from login_challenges where expires <= ?1 limit ?2)`;

export function createChallengeStore(executor: SqlExecutor): ChallengeStore {
  return {
    async add({ digest, userId, sealed, expires }) {
      try {
        await executor.change(ADD, [digest, userId, sealed, expires]);
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('user.not_found', { cause: error }) : error;
      }
    },
    async attempt(digest, now, most) {
      const [challenge] = await executor.write<Challenge>(ATTEMPT, [digest, now, most]);
      return challenge === undefined ? null : { ...challenge };
    },
    async spend({ digest, userId, expires }) {
      try {
        return (await executor.change(SPEND, [digest, userId, expires])) === 1;
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('user.not_found', { cause: error }) : error;
      }
    },
    async consume(digest) {
      return (await executor.change(CONSUME, [digest])) === 1;
    },
    removeExpired: (now, limit) => executor.change(REMOVE_EXPIRED, [now, limit]),
  };
}
