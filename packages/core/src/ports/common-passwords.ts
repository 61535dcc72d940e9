/** Detects passwords that attackers guess first. */
export interface CommonPasswords {
  /**
   * Returns true if the password is easy to guess: a common password, a typical variation of one, a simple pattern, or
   * derived from what is known about the user. Being short alone does not make a password common.
   *
   * @param about known facts about the user, such as the name
   * @throws `passwords.busy` if too many calls are waiting
   */
  isCommon(password: string, about: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}
