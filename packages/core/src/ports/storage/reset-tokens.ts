export interface ResetToken {
  /** Keyed digest of the token: what is stored opens nothing. */
  readonly digest: string;
  readonly userId: string;
  /** Milliseconds; from then on it is as if it were not there. */
  readonly expires: number;
}

/** Permissions to set a new password, one for each user at most. */
export interface ResetTokenStore {
  /** Replaces the user's earlier one. @throws `user.not_found` */
  put(token: ResetToken): Promise<void>;
  /** The id of the user whose token it is, if it has not expired. */
  find(digest: string, now: number): Promise<string | null>;
  /** Takes it: of concurrent calls exactly one gets the id of the user. */
  consume(digest: string, now: number): Promise<string | null>;
  /** Removes up to `limit` that have expired. Resolves to how many. */
  removeExpired(now: number, limit: number): Promise<number>;
}
