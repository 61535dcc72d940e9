import type { Secrets } from '../ports/secrets.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { beginSession } from '../sessions/logins.ts';

interface Permanence {
  /** State of the user when they were locked. */
  readonly user: Pick<UserRecord, 'id' | 'guest'>;
  /** Session of the request; null without one. */
  readonly sessionId: string | null;
  readonly secrets: Secrets;
  readonly now: number;
  /** Maximum number of the user's sessions; 0 = unlimited. */
  readonly most: number;
}

/** Guests have one session, since they cannot log in again. */
const MAX_SESSIONS = 100;

/**
 * Makes a guest permanent. To be called when they get a way to log in, and after other sessions have ended; no-op for
 * other users. Every node drops its cached data of the user.
 *
 * Begins a new session, which counts as a login. The session of the request does not, because its token may have been
 * copied before; from now on it ends like any other.
 *
 * @returns the token of the new session; null if none has begun
 */
export async function makePermanent(
  stores: Stores,
  { user, sessionId, secrets, now, most }: Permanence,
): Promise<string | null> {
  if (!user.guest) return null;
  await stores.users.update(user.id, { guest: false });
  await stores.announcer.announce({ topic: 'user', key: user.id });
  if (sessionId === null) return null;
  const former = (await stores.sessions.list(user.id, MAX_SESSIONS)).find(({ id }) => id === sessionId);
  // It was used now, and the record of its last use may be older than the timeout that applies from now on.
  if (former === undefined || !(await stores.sessions.touch(sessionId, now))) return null;
  const { network, agent, factor, deviceId } = former;
  const origin = { network, agent, factor };
  return secrets.sign(
    await beginSession(stores, { secrets, now, userId: user.id, login: null, deviceId, origin, most }),
  );
}
