export interface ResetToken {
  /** Keyed digest of the token: whoever reads the stored row cannot use it. */
  readonly digest: string;
  readonly userId: string;
  /** Milliseconds; from then on the token counts as absent. */
  readonly expires: number;
}

/** Tokens that allow a user to set a new password, at most one for each user. */
export interface ResetTokenStore {
  /** Replaces the user's earlier one. @throws `user.not_found` */
  put(token: ResetToken): Promise<void>;
  /** The id of the user to whom the token belongs; null when there is none or it has expired. */
  find(digest: string, now: number): Promise<string | null>;
  /** As `find`, and removes the token: of concurrent calls exactly one gets the id of the user. */
  consume(digest: string, now: number): Promise<string | null>;
  /** Removes the token of the user, if there is one. */
  removeOfUser(userId: string): Promise<void>;
  /** Removes up to `limit` expired tokens. Resolves to the number removed. */
  removeExpired(now: number, limit: number): Promise<number>;
}
