import type { FollowOutcome, FollowPolicy } from '../ports/storage/follows.ts';

/** Facts that determine whether one user may follow another. */
export interface FollowState {
  /** Policy of the followed user; null for none. */
  readonly policy: FollowPolicy | null;
  readonly isFollowing: boolean;
  /** True if the follower blocks the other user. */
  readonly isBlocking: boolean;
  /** True if the other user blocks the follower. */
  readonly isBlocked: boolean;
}

const BY_POLICY = { anyone: 'followed', approve: 'requested', nobody: 'refused' } as const;

/** Returns the result of a follow attempt, for all adapters. @param usual policy of users who have chosen none */
export function followOutcome(state: FollowState, usual: FollowPolicy): FollowOutcome {
  if (state.isBlocked) return 'blocked';
  if (state.isFollowing) return 'exists';
  return state.isBlocking ? 'blocking' : BY_POLICY[state.policy ?? usual];
}
