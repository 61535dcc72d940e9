import { AppError } from '../errors.ts';
import type { UserName } from '../ports/storage/users.ts';
import { isUuid, REMOVED_NAME } from '../wire.ts';
import { OFFICIAL_NAMES, USER_WORDS } from './reserved-names.ts';
import { skeletonOf } from './skeleton.ts';

/** An invisible character: white space, controls, the Braille blank, and everything that is not displayed. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** The emoji variation selector changes the character before it. */
const SELECTOR = '\ufe0f';

const isVisibleAscii = (code: number) => code > 0x20 && code < 0x7f;

/**
 * Returns the text without surrounding white space and invisible characters, which keyboards and clipboards add. Takes
 * linear time, unlike a regular expression for the end.
 */
export function trimmed(text: string): string {
  if (isVisibleAscii(text.charCodeAt(0)) && isVisibleAscii(text.charCodeAt(text.length - 1))) return text;
  const characters = Array.from(text);
  const isBlank = (at: number) => INVISIBLE.test(characters[at] ?? 'x');
  let [start, end] = [0, characters.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1) && characters[end - 1] !== SELECTOR) end--;
  return characters.slice(start, end).join('');
}

/** Separators of the digits of a code in mails, on paper and in apps. */
const SEPARATORS = /[\s\p{Pd}\u2212\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns a code as it was issued: without separators, with full-width digits and letters as plain ones. */
export const typedCode = (text: string) => text.normalize('NFKC').replaceAll(SEPARATORS, '');

/** Returns a password in the form that is hashed. Devices compose accents differently. Nothing is trimmed. */
export const typedPassword = (password: string) => password.normalize('NFC');

const MAX_NAME_LENGTH = 128;

/** Invisible characters needed by scripts and emoji: the two joiners and the emoji variation selector. */
const INVISIBLE_AIDS = /\u200c|\u200d|\ufe0f/g;
/** Control, unassigned and private-use characters, the Braille blank, and every other invisible character. */
const UNPRINTABLE =
  /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800]|(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** A character that is visible without others. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
const ASCII = /^[\0-\x7f]*$/;
const INTERNAL = new Set(['admin', 'anonymous']);

/**
 * Prefix of the keys of such users. It sorts after all other keys, and cannot occur in the key of a name, which has no
 * capital letters. So these users cannot be found by name, and their former names are free.
 */
export const REMOVED_KEYS = '\u{10ffff}REMOVED ';
/** Prefix of the keys of removed users whose shared documents and files stay. It sorts after `REMOVED_KEYS`. */
export const KEPT_KEYS = '\u{10ffff}REMOVED~';

const RESERVED_SKELETONS = new Set([...INTERNAL, ...OFFICIAL_NAMES].map(skeletonOf));
const WORDS = new Set(USER_WORDS);

/** Characters with a meaning in URL parsers and proxies. Names become path segments. */
const NOT_IN_PATHS = /[/\\?#%]/;
/** A key that some programs would resolve, because they also compare compatibility forms. */
const RESOLVED_KEY = /^\.{1,2}$|[/\\]/;

/**
 * Returns the key of a name. Two names with the same key are the same name. The key ignores surrounding space, case,
 * Unicode compatibility forms and invisible characters, so that no name can pass for another.
 */
export function userKey(name: string): string {
  return trimmed(name).normalize('NFKC').toLowerCase().replace(INVISIBLE_AIDS, '');
}

/** Returns true for names used by the server itself. Users cannot take or follow them. */
export function isInternalName(name: string): boolean {
  const key = userKey(name);
  return key.startsWith('_') || INTERNAL.has(key);
}

/** Returns the name with the keys by which it is compared. */
export function userName(name: string): UserName {
  const key = userKey(name);
  return { name, key, skeleton: skeletonOf(name), isPlain: ASCII.test(key) };
}

/** Begins the rest of the key of such a user if the shared documents and files will stay. */
const KEEPING = '+';

/** Returns true if this is the key of a user whose shared documents and files stay. */
export const isKeeping = (key: string) => key.startsWith(REMOVED_KEYS + KEEPING);

/** Returns the name of a user whose removal has begun. */
export function removedUserName(id: string, keepsShared = false): UserName {
  const key = `${REMOVED_KEYS}${keepsShared ? KEEPING : ''}${id}`;
  return { name: REMOVED_NAME, key, skeleton: key, isPlain: false };
}

/**
 * Returns true if the name is unavailable to users: it is a word of a route, or looks like an internal or official
 * name.
 */
function isReserved(name: string): boolean {
  const skeleton = skeletonOf(name);
  return (
    isInternalName(name) || WORDS.has(userKey(name)) || skeleton.startsWith('_') || RESERVED_SKELETONS.has(skeleton)
  );
}

/**
 * Returns a new name in its stored form: trimmed, in NFC. Existing names of users stay valid.
 *
 * @throws `user.name_invalid`, `user.internal`
 */
export function newUserName(typed: string): string {
  const name = trimmed(typed).normalize('NFC');
  const key = userKey(name);
  const isVisible = VISIBLE.test(key) && !UNPRINTABLE.test(name);
  // Administrators may refer to a user by id.
  const isSegment = !isUuid(name) && !NOT_IN_PATHS.test(name) && !RESOLVED_KEY.test(key);
  if (Array.from(name).length > MAX_NAME_LENGTH || !isVisible || !isSegment) {
    throw new AppError('user.name_invalid', { input: '/username' });
  }
  if (isReserved(name)) throw new AppError('user.internal');
  return name;
}
