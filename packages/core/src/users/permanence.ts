import type { Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';

interface Permanence {
  /** The user as they were when they were locked. */
  readonly user: Pick<UserRecord, 'id' | 'guest'>;
  /** The session of the request; null without one. */
  readonly sessionId: string | null;
  readonly now: number;
}

/**
 * To be called when a guest gets a way to log in: makes them permanent. Does nothing for other users. This counts as a
 * login: from now on the session ends like any other. Every node drops its cached data of the user.
 */
export async function makePermanent(stores: Stores, { user, sessionId, now }: Permanence): Promise<void> {
  if (!user.guest) return;
  await stores.users.update(user.id, { guest: false });
  if (sessionId !== null) await stores.sessions.logIn(sessionId, now);
  await stores.announcer.announce({ topic: 'user', key: user.id });
}
