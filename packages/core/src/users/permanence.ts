import type { Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';

interface Permanence {
  /** State of the user when they were locked. */
  readonly user: Pick<UserRecord, 'id' | 'guest'>;
  /** Session of the request; null without one. */
  readonly sessionId: string | null;
  readonly now: number;
}

/**
 * Makes a guest permanent. To be called when they get a way to log in; no-op for other users. Counts as a login: from
 * now on the session ends like any other. Every node drops its cached data of the user.
 */
export async function makePermanent(stores: Stores, { user, sessionId, now }: Permanence): Promise<void> {
  if (!user.guest) return;
  await stores.users.update(user.id, { guest: false });
  if (sessionId !== null) await stores.sessions.logIn(sessionId, now);
  await stores.announcer.announce({ topic: 'user', key: user.id });
}
