/** The stored answer to a request with an idempotency key. */
export interface StoredAnswer {
  /** Distinguishes the request from other requests with the same key. */
  readonly fingerprint: string;
  /** The failure as text; null if the request succeeded. */
  readonly failure: string | null;
  /** The answer as text; null if the request failed. */
  readonly data: string | null;
}

/** An idempotency key of one user. */
export interface IdempotencyKey {
  readonly userId: string;
  /** Digest of the key sent by the user. */
  readonly digest: string;
}

export interface KeyClaim extends IdempotencyKey {
  readonly fingerprint: string;
  readonly now: number;
  /** Expiry, in milliseconds. From then on the key is free again. */
  readonly expires: number;
}

/** Idempotency keys with the answers to their requests. */
export interface IdempotencyStore {
  /**
   * Claims the key. Resolves to null if it was free. Of concurrent transactions that claim one key exactly one gets it.
   * The others wait until it has ended, and get its stored answer, or the key itself if it was rolled back.
   *
   * @throws `user.not_found` if there is no such user
   */
  claim(claim: KeyClaim): Promise<StoredAnswer | null>;
  /** Returns the stored answer for a key, without claiming it; null if the key is free. */
  find(key: IdempotencyKey, now: number): Promise<StoredAnswer | null>;
  /** Stores the answer to the request that claimed the key, until the key expires. */
  keep(key: IdempotencyKey, answer: Omit<StoredAnswer, 'fingerprint'>): Promise<void>;
  /** Releases a key claimed by this transaction, so that it is free again. */
  release(key: IdempotencyKey): Promise<void>;
}
