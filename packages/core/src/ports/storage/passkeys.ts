/** A credential with which a user logs in without a name and a password. */
export interface Passkey {
  readonly id: string;
  readonly userId: string;
  /** The id that the authenticator gave to it, base64url; unique. */
  readonly credential: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  /** The signatures that the authenticator has counted; 0 for authenticators that do not count. */
  readonly counter: number;
  /** How browsers reach the authenticator, such as `internal` and `usb`. */
  readonly transports: readonly string[];
  readonly name: string;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds; null before the first login. */
  readonly lastUsed: number | null;
}

export type NewPasskey = Omit<Passkey, 'lastUsed'>;

/** A signature whose counter is to be stored. */
export interface PasskeyUse {
  readonly id: string;
  readonly counter: number;
  readonly at: number;
}

export interface PasskeyStore {
  /** Resolves to false when somebody has this credential already. @throws `user.not_found` */
  add(passkey: NewPasskey): Promise<boolean>;
  find(credential: string): Promise<Passkey | null>;
  /** The passkeys of a user, oldest first. */
  list(userId: string): Promise<Passkey[]>;
  /**
   * Stores the counter of a signature, if it is greater than the stored one, or both are 0. Otherwise, or if there is no
   * such passkey, resolves to false: of concurrent calls with the same counter, other than 0, exactly one resolves to true.
   */
  use(use: PasskeyUse): Promise<boolean>;
  /** Resolves to false when the user has no such passkey. */
  rename(userId: string, id: string, name: string): Promise<boolean>;
  /** Resolves to false when the user has no such passkey. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Resolves to the number removed. */
  removeOfUser(userId: string): Promise<number>;
}
