// One local part, one domain with a dot. Whether the address exists is known only after sending.
const EMAIL = /^[^\s@<>"',;:()[\]\\]+@[^\s@<>"',;:()[\]\\.]+(?:\.[^\s@<>"',;:()[\]\\.]+)+$/;
const MAX_EMAIL_LENGTH = 254;

export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text);
}

/** The same for all spellings of an address that reach one mailbox in practice. */
export const emailKey = (email: string) => email.toLowerCase();

/** The address in `visibleByTheUser`; null when there is none. */
export function addressIn(section: string): string | null {
  const { email } = JSON.parse(section);
  return typeof email === 'string' && isEmailAddress(email) ? email : null;
}
