/** A login that waits for the second factor or for a code sent by mail. */
export interface Challenge {
  /** Keyed digest of what the client sends back, so that the stored row is useless to an attacker. */
  readonly digest: string;
  readonly userId: string;
  /** Completed login steps, encrypted. */
  readonly sealed: string;
  /** Expiry, in milliseconds. From then on the challenge counts as absent. */
  readonly expires: number;
}

export interface ChallengeStore {
  /** @throws `user.not_found` */
  add(challenge: Challenge): Promise<void>;
  /**
   * Counts an attempt, before it is examined. Null if there is no such challenge, it has expired, or `most` attempts
   * have been counted, also across concurrent calls.
   */
  attempt(digest: string, now: number, most: number): Promise<Challenge | null>;
  /**
   * Records, until it expires, the use of a challenge that was issued without being stored. Resolves to false if it was
   * used before. Of concurrent calls exactly one resolves to true.
   *
   * @throws `user.not_found`
   */
  spend(challenge: Omit<Challenge, 'sealed'>): Promise<boolean>;
  /** Removes the challenge. Resolves to false if there is none. Of concurrent calls exactly one resolves to true. */
  consume(digest: string): Promise<boolean>;
}
