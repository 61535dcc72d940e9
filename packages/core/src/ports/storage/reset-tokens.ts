export interface ResetToken {
  /** Keyed digest of the token, so that the stored row is useless to an attacker. */
  readonly digest: string;
  readonly userId: string;
  /** Expiry, in milliseconds. From then on the token counts as absent. */
  readonly expires: number;
}

/** Tokens for setting a new password, at most one per user. */
export interface ResetTokenStore {
  /** Replaces the user's earlier one. @throws `user.not_found` */
  put(token: ResetToken): Promise<void>;
  /** Returns the id of the token's user; null if there is no such token or it has expired. */
  find(digest: string, now: number): Promise<string | null>;
  /** Finds and removes the token. Of concurrent calls exactly one gets the id of the user. */
  consume(digest: string, now: number): Promise<string | null>;
  /** Removes the token of the user, if any. */
  removeOfUser(userId: string): Promise<void>;
}
