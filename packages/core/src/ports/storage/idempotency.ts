/** What a caller got for a request that they marked with a key. */
export interface StoredAnswer {
  /** Tells the request apart from others under the same key. */
  readonly fingerprint: string;
  /** The failure as text; null when the request did not fail. */
  readonly failure: string | null;
  /** The answer as text; null when the request failed. */
  readonly data: string | null;
}

/** A key of one user's. */
export interface IdempotencyKey {
  readonly userId: string;
  /** Digest of what the user sent as the key. */
  readonly digest: string;
}

export interface KeyClaim extends IdempotencyKey {
  readonly fingerprint: string;
  readonly now: number;
  /** Milliseconds; from then on the key is free again. */
  readonly expires: number;
}

/** Keys under which requests were made, with what came of them. Used inside of transactions. */
export interface IdempotencyStore {
  /**
   * Takes the key: resolves to null when it was free. Of concurrent transactions that claim one key a single one gets
   * it; the others wait until that one has ended, and get what it kept, or the key itself if it came to nothing.
   *
   * @throws `user.not_found` when there is no such user
   */
  claim(claim: KeyClaim): Promise<StoredAnswer | null>;
  /** Keeps what came of the request that claimed the key, until the key expires. */
  keep(key: IdempotencyKey, answer: Omit<StoredAnswer, 'fingerprint'>): Promise<void>;
  /** Gives a key back that this transaction has claimed: it is free again. */
  release(key: IdempotencyKey): Promise<void>;
  /** Removes up to `limit` keys that have expired. Resolves to how many. */
  removeExpired(now: number, limit: number): Promise<number>;
}
