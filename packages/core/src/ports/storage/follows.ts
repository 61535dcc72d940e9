/** Follow relations, by user ids. Lists of followers and followed users are in `UserStore.list`. */
export interface FollowStore {
  /**
   * Resolves to false when the relation exists already; of concurrent calls exactly one resolves to true.
   *
   * @throws `user.not_found` when one of the users does not exist
   */
  add(follower: string, followed: string): Promise<boolean>;
  /** Resolves to false when there was nothing to remove. */
  remove(follower: string, followed: string): Promise<boolean>;
}
