/** Follow policy of a user: open to everyone, by request, or closed. */
export type FollowPolicy = 'anyone' | 'approve' | 'nobody';

export const FOLLOW_POLICIES: readonly FollowPolicy[] = ['anyone', 'approve', 'nobody'];

/**
 * Result of an attempt to follow a user. `blocking`: the follower blocks that user. `blocked`: that user blocks the
 * follower, who must not learn of it.
 */
export type FollowOutcome = 'followed' | 'requested' | 'exists' | 'refused' | 'blocking' | 'blocked';

/**
 * Follow relations and follow requests, by user id. Lists of users are in `UserStore.list`. In each direction, two
 * users have at most one relation or request. Calls about the same two users, including those of `BlockStore`, take
 * effect one after the other.
 */
export interface FollowStore {
  /**
   * Adds a relation regardless of policies and blocks, and removes a pending request. Resolves to false if the relation
   * exists. Of concurrent calls exactly one resolves to true.
   *
   * @throws `user.not_found` if one of the users does not exist
   */
  add(follower: string, followed: string): Promise<boolean>;
  /** Ends a relation. Resolves to false if there was none. */
  remove(follower: string, followed: string): Promise<boolean>;
  /**
   * Adds a relation or a request, depending on the policy of the followed user. For an existing request it resolves to
   * `requested` again. Adds neither if one of the two blocks the other.
   *
   * @param usual policy of users who have chosen none
   * @throws `user.not_found` if one of the users does not exist
   */
  follow(follower: string, followed: string, usual: FollowPolicy): Promise<FollowOutcome>;
  /** Ends a relation or withdraws a request. Resolves to what it ended, or to null if there was neither. */
  unfollow(follower: string, followed: string): Promise<'relation' | 'request' | null>;
  /** Turns a request into a relation. Resolves to false if there is no request. */
  accept(follower: string, followed: string): Promise<boolean>;
  /** Removes a request. Resolves to false if there is none. */
  decline(follower: string, followed: string): Promise<boolean>;
  /** Returns up to `limit` of the users whom a user follows, in no particular order. */
  followedBy(follower: string, limit: number): Promise<readonly string[]>;
  /** Returns the policy chosen by a user; null if they have chosen none, or do not exist. */
  policy(userId: string): Promise<FollowPolicy | null>;
  /**
   * Sets the policy without changing relations and requests. Null for the default policy. No-op if there is no such
   * user.
   */
  setPolicy(userId: string, policy: FollowPolicy | null): Promise<void>;
}
