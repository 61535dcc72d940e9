/** Who a secret belongs to, as authenticator apps show it. */
export interface TotpAccount {
  /** Base32 (RFC 4648), without padding. */
  readonly secret: string;
  /** The name of the application. */
  readonly issuer: string;
  readonly account: string;
}

/** Time-based one-time passwords (RFC 6238) as authenticator apps compute them: SHA-1, six digits, steps of 30 seconds. */
export interface Totp {
  /** The URI that an app reads from a QR code. */
  uri(account: TotpAccount): string;
  /**
   * The number of the step to which the code belongs: that of `at` (milliseconds), or the one before or after it, for clocks
   * that differ. Null when it belongs to none of them. Spaces in the code do not
   * count, because apps show them.
   */
  stepOf(secret: string, code: string, at: number): number | null;
}
