import type { Secrets } from '../ports/secrets.ts';
import type { SessionOrigin } from '../ports/storage/sessions.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { type LoginData, registerDevice } from '../push/devices.ts';

/** A profile and the token of the session that was begun. */
export interface SignedIn {
  readonly profile: UserRecord;
  readonly token: string;
}

/** The outcome of a login or a sign-up. */
export interface LoggedIn extends SignedIn {
  /** What the client sends from now on, so that it is known. */
  readonly client: string;
}

/** Where a login comes from. */
export type LoginOrigin = Omit<SessionOrigin, 'factor'>;

interface NewSession {
  readonly secrets: Secrets;
  readonly now: number;
  readonly userId: string;
  readonly login: LoginData | null;
  readonly origin: SessionOrigin;
}

/** Begins a session, and registers the device with it. Resolves to the session's id. */
export async function beginSession(
  stores: Stores,
  { secrets, now, userId, login, origin }: NewSession,
): Promise<string> {
  if (login !== null) {
    await registerDevice(stores, { id: login.deviceId, userId, os: login.os, registered: now });
  }
  const id = secrets.token();
  await stores.sessions.add({ id, userId, created: now, lastUsed: now, deviceId: login?.deviceId ?? null }, origin);
  return id;
}
