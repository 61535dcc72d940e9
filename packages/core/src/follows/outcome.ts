import type { FollowOutcome, FollowPolicy } from '../ports/storage/follows.ts';

/** What decides whether one user may follow another. */
export interface FollowState {
  /** The policy that the followed user has chosen; null for none. */
  readonly policy: FollowPolicy | null;
  readonly isFollowing: boolean;
  /** Whether the follower blocks the other user. */
  readonly isBlocking: boolean;
  /** Whether the other user blocks the follower. */
  readonly isBlocked: boolean;
}

const BY_POLICY = { anyone: 'followed', approve: 'requested', nobody: 'refused' } as const;

/** What comes of an attempt to follow, for every adapter. @param usual the policy of users who have chosen none */
export function followOutcome(state: FollowState, usual: FollowPolicy): FollowOutcome {
  if (state.isBlocked) return 'blocked';
  if (state.isFollowing) return 'exists';
  return state.isBlocking ? 'blocking' : BY_POLICY[state.policy ?? usual];
}
