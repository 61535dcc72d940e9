import { AppError } from '../errors.ts';
import { typedPassword } from '../names/typed.ts';
import type { CommonPasswords } from '../ports/common-passwords.ts';
import type { SettingsReader } from '../settings/settings.ts';

const MAX_PASSWORD_LENGTH = 1024;

const TOO_COMMON = 'a password that is harder to guess, without your name';

/** A new password, and whose it will be. */
export interface NewPassword {
  readonly password: string;
  /** The name of the user. */
  readonly username: string;
  /** Where the password stands in the request: a JSON Pointer. Default: `/password`. */
  readonly input?: string;
}

export interface PasswordRulesDeps {
  readonly settings: SettingsReader;
  readonly commonPasswords: CommonPasswords;
}

export type PasswordRules = ReturnType<typeof createPasswordRules>;

/** What new passwords must be. By default every text is allowed, even the empty one; the upper limit keeps hashing cheap. */
export function createPasswordRules({ settings, commonPasswords }: PasswordRulesDeps) {
  /** What a password that is too weak must have or be; null when it is not too weak. */
  async function demand({ password: typed, username }: NewPassword): Promise<string | null> {
    const password = typedPassword(typed);
    const values = await settings.current();
    const least = values['password.min.length'];
    if (Array.from(password).length < least) return `at least ${least} character${least === 1 ? '' : 's'}`;
    if (!values['password.refuse.common']) return null;
    return (await commonPasswords.isCommon(password, [username])) ? TOO_COMMON : null;
  }

  return {
    /** As `check`. Resolves to what is wrong, as a sentence; null when nothing is. @throws `passwords.busy` */
    async problem(given: NewPassword): Promise<string | null> {
      if (given.password.length > MAX_PASSWORD_LENGTH) {
        return `The password is longer than ${MAX_PASSWORD_LENGTH} characters.`;
      }
      const demanded = await demand(given);
      if (demanded === TOO_COMMON) return `Choose ${TOO_COMMON}.`;
      return demanded === null ? null : `The password must have ${demanded}.`;
    },

    /**
     * May take a while: rate limits come first.
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
