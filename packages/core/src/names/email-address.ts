import { trimmed } from './names.ts';

/** What browsers accept in `<input type="email">`, and other letters. The domain may have no dot, as in local networks. */
const LOCAL_PART = /[^\s@<>",;:()[\]\\]+/.source;
const DOMAIN = /[^\s@<>"',;:()[\]\\.]+(?:\.[^\s@<>"',;:()[\]\\.]+)*/.source;

/** Source of a pattern for one address. Only sending shows whether it exists. */
export const ADDRESS = `${LOCAL_PART}@${DOMAIN}`;

const EMAIL = new RegExp(`^${ADDRESS}$`);
const MAX_EMAIL_LENGTH = 254;

/** Returns the address in a typed text; null if it is not one. */
export function emailAddress(text: string): string | null {
  const address = trimmed(text).normalize('NFC');
  return address.length <= MAX_EMAIL_LENGTH && EMAIL.test(address) ? address : null;
}

/** Returns a key that is the same for all spellings of an address that reach one mailbox in practice. */
export const emailKey = (email: string) => trimmed(email).normalize('NFC').toLowerCase();

/** Returns the key of a text that may be an address; null if it is not one. */
export function addressKey(text: string): string | null {
  const address = emailAddress(text);
  return address === null ? null : emailKey(address);
}

/** Returns the address in `visibleByTheUser`; null if there is none. */
export function addressIn(section: string): string | null {
  const { email } = JSON.parse(section);
  return typeof email === 'string' ? emailAddress(email) : null;
}

/**
 * Returns true if the second section has another address than the first, or none. Both are texts of `visibleByTheUser`.
 */
export const hasOtherAddress = (before: string, after: string) => addressIn(after) !== addressIn(before);
