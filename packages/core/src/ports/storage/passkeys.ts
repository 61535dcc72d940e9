/** A passkey: a credential for logins without a name and a password. */
export interface Passkey {
  readonly id: string;
  readonly userId: string;
  /** Credential id assigned by the authenticator, base64url; unique. */
  readonly credential: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  /** Signature counter of the authenticator; 0 for authenticators that do not count. */
  readonly counter: number;
  /** Ways for browsers to reach the authenticator, such as `internal` and `usb`. */
  readonly transports: readonly string[];
  readonly name: string;
  /** In milliseconds. */
  readonly created: number;
  /** Milliseconds; null before the first login. */
  readonly lastUsed: number | null;
}

export type NewPasskey = Omit<Passkey, 'lastUsed'>;

/** A use of a passkey, with the signature counter to store. */
export interface PasskeyUse {
  readonly id: string;
  readonly counter: number;
  readonly at: number;
}

export interface PasskeyStore {
  /** Resolves to false if the credential is already stored, for any user. @throws `user.not_found` */
  add(passkey: NewPasskey): Promise<boolean>;
  find(credential: string): Promise<Passkey | null>;
  /** Returns the passkeys of a user, oldest first. */
  list(userId: string): Promise<Passkey[]>;
  /**
   * Stores the counter of a signature, if it is greater than the stored one, or both are 0. Otherwise, or if there is
   * no such passkey, resolves to false. Of concurrent calls with the same counter, other than 0, exactly one resolves
   * to true.
   */
  use(use: PasskeyUse): Promise<boolean>;
  /** Resolves to false if the user has no such passkey. */
  rename(userId: string, id: string, name: string): Promise<boolean>;
  /** Resolves to false if the user has no such passkey. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Resolves to the number removed. */
  removeOfUser(userId: string): Promise<number>;
}
