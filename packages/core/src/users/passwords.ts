import { AppError } from '../errors.ts';

export const MAX_PASSWORD_LENGTH = 1024;

/** Every text is allowed, even the empty one; the limit keeps hashing cheap. @throws `user.password_invalid` */
export function checkPassword(password: string): void {
  if (password.length > MAX_PASSWORD_LENGTH) throw new AppError('user.password_invalid', { input: '/password' });
}
