/** The TOTP secret of a user. */
export interface TotpSecret {
  /** Encrypted. */
  readonly sealed: string;
  /** When the user proved to have it, milliseconds; until then null, and it is not asked for. */
  readonly confirmed: number | null;
}

/** A step whose code somebody has sent. */
export interface TotpUse {
  readonly userId: string;
  /** The secret with which the code was computed. */
  readonly sealed: string;
  readonly step: number;
}

export interface TotpConfirmation extends TotpUse {
  readonly now: number;
  /** Digests of the recovery codes, each encrypted. */
  readonly recoveryCodes: readonly string[];
}

/**
 * What users prove at a login besides the password. A user has a second factor while their secret is confirmed:
 * `users.credentials` says so, and `sessions.begin` refuses such users. Callers that change a factor, or begin a session
 * with one, lock the user first.
 */
export interface FactorStore {
  /** Replaces a secret that is not confirmed. Resolves to false when it is. @throws `user.not_found` */
  prepare(userId: string, sealed: string): Promise<boolean>;
  find(userId: string): Promise<TotpSecret | null>;
  /**
   * Confirms the secret, counts its step as used, and stores the recovery codes. Resolves to false when it is not the
   * user's secret, or is confirmed already: of concurrent calls exactly one resolves to true.
   */
  confirm(confirmation: TotpConfirmation): Promise<boolean>;
  /**
   * Counts a step of the confirmed secret as used. Resolves to false when it, or a later one, has been used: of concurrent
   * calls exactly one resolves to true.
   */
  useStep(use: TotpUse): Promise<boolean>;
  /** The recovery codes that have not been used, as they were stored. */
  recoveryCodes(userId: string): Promise<string[]>;
  /** Removes a recovery code. Resolves to false when there is none: of concurrent calls exactly one resolves to true. */
  useRecoveryCode(userId: string, stored: string): Promise<boolean>;
  /** The number of recovery codes that have not been used. */
  countRecoveryCodes(userId: string): Promise<number>;
  /** Removes the secret and the recovery codes. Resolves to whether the secret was confirmed. */
  remove(userId: string): Promise<boolean>;
}
