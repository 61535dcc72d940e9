/** Whom a user lets follow them: anyone at once, those whose requests they accept, or nobody else. */
export type FollowPolicy = 'anyone' | 'approve' | 'nobody';

export const FOLLOW_POLICIES: readonly FollowPolicy[] = ['anyone', 'approve', 'nobody'];

/**
 * What came of an attempt to follow a user. `blocking`: the follower blocks that user. `blocked`: that user blocks the
 * follower, who must not learn of it.
 */
export type FollowOutcome = 'followed' | 'requested' | 'exists' | 'refused' | 'blocking' | 'blocked';

/**
 * Follow relations and requests to follow, by user ids. Lists of users are in `UserStore.list`. Of two users at most
 * one of these exists in each direction: a relation, a request. Calls that concern the same two users, also those of
 * `BlockStore`, take effect one after the other.
 */
export interface FollowStore {
  /**
   * Adds a relation whatever policies and blocks say, and ends a request. Resolves to false when the relation exists
   * already; of concurrent calls exactly one resolves to true.
   *
   * @throws `user.not_found` when one of the users does not exist
   */
  add(follower: string, followed: string): Promise<boolean>;
  /** Ends a relation. Resolves to false when there was none. */
  remove(follower: string, followed: string): Promise<boolean>;
  /**
   * Adds a relation or a request, as the policy of the followed user says; a request that exists already is
   * `requested` again. No relation or request begins while one of the two blocks the other.
   *
   * @param usual the policy of users who have chosen none
   * @throws `user.not_found` when one of the users does not exist
   */
  follow(follower: string, followed: string, usual: FollowPolicy): Promise<FollowOutcome>;
  /** Ends a relation or withdraws a request. Resolves to what it ended, or to null when there was neither. */
  unfollow(follower: string, followed: string): Promise<'relation' | 'request' | null>;
  /** Turns a request into a relation. Resolves to false when there is no request. */
  accept(follower: string, followed: string): Promise<boolean>;
  /** Removes a request. Resolves to false when there is none. */
  decline(follower: string, followed: string): Promise<boolean>;
  /** Up to `limit` of the users whom a user follows, in no order. */
  followedBy(follower: string, limit: number): Promise<readonly string[]>;
  /** The policy that a user has chosen; null when they have chosen none, or do not exist. */
  policy(userId: string): Promise<FollowPolicy | null>;
  /** Changes no relation and no request. Null for the usual policy. Does nothing when there is no such user. */
  setPolicy(userId: string, policy: FollowPolicy | null): Promise<void>;
}
