/** An unverified address of a user. */
export interface EmailClaim {
  readonly userId: string;
  readonly email: string;
  /** Keyed digest of the code in the mail. */
  readonly code: string;
  /** Keyed digest of the token in the link. */
  readonly token: string;
  /** Expiry, in milliseconds. From then on the claim counts as absent. */
  readonly expires: number;
}

/**
 * Unverified addresses (claims), at most one per user, and verified addresses, at most one per user and each of only
 * one user. Both are removed with the user. `UserRecord.emailVerified` is true for users with a verified address.
 */
export interface EmailStore {
  /** Replaces the user's earlier claim. @throws `user.not_found` */
  claim(claim: EmailClaim): Promise<void>;
  /**
   * Counts an attempt at the user's claim, before it is examined. Null if there is none, it has expired, or `most`
   * attempts have been counted, also across concurrent calls.
   */
  attempt(userId: string, now: number, most: number): Promise<EmailClaim | null>;
  /** Returns the claim to which a link belongs, without changes. */
  find(token: string, now: number): Promise<EmailClaim | null>;
  /** Removes the claim. Resolves to false if there is none. Of concurrent calls exactly one resolves to true. */
  consume(token: string, now: number): Promise<boolean>;
  /**
   * Makes the address the user's only verified one, and lets the user log in from now on (`NewUser.awaitsEmail`). `key`
   * is the same for all spellings of an address. Resolves to false, without changes, if it belongs to another user. The
   * user must be locked.
   */
  verify(userId: string, key: string, now: number): Promise<boolean>;
  /** Lets the user log in without a verified address. */
  waive(userId: string): Promise<void>;
  /** Records that the user's address was replaced or removed, and removes the verified one. */
  release(userId: string, at: number): Promise<void>;
  /**
   * Returns the time of the user's last `release`, in milliseconds; null if the address is the one given at sign-up.
   */
  changed(userId: string): Promise<number | null>;
  /** Removes the claim of the user, if any. */
  withdraw(userId: string): Promise<void>;
  /** Returns the id of the user with this verified address; null if there is none. */
  ownerOf(key: string): Promise<string | null>;
}
