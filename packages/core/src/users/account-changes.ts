import type { Actor } from '../actor.ts';
import { type RecordAct, userParty } from '../audit/audit.ts';
import { markUser } from '../changes/marks.ts';
import { AppError } from '../errors.ts';
import { hasOtherAddress } from '../names/email-address.ts';
import { isInternalName, userName } from '../names/names.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { UserIdentity, UserRecord } from '../ports/storage/users.ts';
import type { SettingValues } from '../settings/catalogue.ts';

const DAY = 24 * 60 * 60_000;

/**
 * Ends the user's sessions except `except`, and removes their devices except the one of that session, as a logout does.
 * Also invalidates mailed links and codes that would verify another address or reset the password. Every node drops its
 * cached data of the user.
 */
export async function endSessions(stores: Stores, userId: string, except: string | null): Promise<void> {
  // Devices before sessions, in the lock order of logins, to prevent deadlocks.
  const current = except === null ? null : await stores.sessions.find(except);
  await stores.devices.removeOfUser(userId, current?.session.userId === userId ? current.session.deviceId : null);
  await stores.sessions.removeOfUser(userId, except);
  // Also invalidates what an attacker has begun with one of those sessions, or with the mailbox.
  await stores.emails.withdraw(userId);
  await stores.resetTokens.removeOfUser(userId);
  await stores.announcer.announce({ topic: 'user', key: userId });
}

/**
 * Renames a user, and reserves the former name for them. Rules may name users, so what they may read changes.
 *
 * @throws `user.exists`, `user.not_found`
 */
export async function renameUser(
  stores: Stores,
  userId: string,
  username: string,
  { now, values }: { readonly now: number; readonly values: SettingValues },
): Promise<void> {
  const reservedUntil = now + values['usernames.reserved.days'] * DAY;
  const renamed = await stores.users.rename(userId, userName(username), { now, reservedUntil });
  if (renamed === null) throw new AppError('user.not_found');
  if (!renamed) throw new AppError('user.exists');
  await markUser(stores, userId, { reason: 'role', now });
  await stores.announcer.announce({ topic: 'user', key: userId });
}

/** Records a changed name, role or address. */
export function recordProfile(record: RecordAct, actor: Actor, before: UserRecord, after: UserRecord): void {
  const to = userParty(after);
  if (before.name !== after.name) record(actor, 'user.renamed', { to, details: { before: before.name } });
  if (hasOtherAddress(before.sections.visibleByTheUser, after.sections.visibleByTheUser))
    record(actor, 'email.changed', { to, details: { verified: false } });
  if (before.role !== after.role) {
    record(actor, 'user.role_changed', { to, details: { before: before.role, after: after.role } });
  }
}

/** Suspends a user, except the built-in administrator. Their invitation codes end. @throws `user.internal` */
export async function suspendUser(stores: Stores, { id, name }: UserIdentity): Promise<void> {
  if (isInternalName(name)) throw new AppError('user.internal');
  await stores.users.update(id, { status: 'SUSPENDED' });
  await stores.invitationCodes.removeAllOf(id);
  await endSessions(stores, id, null);
}
