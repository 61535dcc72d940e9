import { isPrivileged } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { userKey } from '../names/names.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { endSession, listSessions, type ShownSession } from '../sessions/sessions.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { endSessions } from './account-changes.ts';

export interface SessionAdminDeps {
  readonly storage: Storage;
  readonly settings: SettingsReader;
  readonly audit: Audit;
  readonly timeWatch: TimeWatch;
}

/** Returns a user whose ways to log in the administrator may manage. @throws as the methods of `SessionAdmin` */
export async function findManaged(storage: Storage, actor: Actor, username: string): Promise<UserRecord> {
  requireAdmin(actor);
  const user = await storage.users.findByKey(userKey(username));
  if (user === null) throw new AppError('user.not_found');
  if (actor.key !== null && isPrivileged(user.role)) throw new AppError('key.user_required');
  return user;
}

export type SessionAdmin = ReturnType<typeof createSessionAdmin>;

/**
 * Session management for administrators. Every method: @throws `auth.required`, `admin.required`, `user.not_found`,
 * `key.user_required` for API keys if the user is an administrator or a BackOffice user
 */
export function createSessionAdmin(deps: SessionAdminDeps) {
  const { storage, audit } = deps;

  return {
    /** Returns the live sessions of the user, newest first, at most 1,000. */
    async list(actor: Actor, username: string): Promise<ShownSession[]> {
      const { id } = await findManaged(storage, actor, username);
      return listSessions(deps, actor, id);
    },

    /** Ends one session, as a logout does. @throws `session.not_found` */
    async end(actor: Actor, username: string, sessionId: string): Promise<void> {
      const user = await findManaged(storage, actor, username);
      const found = await storage.sessions.find(sessionId);
      if (found?.session.userId !== user.id) throw new AppError('session.not_found');
      await audit.transaction(storage.transaction, async (stores, record) => {
        await endSession(stores, { sessionId, deviceId: null, userId: user.id });
        record(actor, 'session.ended', { to: userParty(user), details: { own: sessionId === actor.sessionId } });
      });
    },

    /** Ends all sessions of the user, except the caller's own. */
    async endAll(actor: Actor, username: string): Promise<void> {
      const user = await findManaged(storage, actor, username);
      await audit.transaction(storage.transaction, async (stores, record) => {
        await endSessions(stores, user.id, actor.sessionId);
        record(actor, 'sessions.ended', { to: userParty(user) });
      });
    },
  };
}
