/** Hashes passwords so that a stolen hash is expensive to try. */
export interface Passwords {
  /**
   * A salted hash that carries its parameters; two hashes of one password differ.
   *
   * @throws `passwords.busy` when too many wait already
   */
  hash(password: string): Promise<string>;
  /**
   * Whether `hash` was made of `password`. With `null` (there is no such user, or one without a password) it
   * resolves to false after the time that a real comparison takes. A text that is no hash matches nothing.
   *
   * @throws `passwords.busy` when too many wait already
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}
