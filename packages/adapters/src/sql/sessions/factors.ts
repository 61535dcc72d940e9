import type { Challenge, ChallengeStore, FactorStore, TotpSecret } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, changesOne } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

const PREPARE = `insert into totp_secrets (user_id, sealed, last_step) values (?1, ?2, 0)
  on conflict (user_id) do update set sealed = excluded.sealed, last_step = 0 where totp_secrets.confirmed is null`;
const FIND = 'select sealed, confirmed from totp_secrets where user_id = ?1';
const CONFIRM = `update totp_secrets set confirmed = ?4, last_step = ?3
  where user_id = ?1 and sealed = ?2 and confirmed is null`;
const MARK = onCopies('update users set second_factor = ?2 where id = ?1');
const ADD_RECOVERY_CODE = 'insert into recovery_codes (user_id, digest) values (?1, ?2)';
const USE_STEP = `update totp_secrets set last_step = ?3
  where user_id = ?1 and sealed = ?2 and confirmed is not null and last_step < ?3`;
const USE_RECOVERY_CODE = 'delete from recovery_codes where user_id = ?1 and digest = ?2';
const RECOVERY_CODES = 'select digest from recovery_codes where user_id = ?1';
const REMOVE_RECOVERY_CODES = 'delete from recovery_codes where user_id = ?1';
const REMOVE = 'delete from totp_secrets where user_id = ?1 returning confirmed';

export function createFactorStore(executor: SqlExecutor): FactorStore {
  return {
    prepare: (userId, sealed) => changesOne(executor, PREPARE, [userId, sealed]).catch(asMissing(executor)),
    find: (userId) => executor.readOne<TotpSecret>(FIND, [userId]),
    confirm: ({ userId, sealed, step, now, recoveryCodes }) =>
      executor.atomic(async (transaction) => {
        if ((await transaction.change(CONFIRM, [userId, sealed, step, now])) !== 1) return false;
        await transaction.change(MARK, [userId, now]);
        for (const digest of recoveryCodes) await transaction.change(ADD_RECOVERY_CODE, [userId, digest]);
        return true;
      }),
    useStep: ({ userId, sealed, step }) => changesOne(executor, USE_STEP, [userId, sealed, step]),
    useRecoveryCode: (userId, digest) => changesOne(executor, USE_RECOVERY_CODE, [userId, digest]),
    async recoveryCodes(userId) {
      return (await executor.read<{ digest: string }>(RECOVERY_CODES, [userId])).map(({ digest }) => digest);
    },
    remove: (userId) =>
      executor.atomic(async (transaction) => {
        await transaction.change(MARK, [userId, null]);
        await transaction.change(REMOVE_RECOVERY_CODES, [userId]);
        const [removed] = await transaction.write<Pick<TotpSecret, 'confirmed'>>(REMOVE, [userId]);
        return removed !== undefined && removed.confirmed !== null;
      }),
  };
}

const ADD_CHALLENGE =
  'insert into login_challenges (digest, user_id, sealed, attempts, expires) values (?1, ?2, ?3, 0, ?4)';
const ATTEMPT_CHALLENGE = `update login_challenges set attempts = attempts + 1
  where digest = ?1 and expires > ?2 and attempts < ?3
  returning digest, user_id as "userId", sealed, expires`;
const SPEND_CHALLENGE = `insert into login_challenges (digest, user_id, sealed, attempts, expires) values (?1, ?2, '', 0, ?3)
  on conflict do nothing`;
const CONSUME_CHALLENGE = 'delete from login_challenges where digest = ?1';

export function createChallengeStore(executor: SqlExecutor): ChallengeStore {
  return {
    async add({ digest, userId, sealed, expires }) {
      await executor.change(ADD_CHALLENGE, [digest, userId, sealed, expires]).catch(asMissing(executor));
    },
    async attempt(digest, now, most) {
      const [challenge] = await executor.write<Challenge>(ATTEMPT_CHALLENGE, [digest, now, most]);
      return challenge === undefined ? null : { ...challenge };
    },
    spend: ({ digest, userId, expires }) =>
      changesOne(executor, SPEND_CHALLENGE, [digest, userId, expires]).catch(asMissing(executor)),
    consume: (digest) => changesOne(executor, CONSUME_CHALLENGE, [digest]),
  };
}
