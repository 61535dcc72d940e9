import { AppError } from '../errors.ts';

export const MAX_PASSWORD_LENGTH = 1024;

/** Any text is a password, the empty one too; the bound keeps hashing cheap for us. @throws `user.password_invalid` */
export function checkPassword(password: string): void {
  if (password.length > MAX_PASSWORD_LENGTH) throw new AppError('user.password_invalid', { input: '/password' });
}
