/** What came of an attempt to block a user. `blocked`: that user blocks the caller, who must not learn of it. */
export type BlockOutcome = 'added' | 'exists' | 'blocked';

export interface Block {
  readonly outcome: BlockOutcome;
  /** Those of the two who no longer follow the other one: their ids, in ascending order. */
  readonly parted: readonly string[];
}

/** Which users block which others, by their ids. Lists of blocked users are in `UserStore.list`. */
export interface BlockStore {
  /**
   * Adds a block, and ends relations and requests between the two users in both directions. Of two users at most one
   * blocks the other.
   *
   * @throws `user.not_found` when one of the users does not exist
   */
  add(blocker: string, blocked: string): Promise<Block>;
  /** Resolves to false when there was nothing to remove. */
  remove(blocker: string, blocked: string): Promise<boolean>;
}
