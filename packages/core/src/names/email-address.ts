import { domainKey } from './mail-domain.ts';
import { trimmed, userKey } from './names.ts';

/** What browsers accept in `<input type="email">`, and other letters. The domain may have no dot, as in local networks. */
const LOCAL_PART = /[^\s@<>",;:()[\]\\]+/.source;
const DOMAIN = /[^\s@<>"',;:()[\]\\.]+(?:\.[^\s@<>"',;:()[\]\\.]+)*/.source;

/** Source of a pattern for one address. Only sending shows whether it exists. */
export const ADDRESS = `${LOCAL_PART}@${DOMAIN}`;

const EMAIL = new RegExp(`^${ADDRESS}$`);
const MAX_EMAIL_LENGTH = 254;

/** Returns the parts of a text before and after the `@` of an address. */
function partsOf(text: string): readonly [local: string, domain: string] {
  const at = text.lastIndexOf('@') + 1;
  return [text.slice(0, at), text.slice(at)];
}

/** Returns the address in a typed text; null if it is not one. */
export function emailAddress(text: string): string | null {
  const address = trimmed(text).normalize('NFC');
  if (address.length > MAX_EMAIL_LENGTH || !EMAIL.test(address)) return null;
  const [local, domain] = partsOf(address);
  return EMAIL.test(local + domainKey(domain)) ? address : null;
}

/** Returns a key that is the same for all spellings of an address that reach one mailbox in practice. */
export function emailKey(email: string): string {
  const [local, domain] = partsOf(trimmed(email).normalize('NFC'));
  return local.toLowerCase() + domainKey(domain);
}

/** Returns the key of a text that may be an address; null if it is not one. */
export function addressKey(text: string): string | null {
  const address = emailAddress(text);
  return address === null ? null : emailKey(address);
}

/** Returns the key by which attempts at an account are counted: the same for all spellings of its name or address. */
export const attemptKey = (typed: string): string => addressKey(typed) ?? userKey(typed);

/** Returns the address in `visibleByTheUser`; null if there is none. */
export function addressIn(section: string): string | null {
  const { email } = JSON.parse(section);
  return typeof email === 'string' ? emailAddress(email) : null;
}

/** Returns the address with the one spelling of its domain; null if the section has no address. */
function exactAddressIn(section: string): string | null {
  const address = addressIn(section);
  if (address === null) return null;
  const [local, domain] = partsOf(address);
  return local + domainKey(domain);
}

/**
 * Returns true if the second section has another address than the first, or none. Both are texts of `visibleByTheUser`.
 */
export const hasOtherAddress = (before: string, after: string) => exactAddressIn(after) !== exactAddressIn(before);
