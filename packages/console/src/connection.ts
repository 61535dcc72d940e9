import type { Credentials, Proof, Session } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import { live } from './live.ts';
import type { PageStorage } from './page-storage.ts';
import { createReachability, type Reachability } from './reachability.ts';
import { createRequestLog, type RequestLog } from './requests.ts';

const ADMINISTRATOR = 'administrator';
const SESSION_KEY = 'baobab-console';
const APP_CODE_KEY = 'baobab-console:app-code';
/** Keys that a session is stored under. */
export const SESSION_KEYS = [SESSION_KEY, APP_CODE_KEY] as const;

/** State of the connection to the server. */
interface ConnectionState {
  readonly client: AdminClient;
  readonly appCode: string;
  /** Session of an administrator; null if no administrator is signed in. */
  readonly session: Session | null;
  /** True if the server has ended the session. Calls wait until the user has signed in again. */
  readonly hasEnded: boolean;
}

export interface Connection {
  /** Address of the server. */
  readonly url: string;
  readonly requests: RequestLog;
  readonly reachability: Reachability;
  state(): ConnectionState;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** @throws `NotAdministrator`; failures of the login */
  signIn(appCode: string, credentials: Credentials): Promise<void>;
  /** Continues a login that failed with `auth.second_factor_required`. @throws as `signIn` */
  signInSecond(challenge: string, proof: Proof): Promise<void>;
  signOut(): Promise<void>;
}

/** The credentials are valid, but the user is not an administrator. */
export class NotAdministrator extends Error {}

const isAdministrator = (session: Session) => session.user.roles.includes(ADMINISTRATOR);

interface ConnectionOptions {
  /** Address of the server. */
  readonly url: string;
  /** Default until the user enters another code in this tab. */
  readonly appCode: string;
  /** Cleared when the tab closes. */
  readonly storage: PageStorage;
}

export function createConnection({ url, appCode, storage }: ConnectionOptions): Connection {
  const reachability = createReachability(url, globalThis.fetch.bind(globalThis));
  const requests = createRequestLog(url, reachability.check);
  const listeners = new Set<() => void>();
  let proceed: (() => void) | null = null;
  let state = open(storage.getItem(APP_CODE_KEY) ?? appCode);

  function change(changed: Partial<ConnectionState>): void {
    state = { ...state, ...changed };
    for (const listener of listeners) listener();
  }

  function open(code: string): ConnectionState {
    const client: AdminClient = createAdminClient({
      url,
      appCode: code,
      storage,
      storageKey: SESSION_KEY,
      tabs: true,
      live,
      fetch: requests.send,
      reauthenticate: () =>
        new Promise((resolve) => {
          proceed = () => resolve(null);
          change({ hasEnded: true });
        }),
    });
    client.auth.onChange((session) => {
      // The change may come from another tab, which has its own storage.
      if (session === null) storage.removeItem(SESSION_KEY);
      else storage.setItem(SESSION_KEY, JSON.stringify(session));
      if (state.client !== client) return;
      change({ session: session !== null && isAdministrator(session) ? session : null });
      // The user has signed in again in another tab.
      if (state.hasEnded && state.session !== null) void finish();
    });
    const { session } = client.auth;
    return { client, appCode: code, session: session && isAdministrator(session) ? session : null, hasEnded: false };
  }

  async function finish(): Promise<void> {
    const { client } = state;
    const { session } = client.auth;
    if (session !== null && !isAdministrator(session)) {
      await client.auth.logout();
      throw new NotAdministrator();
    }
    change({ hasEnded: false });
    proceed?.();
    proceed = null;
  }

  return {
    url,
    requests,
    reachability,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async signIn(code, credentials) {
      if (code !== state.appCode) {
        state.client.close();
        proceed?.();
        proceed = null;
        change(open(code));
      }
      await state.client.auth.login(credentials);
      storage.setItem(APP_CODE_KEY, code);
      await finish();
    },
    async signInSecond(challenge, proof) {
      await state.client.auth.loginSecond(challenge, proof);
      storage.setItem(APP_CODE_KEY, state.appCode);
      await finish();
    },
    signOut: () => state.client.auth.logout(),
  };
}
