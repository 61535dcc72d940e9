/** Hashes passwords with a slow hash, so that guessing from a stolen hash is expensive. */
export interface Passwords {
  /**
   * Returns a salted hash that contains its parameters. Two hashes of one password differ.
   *
   * @throws `passwords.busy` if too many calls are waiting
   */
  hash(password: string): Promise<string>;
  /**
   * Returns true if `hash` is a hash of `password`. With `null` (no such user, or a user without a password) it
   * resolves to false after the duration of a real comparison. A text that is not a hash matches no password.
   *
   * @throws `passwords.busy` if too many calls are waiting
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}
