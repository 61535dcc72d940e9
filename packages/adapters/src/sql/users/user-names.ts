import { MAX_RESERVED_NAMES, type UserName, type UserStore } from '@baobab/core';
import { claiming } from '../statements/claims.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { isThere, withRowLock } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';
import { isOpenTo } from './user-rows.ts';

/** Condition that a user has one of two stored skeletons. @param but further condition on these users */
export const isAlike = (one: string, two: string, but = '') =>
  `exists (select 1 from users other where other.skeleton in (${one}, ${two})${but})`;
/** ?4 viewer, for whom users who block them do not exist */
const OTHER_IS_OPEN = ` and ${isOpenTo('other.id', '?4')}`;
/** ?1 key, ?2 and ?3 skeletons, ?4 viewer, or null, ?5 time */
const IS_TAKEN = `select case when exists (select 1 from users other where other.name_key = ?1${OTHER_IS_OPEN})
  or ${isAlike('?2', '?3', OTHER_IS_OPEN)}
  or exists (select 1 from former_names f where (f.name_key = ?1 or f.skeleton in (?2, ?3)) and f.expires > ?5
    and (?4 is null or f.user_id <> ?4) and ${isOpenTo('f.user_id', '?4')}) then 1 else 0 end as taken`;
/**
 * ?1 key, ?2 and ?3 skeletons, ?4 time, ?5 user. A statement of its own, because a distributed database cannot join the
 * table in a statement that changes users.
 */
const RESERVED = `select name_key from former_names where (name_key = ?1 or skeleton in (?2, ?3)) and expires > ?4
  and user_id <> ?5 limit 1`;
const LOCK = withRowLock('update', (lock) =>
  onCopies(`select name_key, skeleton from users where id = ?1 and ${isThere()}${lock}`),
);
const RENAME = onCopies(`update users set name = ?2, name_key = ?3, skeleton = ?4, generated = 0
  where id = ?1 and ${isThere()} and not exists (
    select 1 from users other where other.name_key = ?3 and other.id <> ?1)
  and not ${isAlike('?5', '?6', ' and other.id <> ?1')}`);
/** The user's own reservation, or one that has expired. */
const TAKE = 'delete from former_names where name_key = ?1';
const RESERVE = `insert into former_names (name_key, skeleton, user_id, expires) values (?1, ?2, ?3, ?4)
  on conflict (name_key) do update set skeleton = excluded.skeleton, user_id = excluded.user_id,
  expires = excluded.expires`;
/** ?1 user. `limit`, because SQLite needs one before `offset`. */
const FORGET_OLDEST = `delete from former_names where name_key in (select name_key from former_names
  where user_id = ?1 order by expires desc, name_key limit 1000 offset ${MAX_RESERVED_NAMES})`;

const PREFIX = 2;

/** Returns skeletons as stored. Those of plain names have another prefix, since any number of them may be alike. */
function storedSkeletons({ skeleton, isPlain }: Pick<UserName, 'skeleton' | 'isPlain'>) {
  const [plain, other] = [`a:${skeleton}`, `u:${skeleton}`];
  return { own: isPlain ? plain : other, excluded: isPlain ? [other, other] : [other, plain] };
}

/** A name about to be given to a user. */
interface Claim {
  readonly name: Omit<UserName, 'name'>;
  readonly userId: string;
  readonly now: number;
}

/** Stored and excluded skeletons of a claimed name. */
type Skeletons = ReturnType<typeof storedSkeletons>;

/** Names of users, and former names that are reserved. */
export function createUserNames(executor: SqlExecutor) {
  /** Runs statements that search for similar names and write one. Concurrent writers of such a name wait. */
  const claimingNames = <T>(transaction: SqlExecutor, skeletons: readonly string[], work: () => Promise<T>) =>
    claiming(
      transaction,
      skeletons.map((skeleton) => `name:${skeleton}`),
      work,
    );

  async function isReserved(transaction: SqlExecutor, { name, userId, now }: Claim): Promise<boolean> {
    const { excluded } = storedSkeletons(name);
    return (await transaction.read(RESERVED, [name.key, ...excluded, now, userId])).length > 0;
  }

  return {
    /** Adds a user with `insert`, unless the name is reserved for another one. */
    add: (
      claim: Claim,
      insert: (transaction: SqlExecutor, skeletons: Skeletons) => Promise<number>,
    ): Promise<boolean> =>
      executor.atomic((transaction) =>
        claimingNames(transaction, [claim.name.skeleton], async () => {
          if (await isReserved(transaction, claim)) return false;
          return (await insert(transaction, storedSkeletons(claim.name))) === 1;
        }),
      ),

    async isTaken(name, viewer, now) {
      const values = [name.key, ...storedSkeletons(name).excluded, viewer, now];
      return (await executor.readOne<{ taken: number }>(IS_TAKEN, values))?.taken === 1;
    },

    async rename(id, { name, ...keys }, { now, reservedUntil }) {
      const { key, skeleton } = keys;
      const { own, excluded } = storedSkeletons(keys);
      const values: SqlValue[] = [id, name, key, own, ...excluded];

      async function replace(transaction: SqlExecutor, former: { name_key: string; skeleton: string }) {
        if (await isReserved(transaction, { name: keys, userId: id, now })) return false;
        if ((await transaction.change(RENAME, values)) === 0) return false;
        if (former.name_key === key) return true;
        await transaction.change(TAKE, [key]);
        if (reservedUntil <= now) return true;
        await transaction.change(RESERVE, [former.name_key, former.skeleton, id, reservedUntil]);
        await transaction.change(FORGET_OLDEST, [id]);
        return true;
      }

      try {
        return await executor.atomic(async (transaction) => {
          const [former] = await transaction.read<{ name_key: string; skeleton: string }>(LOCK(transaction), [id]);
          if (former === undefined) return null;
          // The former name too: a transaction that waits for it must see the reservation.
          const both = [skeleton, former.skeleton.slice(PREFIX)];
          return claimingNames(transaction, both, () => replace(transaction, former));
        });
      } catch (error) {
        // Another transaction took the name between the look-up and the change.
        if (executor.isUniqueViolation(error)) return false;
        throw error;
      }
    },
  } satisfies Pick<UserStore, 'isTaken' | 'rename'> & Record<'add', unknown>;
}
