import { AppError } from '../errors.ts';
import { typedPassword } from '../names/names.ts';
import type { CommonPasswords } from '../ports/common-passwords.ts';
import type { SettingsReader } from '../settings/settings.ts';

const MAX_PASSWORD_LENGTH = 1024;

const TOO_COMMON = 'a password that is harder to guess, without your name';

/** A new password with its user. */
export interface NewPassword {
  readonly password: string;
  /** User name. */
  readonly username: string;
  /** JSON Pointer to the password in the request. Default: `/password`. */
  readonly input?: string;
}

export interface PasswordRulesDeps {
  readonly settings: SettingsReader;
  readonly commonPasswords: CommonPasswords;
}

export type PasswordRules = ReturnType<typeof createPasswordRules>;

/**
 * Rules for new passwords. By default every text is allowed, even the empty one. The upper limit bounds the cost of
 * hashing.
 */
export function createPasswordRules({ settings, commonPasswords }: PasswordRulesDeps) {
  /** Returns the requirement that a password does not meet; null if it meets all. */
  async function demand({ password: typed, username }: NewPassword): Promise<string | null> {
    const password = typedPassword(typed);
    const values = await settings.current();
    const least = values['password.min.length'];
    if (Array.from(password).length < least) return `at least ${least} character${least === 1 ? '' : 's'}`;
    if (!values['password.refuse.common']) return null;
    return (await commonPasswords.isCommon(password, [username])) ? TOO_COMMON : null;
  }

  return {
    /**
     * Checks a password as `check`. Resolves to the problem, as a sentence; null if there is none. @throws
     * `passwords.busy`
     */
    async problem(given: NewPassword): Promise<string | null> {
      if (given.password.length > MAX_PASSWORD_LENGTH) {
        return `The password is longer than ${MAX_PASSWORD_LENGTH} characters.`;
      }
      const demanded = await demand(given);
      if (demanded === TOO_COMMON) return `Choose ${TOO_COMMON}.`;
      return demanded === null ? null : `The password must have ${demanded}.`;
    },

    /**
     * Checks a password. May be slow, so rate limits come first.
     *
     * @throws `user.password_invalid`, `password.too_weak`, `passwords.busy`
     */
    async check(given: NewPassword): Promise<void> {
      const { password, input = '/password' } = given;
      if (password.length > MAX_PASSWORD_LENGTH) throw new AppError('user.password_invalid', { input });
      const detail = await demand(given);
      if (detail !== null) throw new AppError('password.too_weak', { detail, input });
    },
  };
}
