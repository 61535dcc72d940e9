import { AppError } from '../errors.ts';

export const MAX_NAME_LENGTH = 128;

/** Controls, formatting marks (but for the joiners that scripts and emoji need), unassigned and private characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
const INTERNAL = new Set(['admin', 'anonymous']);

/** Two names with one key are the same name: without regard to case and to Unicode's compatibility forms. */
export function userKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Names of the service's own users, which nobody can take or follow. */
export function isInternalName(name: string): boolean {
  const key = userKey(name);
  return key.startsWith('_') || INTERNAL.has(key);
}

/** @throws `user.name_invalid`, `user.internal` */
export function checkUserName(name: string): void {
  const length = Array.from(name).length;
  if (length === 0 || length > MAX_NAME_LENGTH || name.trim() !== name || UNPRINTABLE.test(name)) {
    throw new AppError('user.name_invalid');
  }
  if (isInternalName(name)) throw new AppError('user.internal');
}
