import { type Audit, userParty } from '../audit/audit.ts';
import type { LoginMethod } from '../audit/login-failures.ts';
import type { Notices } from '../notices/notices.ts';
import type { Logger } from '../ports/logger.ts';
import type { SessionOrigin } from '../ports/storage/sessions.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { KnownClients } from './known-clients.ts';
import type { LoginOrigin } from './new-session.ts';

/** A login whose session has begun. */
export interface CompletedLogin {
  readonly method: LoginMethod;
  readonly factor: SessionOrigin['factor'];
  /** Client text issued by an earlier login; null if the client sent none. */
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

/** Completes logins of all methods. */
export function createCompletedLogins({ knownClients, audit, notices, storage, logger }: CompletedLoginsDeps) {
  /** Stores a notice before the token is returned. If that fails, the user is still logged in. */
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
     * Records a login. To be called when the session has begun and before its token is returned, so that every usable
     * session has an audit record. Resolves to the new client text.
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
