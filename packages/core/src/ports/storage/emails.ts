/** An address that a user claims to have, until they have shown it. */
export interface EmailClaim {
  readonly userId: string;
  readonly email: string;
  /** Keyed digest of the code in the mail. */
  readonly code: string;
  /** Keyed digest of the token in the link. */
  readonly token: string;
  /** Milliseconds; from then on the claim counts as absent. */
  readonly expires: number;
}

/**
 * Claims of addresses, at most one for each user, and verified addresses: a user has at most one, and it belongs to nobody
 * else. Both go with the user. `UserRecord.emailVerified` says whether a user has one.
 */
export interface EmailStore {
  /** Replaces the user's earlier claim. @throws `user.not_found` */
  claim(claim: EmailClaim): Promise<void>;
  /**
   * Counts an attempt at the user's claim, before it is examined. Null when there is none, it has expired, or `most`
   * attempts have been counted: concurrent calls count no more than that.
   */
  attempt(userId: string, now: number, most: number): Promise<EmailClaim | null>;
  /** The claim to which a link belongs. Changes nothing. */
  find(token: string, now: number): Promise<EmailClaim | null>;
  /** Removes the claim. Resolves to false when there is none: of concurrent calls exactly one resolves to true. */
  consume(token: string, now: number): Promise<boolean>;
  /**
   * Makes the address the only verified one of the user, and lets the user log in from now on (`NewUser.awaitsEmail`).
   * `key` is the same for all spellings of an address. Resolves to false, and changes nothing, when it belongs to another
   * user. The user must be locked.
   */
  verify(userId: string, key: string, now: number): Promise<boolean>;
  /** Lets the user log in without a verified address. */
  waive(userId: string): Promise<void>;
  /** Records that the user's address was replaced or removed, and takes a verified one from the user. */
  release(userId: string, at: number): Promise<void>;
  /** When `release` was called for the user last, milliseconds; null if the address is the one that was given at sign-up. */
  changed(userId: string): Promise<number | null>;
  /** Removes the claim of the user, if there is one. */
  withdraw(userId: string): Promise<void>;
  /** The id of the user to whom a verified address belongs; null when there is none. */
  ownerOf(key: string): Promise<string | null>;
  /** Removes up to `limit` expired claims. Resolves to the number removed. */
  removeExpired(now: number, limit: number): Promise<number>;
}
