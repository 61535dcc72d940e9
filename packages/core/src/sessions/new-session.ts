import type { Secrets } from '../ports/secrets.ts';
import type { Session, SessionOrigin } from '../ports/storage/sessions.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { type LoginData, registerDevice } from '../push/devices.ts';
import type { SettingValues } from '../settings/catalogue.ts';

/** A profile and the token of the new session. */
export interface SignedIn {
  readonly profile: UserRecord;
  readonly token: string;
}

/** Result of a login or a sign-up. */
export interface LoggedIn extends SignedIn {
  /** Client text to send from now on, by which the client is known. */
  readonly client: string;
}

/** Source of a login. */
export type LoginOrigin = Omit<SessionOrigin, 'factor'>;

interface NewSession {
  readonly secrets: Secrets;
  readonly now: number;
  readonly userId: string;
  readonly login: LoginData | null;
  readonly origin: SessionOrigin;
  /** Maximum number of the user's sessions, including this one; 0 = unlimited. */
  readonly most: number;
}

/** Returns the maximum number of sessions per user; 0 = unlimited. */
export const mostSessionsOf = (values: SettingValues) => values['session_tokens.max.per.user'];

/**
 * Ends the sessions above the limit after a new one has begun, as a logout does. The user must be locked, so that
 * concurrent logins see each other's sessions.
 */
export async function endSurplus(
  stores: Stores,
  { id, userId, deviceId }: Pick<Session, 'id' | 'userId' | 'deviceId'>,
  most: number,
): Promise<void> {
  if (most === 0) return;
  for (;;) {
    const ended = await stores.sessions.surplus(userId, id, most);
    if (ended.length === 0) return;
    // Devices before sessions, in the lock order of logouts.
    for (const device of new Set(ended.map((session) => session.deviceId))) {
      if (device !== null && device !== deviceId) await stores.devices.remove(device, userId);
    }
    for (const session of ended) await stores.sessions.remove(session.id);
    await stores.announcer.announce({ topic: 'user', key: userId });
  }
}

/** Begins a session, and registers its device. The user must be locked or new. Resolves to the session's id. */
export async function beginSession(
  stores: Stores,
  { secrets, now, userId, login, origin, most }: NewSession,
): Promise<string> {
  if (login !== null) {
    await registerDevice(stores, { id: login.deviceId, userId, os: login.os, registered: now });
  }
  const id = secrets.token();
  const session = { id, userId, created: now, lastUsed: now, deviceId: login?.deviceId ?? null };
  await stores.sessions.add(session, origin);
  await endSurplus(stores, session, most);
  return id;
}
