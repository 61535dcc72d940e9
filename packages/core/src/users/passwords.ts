import { AppError } from '../errors.ts';
import type { SettingsReader } from '../settings/settings.ts';

export const MAX_PASSWORD_LENGTH = 1024;

/** Whether the password has fewer characters (code points) than the setting `password.min.length` demands. */
export const isTooShort = (password: string, least: number) => Array.from(password).length < least;

export const tooShort = (least: number) => `at least ${least} character${least === 1 ? '' : 's'}`;

/**
 * Checks a new password. By default every text is allowed, even the empty one; the upper limit keeps hashing cheap.
 *
 * @param input where the password stands in the request: a JSON Pointer
 * @throws `user.password_invalid`, `password.too_weak`
 */
export async function checkPassword(settings: SettingsReader, password: string, input = '/password'): Promise<void> {
  if (password.length > MAX_PASSWORD_LENGTH) throw new AppError('user.password_invalid', { input });
  const least = (await settings.current())['password.min.length'];
  if (isTooShort(password, least)) throw new AppError('password.too_weak', { detail: tooShort(least), input });
}
