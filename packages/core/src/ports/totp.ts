/** Owner of a secret, as shown in authenticator apps. */
export interface TotpAccount {
  /** Base32 (RFC 4648), without padding. */
  readonly secret: string;
  /** Name of the application. */
  readonly issuer: string;
  readonly account: string;
}

/** Time-based one-time passwords (RFC 6238) as authenticator apps compute them: SHA-1, six digits, steps of 30 seconds. */
export interface Totp {
  /** Returns the URI that an app reads from a QR code. */
  uri(account: TotpAccount): string;
  /**
   * Returns the number of the step to which the code belongs: that of `at` (milliseconds), or the one before or after
   * it, to tolerate clock skew. Null if it belongs to none of them. Ignores spaces in the code, because apps show them.
   */
  stepOf(secret: string, code: string, at: number): number | null;
}
