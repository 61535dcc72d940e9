/** A login that waits for the second factor or for a code by mail. */
export interface Challenge {
  /** Keyed digest of what the client sends back: whoever reads the stored row cannot use it. */
  readonly digest: string;
  readonly userId: string;
  /** What has been proved so far, encrypted. */
  readonly sealed: string;
  /** Milliseconds; from then on the challenge counts as absent. */
  readonly expires: number;
}

export interface ChallengeStore {
  /** @throws `user.not_found` */
  add(challenge: Challenge): Promise<void>;
  /**
   * Counts an attempt, before it is examined. Null when there is no such challenge, it has expired, or `most` attempts have
   * been counted: concurrent calls count no more than that.
   */
  attempt(digest: string, now: number, most: number): Promise<Challenge | null>;
  /**
   * Stores that a challenge which was handed out without being stored has been used; until it expires. Resolves to false
   * when that was stored before: of concurrent calls exactly one resolves to true.
   *
   * @throws `user.not_found`
   */
  spend(challenge: Omit<Challenge, 'sealed'>): Promise<boolean>;
  /** Removes the challenge. Resolves to false when there is none: of concurrent calls exactly one resolves to true. */
  consume(digest: string): Promise<boolean>;
  /** Removes up to `limit` expired challenges. Resolves to the number removed. */
  removeExpired(now: number, limit: number): Promise<number>;
}
