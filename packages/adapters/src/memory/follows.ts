import { type BlockStore, type FollowStore, followOutcome } from '@baobab/core';
import { requireUser } from './small-stores.ts';
import { followKey, type State } from './state.ts';

export function createFollowStore(state: State): FollowStore {
  const policyOf = (userId: string) => state.followPolicies.get(userId)?.policy ?? null;

  function relate(follower: string, followed: string): void {
    requireUser(state, follower);
    requireUser(state, followed);
    state.follows.set({ follower, followed });
    state.followRequests.delete(followKey(follower, followed));
  }

  return {
    async add(follower, followed) {
      if (state.follows.get(followKey(follower, followed)) !== undefined) return false;
      relate(follower, followed);
      return true;
    },
    async remove(follower, followed) {
      return state.follows.delete(followKey(follower, followed));
    },
    async follow(follower, followed, usual) {
      requireUser(state, followed);
      const outcome = followOutcome(
        {
          policy: policyOf(followed),
          isFollowing: state.follows.get(followKey(follower, followed)) !== undefined,
          isBlocking: state.blocks.get(followKey(follower, followed)) !== undefined,
          isBlocked: state.blocks.get(followKey(followed, follower)) !== undefined,
        },
        usual,
      );
      if (outcome === 'followed') relate(follower, followed);
      if (outcome === 'requested') {
        requireUser(state, follower);
        state.followRequests.set({ follower, followed });
      }
      return outcome;
    },
    async unfollow(follower, followed) {
      const key = followKey(follower, followed);
      if (state.follows.delete(key)) return 'relation';
      return state.followRequests.delete(key) ? 'request' : null;
    },
    async accept(follower, followed) {
      if (state.followRequests.get(followKey(follower, followed)) === undefined) return false;
      relate(follower, followed);
      return true;
    },
    async decline(follower, followed) {
      return state.followRequests.delete(followKey(follower, followed));
    },
    async followedBy(follower, limit) {
      const rows = state.follows.where('follower', follower);
      return rows.slice(0, limit).map(({ followed }) => followed);
    },
    async policy(userId) {
      return policyOf(userId);
    },
    async setPolicy(userId, policy) {
      if (policy === null) state.followPolicies.delete(userId);
      else if (state.users.get(userId) !== undefined) state.followPolicies.set({ userId, policy });
    },
  };
}

export function createBlockStore(state: State): BlockStore {
  return {
    async add(blocker, blocked) {
      if (state.blocks.get(followKey(blocked, blocker)) !== undefined) return { outcome: 'blocked', parted: [] };
      requireUser(state, blocker);
      requireUser(state, blocked);
      const exists = state.blocks.get(followKey(blocker, blocked)) !== undefined;
      state.blocks.set({ blocker, blocked });
      const parted: string[] = [];
      for (const [follower, followed] of [
        [blocker, blocked],
        [blocked, blocker],
      ] as const) {
        if (state.follows.delete(followKey(follower, followed))) parted.push(follower);
        state.followRequests.delete(followKey(follower, followed));
      }
      return { outcome: exists ? 'exists' : 'added', parted: parted.toSorted() };
    },
    async remove(blocker, blocked) {
      return state.blocks.delete(followKey(blocker, blocked));
    },
  };
}
