/** Hashes passwords so that a stolen hash is expensive to try. */
export interface Passwords {
  /**
   * A salted hash that contains its own parameters; two hashes of one password differ.
   *
   * @throws `passwords.busy` when too many calls are waiting already
   */
  hash(password: string): Promise<string>;
  /**
   * Whether `hash` is a hash of `password`. With `null` (no such user, or a user without a password) it resolves to
   * false after the time that a real comparison takes. A text that is not a hash matches no password.
   *
   * @throws `passwords.busy` when too many calls are waiting already
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}
