import { type BlockStore, type FollowStore, followOutcome } from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

/** Creates the methods that read and change the policies of users in a table. */
export const createPolicies = (
  { users }: State,
  policies: State['followPolicies'],
): Immediate<Pick<FollowStore, 'policy' | 'setPolicy'>> => ({
  policy: (userId) => policies.get(userId)?.policy ?? null,
  setPolicy(userId, policy) {
    if (policy === null) policies.delete(userId);
    else if (users.has(userId)) policies.set({ userId, policy });
  },
});

export function createFollowStore(state: State): Immediate<FollowStore> {
  const { follows, followRequests, blocks } = state;
  const policies = createPolicies(state, state.followPolicies);

  function relate(follower: string, followed: string): void {
    follows.set({ follower, followed });
    followRequests.delete(follower, followed);
  }

  return {
    ...policies,
    add(follower, followed) {
      if (follows.has(follower, followed)) return false;
      relate(follower, followed);
      return true;
    },
    remove: follows.delete,
    follow(follower, followed, usual) {
      state.requireUser(followed);
      const outcome = followOutcome(
        {
          policy: policies.policy(followed),
          isFollowing: follows.has(follower, followed),
          isBlocking: blocks.has(follower, followed),
          isBlocked: blocks.has(followed, follower),
        },
        usual,
      );
      if (outcome === 'followed') relate(follower, followed);
      if (outcome === 'requested') followRequests.set({ follower, followed });
      return outcome;
    },
    unfollow(follower, followed) {
      if (follows.delete(follower, followed)) return 'relation';
      return followRequests.delete(follower, followed) ? 'request' : null;
    },
    accept(follower, followed) {
      if (!followRequests.has(follower, followed)) return false;
      relate(follower, followed);
      return true;
    },
    decline: followRequests.delete,
    followedBy: (follower, limit) => follows.where({ follower }, limit).map(({ followed }) => followed),
  };
}

export function createBlockStore({ blocks, follows, followRequests }: State): Immediate<BlockStore> {
  return {
    add(blocker, blocked) {
      if (blocks.has(blocked, blocker)) return { outcome: 'blocked', parted: [] };
      const outcome = blocks.has(blocker, blocked) ? 'exists' : 'added';
      blocks.set({ blocker, blocked });
      followRequests.delete(blocker, blocked);
      followRequests.delete(blocked, blocker);
      const parted: string[] = [];
      if (follows.delete(blocker, blocked)) parted.push(blocker);
      if (follows.delete(blocked, blocker)) parted.push(blocked);
      return { outcome, parted: parted.sort() };
    },
    remove: blocks.delete,
  };
}
