import { type Audit, userParty } from '../audit/audit.ts';
import type { LoginMethod } from '../audit/login-failures.ts';
import type { Notices } from '../notices/notices.ts';
import type { Logger } from '../ports/logger.ts';
import type { SessionOrigin } from '../ports/storage/sessions.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { KnownClients } from './known-clients.ts';
import type { LoginOrigin } from './new-session.ts';

/** A login for which a session has begun. */
export interface CompletedLogin {
  readonly method: LoginMethod;
  readonly factor: SessionOrigin['factor'];
  /** What an earlier login gave to the client; null when it sent nothing. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

export interface CompletedLoginsDeps {
  readonly knownClients: KnownClients;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly storage: Storage;
  readonly logger: Logger;
}

export type CompletedLogins = ReturnType<typeof createCompletedLogins>;

/** The end of every login, whatever its method. */
export function createCompletedLogins({ knownClients, audit, notices, storage, logger }: CompletedLoginsDeps) {
  /** Stores a notice before the token is answered. If that fails, the user is logged in all the same. */
  async function tell(user: UserRecord, { network, agent }: LoginOrigin): Promise<void> {
    try {
      const values = await notices.prepare();
      if (values === null) return;
      await storage.transaction((stores) => notices.post(stores, values, user, { kind: 'login', network, agent }));
    } catch (err) {
      logger.warn({ err, userId: user.id }, 'user not told of a login');
    }
  }

  return {
    /**
     * To be called when the session has begun, before its token is answered: nobody uses a session of which nothing was
     * recorded. Resolves to what the client sends from now on.
     */
    async complete(user: UserRecord, { method, factor, client, origin }: CompletedLogin): Promise<string> {
      const issued = knownClients.issue(client, user.id);
      const details = { method, factor, client: issued.wasKnown ? 'known' : 'new' };
      audit.record({ user, key: null }, 'login.succeeded', { to: userParty(user), network: origin.network, details });
      if (!issued.wasKnown && user.emailVerified) await tell(user, origin);
      return issued.client;
    },
  };
}
