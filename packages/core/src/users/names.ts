import { AppError } from '../errors.ts';
import type { UserName } from '../ports/storage/users.ts';
import { skeletonOf } from './skeleton.ts';

export const MAX_NAME_LENGTH = 128;

/** What scripts and emoji need though nobody sees it: two joiners and the emoji variation. */
const INVISIBLE_AIDS = /\u200c|\u200d|\ufe0f/g;
/** Controls, unassigned and private characters, the blank of Braille, and everything invisible but those aids. */
const UNPRINTABLE =
  /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800]|(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** What is seen without another character that it belongs to. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
const ASCII = /^[\0-\x7f]*$/;
const INTERNAL = new Set(['admin', 'anonymous']);
const INTERNAL_SKELETONS = new Set(Array.from(INTERNAL, skeletonOf));

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

/** The name with what it is compared by. */
export function userName(name: string): UserName {
  const key = userKey(name);
  return { name, key, skeleton: skeletonOf(name), isPlain: ASCII.test(key) };
}

/** Whether nobody can tell the name from one of the service's own. */
function looksInternal(name: string): boolean {
  const skeleton = skeletonOf(name);
  return skeleton.startsWith('_') || INTERNAL_SKELETONS.has(skeleton);
}

/** For names that are given; those that users have stay, whatever they are. @throws `user.name_invalid`, `user.internal` */
export function checkUserName(name: string): void {
  const length = Array.from(name).length;
  const isVisible = VISIBLE.test(userKey(name)) && name.trim() === name && !UNPRINTABLE.test(name);
  if (length > MAX_NAME_LENGTH || !isVisible) {
    throw new AppError('user.name_invalid', { input: '/username' });
  }
  if (isInternalName(name) || looksInternal(name)) throw new AppError('user.internal');
}
