import { trimmed } from './typed.ts';

// One local part, one domain with a dot. Whether the address exists is known only after sending.
const EMAIL = /^[^\s@<>"',;:()[\]\\]+@[^\s@<>"',;:()[\]\\.]+(?:\.[^\s@<>"',;:()[\]\\.]+)+$/;
const MAX_EMAIL_LENGTH = 254;

/** The address in a text that somebody typed; null when it is none. */
export function emailAddress(text: string): string | null {
  const address = trimmed(text).normalize('NFC');
  return address.length <= MAX_EMAIL_LENGTH && EMAIL.test(address) ? address : null;
}

/** The same for all spellings of an address that reach one mailbox in practice. */
export const emailKey = (email: string) => trimmed(email).normalize('NFC').toLowerCase();

/** The key of a text that may be an address; null when it is none. */
export function addressKey(text: string): string | null {
  const address = emailAddress(text);
  return address === null ? null : emailKey(address);
}

/** The address in `visibleByTheUser`; null when there is none. */
export function addressIn(section: string): string | null {
  const { email } = JSON.parse(section);
  return typeof email === 'string' ? emailAddress(email) : null;
}

/** Whether the second section gives another address than the first, or none. Both are texts of `visibleByTheUser`. */
export const hasOtherAddress = (before: string, after: string) => addressIn(after) !== addressIn(before);
