import { AppError } from '../errors.ts';

export const MAX_NAME_LENGTH = 128;

/** What scripts and emoji need though nobody sees it: two joiners and the emoji variation. */
const INVISIBLE_AIDS = /\u200c|\u200d|\ufe0f/g;
/** Controls, unassigned and private characters, and everything invisible but those aids. */
const UNPRINTABLE =
  /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const INTERNAL = new Set(['admin', 'anonymous']);

/**
 * Two names with one key are the same name: without regard to case, to Unicode's compatibility forms, and to what
 * nobody sees, so that no name passes for another.
 */
export function userKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(INVISIBLE_AIDS, '');
}

/** Names of the service's own users, which nobody can take or follow. */
export function isInternalName(name: string): boolean {
  const key = userKey(name);
  return key.startsWith('_') || INTERNAL.has(key);
}

/** @throws `user.name_invalid`, `user.internal` */
export function checkUserName(name: string): void {
  const length = Array.from(name).length;
  const isVisible = userKey(name).trim() !== '' && name.trim() === name && !UNPRINTABLE.test(name);
  if (length > MAX_NAME_LENGTH || !isVisible) {
    throw new AppError('user.name_invalid');
  }
  if (isInternalName(name)) throw new AppError('user.internal');
}
