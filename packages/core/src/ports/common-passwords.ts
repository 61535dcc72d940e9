/** Knows which passwords are guessed first. */
export interface CommonPasswords {
  /**
   * Whether the password is one that anybody would guess soon: a common one, an ordinary variation of one, a simple
   * pattern, or made of what is known about the user. Other short passwords are not common.
   *
   * @param about what is known about the user, such as the name
   * @throws `passwords.busy` when too many calls are waiting already
   */
  isCommon(password: string, about: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}
