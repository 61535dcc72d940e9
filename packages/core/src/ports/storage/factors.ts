/** The TOTP secret of a user. */
export interface TotpSecret {
  /** Encrypted. */
  readonly sealed: string;
  /**
   * Time at which the user proved possession of the secret, in milliseconds. Null before that; then it is not required
   * at login.
   */
  readonly confirmed: number | null;
}

/** A time step whose code a client has sent. */
export interface TotpUse {
  readonly userId: string;
  /** Secret from which the code was computed. */
  readonly sealed: string;
  readonly step: number;
}

export interface TotpConfirmation extends TotpUse {
  readonly now: number;
  /** Digests of the recovery codes, each encrypted. */
  readonly recoveryCodes: readonly string[];
}

/**
 * Second factors of users. A user has a second factor once their secret is confirmed: `users.credentials` reports it,
 * and `sessions.begin` rejects such users. Callers that change a factor, or begin a session with one, lock the user
 * first.
 */
export interface FactorStore {
  /** Replaces an unconfirmed secret. Resolves to false if it is confirmed. @throws `user.not_found` */
  prepare(userId: string, sealed: string): Promise<boolean>;
  find(userId: string): Promise<TotpSecret | null>;
  /**
   * Confirms the secret, marks its step as used, and stores the recovery codes. Resolves to false if it is not the
   * user's secret, or is already confirmed. Of concurrent calls exactly one resolves to true.
   */
  confirm(confirmation: TotpConfirmation): Promise<boolean>;
  /**
   * Marks a step of the confirmed secret as used. Resolves to false if it, or a later one, has been used. Of concurrent
   * calls exactly one resolves to true.
   */
  useStep(use: TotpUse): Promise<boolean>;
  /** Returns the unused recovery codes, as stored. */
  recoveryCodes(userId: string): Promise<string[]>;
  /** Removes a recovery code. Resolves to false if there is none. Of concurrent calls exactly one resolves to true. */
  useRecoveryCode(userId: string, stored: string): Promise<boolean>;
  /** Removes the secret and the recovery codes. Resolves to true if the secret was confirmed. */
  remove(userId: string): Promise<boolean>;
}
