import { AppError } from '../errors.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../json-text.ts';
import { emailAddress, hasOtherAddress } from '../names/email-address.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { Sections, UserChange, UserRecord } from '../ports/storage/users.ts';
import { SECTIONS, type SectionName } from '../section-names.ts';

export const EMPTY_SECTIONS: Sections = {
  visibleByTheUser: '{}',
  visibleByFriend: '{}',
  visibleByRegisteredUsers: '{}',
  visibleByAnonymousUsers: '{}',
};

/** Sections sent by a client, under their names or the plural alias. */
export type SectionsInput = Readonly<Record<string, unknown>>;

/** Alternative names used by clients. */
const ALIASES: Partial<Record<SectionName, string>> = { visibleByFriend: 'visibleByFriends' };

/** Server-owned member of `visibleByRegisteredUsers`: linked social networks. */
const SOCIAL_KEY = '_social';

/**
 * Returns the sections in `input`, as canonical text. Other sections are absent.
 *
 * @throws `user.section_invalid` if a section is not an object, `user.email_invalid`
 */
export function parseSections(input: SectionsInput): Partial<Sections> {
  const sections: Partial<Record<SectionName, string>> = {};
  for (const name of SECTIONS) {
    const value = input[name] ?? input[ALIASES[name] ?? name];
    const present = Object.hasOwn(input, name) || Object.hasOwn(input, ALIASES[name] ?? name);
    if (!present) continue;
    if (!isJsonObject(value))
      throw new AppError('user.section_invalid', { detail: `${name} is not an object`, input: `/${name}` });
    if (name === 'visibleByTheUser') checkEmail(value);
    const omit = name === 'visibleByRegisteredUsers' ? (key: string) => key === SOCIAL_KEY : undefined;
    sections[name] = canonicalJson({ text: JSON.stringify(value), value }, omit);
  }
  return sections;
}

/** Returns `visibleByRegisteredUsers` as shown to clients: `section` with the server-owned member `social`. */
export function withSocial(section: string, social: JsonObject): string {
  const value: JsonValue = JSON.parse(section);
  const rest = canonicalJson({ text: section, value }, (key) => key === SOCIAL_KEY);
  if (Object.keys(social).length === 0) return rest;
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${JSON.stringify(SOCIAL_KEY)}:${JSON.stringify(social)}}`;
}

/** Returns the server-owned member of `visibleByRegisteredUsers`: the ids at social networks, by network. */
export function socialIn(section: string): JsonObject {
  if (!section.includes(SOCIAL_KEY)) return {};
  const social = JSON.parse(section)[SOCIAL_KEY];
  return isJsonObject(social) ? social : {};
}

/** Context of a replacement of sections. */
export interface Replacement {
  readonly now: number;
  /** True if the caller may change the address (`FreshLogin.ensureForAddress`). */
  readonly mayChangeAddress: boolean;
  /** Sends a notice to the former address. */
  readonly notify: (before: UserRecord) => Promise<void>;
}

/**
 * Invalidates links that were sent to the former address. To be called when the user, who must be locked, gets another
 * address.
 */
async function leaveAddress(
  { emails, resetTokens, announcer }: Pick<Stores, 'emails' | 'resetTokens' | 'announcer'>,
  before: UserRecord,
  { now, notify }: Replacement,
): Promise<void> {
  await emails.release(before.id, now);
  await resetTokens.removeOfUser(before.id);
  // Prevents logins with the former address from cached credentials.
  await announcer.announce({ topic: 'user', key: before.id });
  await notify(before);
}

/**
 * Replaces sections of a user with those from a client, except for the server-owned member. A changed address is no
 * longer verified. To be called in a transaction. Resolves to the changed user, or to null if there is none.
 *
 * @throws `role.not_found`; `auth.fresh_login_required` for another address that the caller may not set
 */
export async function replaceSections(
  stores: Pick<Stores, 'users' | 'emails' | 'resetTokens' | 'announcer'>,
  userId: string,
  change: UserChange,
  replacement: Replacement,
): Promise<UserRecord | null> {
  const given = change.sections?.visibleByRegisteredUsers;
  const own = change.sections?.visibleByTheUser;
  if (given === undefined && own === undefined) return stores.users.update(userId, change);
  // An empty update locks the user, so that no social link is added or removed, and no address verified, in between.
  const before = await stores.users.update(userId, {});
  if (before === null) return null;
  if (own !== undefined && hasOtherAddress(before.sections.visibleByTheUser, own)) {
    if (!replacement.mayChangeAddress) throw new AppError('auth.fresh_login_required');
    await leaveAddress(stores, before, replacement);
  }
  if (given === undefined) return stores.users.update(userId, change);
  const visibleByRegisteredUsers = withSocial(given, socialIn(before.sections.visibleByRegisteredUsers));
  return stores.users.update(userId, { ...change, sections: { ...change.sections, visibleByRegisteredUsers } });
}

function checkEmail(section: JsonObject): void {
  const email: JsonValue | undefined = Object.hasOwn(section, 'email') ? section.email : undefined;
  if (email === undefined || email === null || email === '') return;
  if (typeof email !== 'string' || emailAddress(email) === null)
    throw new AppError('user.email_invalid', { input: '/visibleByTheUser/email' });
}
