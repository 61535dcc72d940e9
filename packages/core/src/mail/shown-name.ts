import { emailKey } from '../names/email-address.ts';

const MAX_LENGTH = 32;
/** A word of a name. It begins with a letter and contains few digits, which excludes telephone numbers. */
const WORD = String.raw`\p{L}[\p{L}\p{M}'\u2019_-]*\p{N}{0,4}`;
const PLAIN = new RegExp(`^${WORD}(?: ${WORD})?$`, 'u');
const FIRST_WORD = new RegExp(WORD, 'u');
/** Scripts without spaces, in which a few characters are a sentence. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const MAX_DENSE = 6;

const isShort = (name: string) => name.length <= MAX_LENGTH && (name.match(DENSE)?.length ?? 0) <= MAX_DENSE;

/**
 * Returns a user name for a mail to an address that may not belong to the user. Recipients must not read sentences,
 * links or telephone numbers chosen as a name. Returns names of one or two words, or the recipient's own address,
 * unchanged, and the first word of others.
 */
export function shownName(name: string, recipient: string): string {
  if ((PLAIN.test(name) && isShort(name)) || emailKey(name) === emailKey(recipient)) return name;
  const [word = ''] = FIRST_WORD.exec(name) ?? [];
  const characters = Array.from(word);
  return `${characters.slice(0, word.search(DENSE) === -1 ? MAX_LENGTH : MAX_DENSE).join('')}…`;
}
