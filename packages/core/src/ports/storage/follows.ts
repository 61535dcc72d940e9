/** Who follows whom, by user ids. The lists are the users' (`UserStore.list`). */
export interface FollowStore {
  /**
   * Resolves to false when the relation is there already; of concurrent calls exactly one resolves to true.
   *
   * @throws `user.not_found` when one of them does not exist
   */
  add(follower: string, followed: string): Promise<boolean>;
  /** Resolves to false when there was nothing to remove. */
  remove(follower: string, followed: string): Promise<boolean>;
}
