/** Result of an attempt to block a user. `blocked`: that user blocks the caller, who must not learn of it. */
export type BlockOutcome = 'added' | 'exists' | 'blocked';

export interface Block {
  readonly outcome: BlockOutcome;
  /** Ids of those of the two who no longer follow the other one, in ascending order. */
  readonly parted: readonly string[];
}

/** Blocks between users, by id. Lists of blocked users are in `UserStore.list`. */
export interface BlockStore {
  /**
   * Adds a block, and ends follow relations and requests between the two users in both directions. At most one of two
   * users blocks the other.
   *
   * @throws `user.not_found` if one of the users does not exist
   */
  add(blocker: string, blocked: string): Promise<Block>;
  /** Resolves to false if there was nothing to remove. */
  remove(blocker: string, blocked: string): Promise<boolean>;
}
