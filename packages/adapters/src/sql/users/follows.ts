import { AppError, type FollowOutcome, type FollowPolicy, type FollowStore, followOutcome } from '@baobab/core';
import { claimingPair } from '../statements/claims.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

/** All statements about two users have the follower in ?1 and the followed user in ?2. */
const ADD = onCopies('insert into follows (follower, followed) values (?1, ?2) on conflict do nothing');
const REMOVE = onCopies('delete from follows where follower = ?1 and followed = ?2');
const REQUEST = 'insert into follow_requests (follower, followed) values (?1, ?2) on conflict do nothing';
const END_REQUEST = 'delete from follow_requests where follower = ?1 and followed = ?2';
/** Runs before the end of the request, so that users are locked before the request. */
const ACCEPT = onCopies(`insert into follows (follower, followed)
  select r.follower, r.followed from follow_requests r where r.follower = ?1 and r.followed = ?2 on conflict do nothing`);
const STATE = `select u.follow_policy as policy,
    case when exists (select 1 from follows f where f.follower = ?1 and f.followed = u.id) then 1 else 0 end
      as following,
    case when exists (select 1 from blocks b where b.blocked = u.id and b.blocker = ?1) then 1 else 0 end as blocking,
    case when exists (select 1 from blocks b where b.blocked = ?1 and b.blocker = u.id) then 1 else 0 end
      as is_blocked
  from users u where u.id = ?2`;
const FOLLOWED = 'select followed from follows where follower = ?1 limit ?2';
const POLICY = 'select follow_policy as policy from users where id = ?1';
const SET_POLICY = onCopies('update users set follow_policy = ?2 where id = ?1');

interface StateRow {
  readonly policy: FollowPolicy | null;
  readonly following: number;
  readonly blocking: number;
  readonly is_blocked: number;
}

export function createFollowStore(executor: SqlExecutor): FollowStore {
  async function outcome(transaction: SqlExecutor, pair: readonly [string, string], usual: FollowPolicy) {
    const row = await transaction.readOne<StateRow>(STATE, pair);
    if (row === null) throw new AppError('user.not_found');
    const state = { isFollowing: row.following === 1, isBlocking: row.blocking === 1, isBlocked: row.is_blocked === 1 };
    return followOutcome({ policy: row.policy, ...state }, usual);
  }

  return {
    add: (...pair) =>
      claimingPair(executor, pair, async (transaction) => {
        const added = await transaction.change(ADD, pair);
        if (added === 1) await transaction.change(END_REQUEST, pair);
        return added === 1;
      }),
    remove: (...pair) => changesOne(executor, REMOVE, pair),
    follow: (follower, followed, usual) =>
      claimingPair(executor, [follower, followed], async (transaction): Promise<FollowOutcome> => {
        const pair = [follower, followed] as const;
        const found = await outcome(transaction, pair, usual);
        if (found === 'requested') await transaction.change(REQUEST, pair);
        if (found !== 'followed') return found;
        await transaction.change(ADD, pair);
        await transaction.change(END_REQUEST, pair);
        return found;
      }),
    unfollow: (...pair) =>
      claimingPair(executor, pair, async (transaction) => {
        if ((await transaction.change(REMOVE, pair)) === 1) return 'relation';
        return (await transaction.change(END_REQUEST, pair)) === 1 ? 'request' : null;
      }),
    accept: (...pair) =>
      claimingPair(executor, pair, async (transaction) => {
        await transaction.change(ACCEPT, pair);
        return (await transaction.change(END_REQUEST, pair)) === 1;
      }),
    decline: (...pair) =>
      claimingPair(executor, pair, async (transaction) => (await transaction.change(END_REQUEST, pair)) === 1),
    async followedBy(follower, limit) {
      const rows = await executor.read<{ readonly followed: string }>(FOLLOWED, [follower, limit]);
      return rows.map(({ followed }) => followed);
    },
    async policy(userId) {
      return (await executor.readOne<Pick<StateRow, 'policy'>>(POLICY, [userId]))?.policy ?? null;
    },
    async setPolicy(userId, policy) {
      await executor.change(SET_POLICY, [userId, policy]);
    },
  };
}
