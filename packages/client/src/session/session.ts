import { isBaobabError } from '../errors.ts';
import type { Session, SessionSource } from '../session-source.ts';
import type { Profile } from '../wire.ts';
import { attempt, type Kept } from './storage.ts';
import type { Tabs } from './tabs.ts';

/** Reason for the change. `expired`: ended by the server. */
export type SessionEvent = 'restored' | 'login' | 'logout' | 'expired';

export type SessionListener = (session: Session | null, event: SessionEvent) => void;

export interface SessionKeeper extends SessionSource {
  /** Replaces the session, here, in the storage and in other tabs. */
  set(session: Session | null, event: SessionEvent): void;
  /** Returns a function that unsubscribes. */
  onChange(listener: SessionListener): () => void;
  close(): void;
}

export interface SessionKeeperOptions {
  readonly storage: Kept;
  readonly key: string;
  readonly tabs: Tabs | null;
  /** Asks the app to log the user in again. */
  reauthenticate(username: string): Promise<void>;
}

export function sessionOf({ id, user }: Profile, token: string): Session {
  return { token, user: { id, username: user.name, roles: user.roles.map(({ name }) => name) } };
}

const BAD_REQUEST = 400;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

const parsed = (text: string | null): Session | null =>
  attempt(() => {
    const value: Session | null = text && JSON.parse(text);
    return typeof value?.token === 'string' && typeof value.user?.id === 'string' ? value : null;
  });

/** Returns true if a login may succeed later. */
const isTemporary = (failure: unknown) =>
  isBaobabError(failure) &&
  (failure.status < BAD_REQUEST || failure.status === TOO_MANY || failure.status >= SERVER_ERROR);

/** Manages the session: one for all calls, persisted in the app's storage and shared by all tabs. */
export function createSessionKeeper(options: SessionKeeperOptions): SessionKeeper {
  const { storage, key, tabs } = options;
  const listeners = new Set<SessionListener>();
  let current: Session | null = null;
  /** True if the session was set before the stored one was loaded. */
  let isSet = false;
  let deciding: Promise<boolean> | null = null;

  function change(session: Session | null, event: SessionEvent): void {
    current = session;
    isSet = true;
    for (const listener of [...listeners]) {
      try {
        listener(session, event);
      } catch (error) {
        // An error in a listener belongs to the app. It neither fails a call nor affects other listeners.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  function restore(text: string | null): void {
    const session = parsed(text);
    if (session !== null && !isSet) change(session, 'restored');
  }

  const text = storage.read(key);
  // Immediate for synchronous storage: a page knows its user before the first render.
  if (typeof text === 'string') restore(text);
  const ready = Promise.resolve(text).then(restore);
  tabs?.listen(change);

  function set(session: Session | null, event: SessionEvent): void {
    change(session, event);
    storage.write(key, session && JSON.stringify(session));
    tabs?.tell(session, event);
  }

  const isOf = (userId: string) => current !== null && current.user.id === userId;

  async function decide(ended: Session): Promise<boolean> {
    // If it fails, the call fails with the original reason.
    const failure: unknown = await options.reauthenticate(ended.user.username).catch((error) => error);
    // The app or another tab may have logged in a user meanwhile.
    if (current?.token !== ended.token) return isOf(ended.user.id);
    // The next call asks again.
    if (isTemporary(failure)) return false;
    set(null, 'expired');
    return false;
  }

  return {
    ready,
    current: () => current,
    set,
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    replaced(session, token) {
      if (current !== null && current.token === session.token) set({ ...current, token }, 'login');
    },
    async ended(ended) {
      // Never sends a call of one user as another.
      if (current?.token !== ended.token) return isOf(ended.user.id);
      deciding ??= decide(ended).finally(() => {
        deciding = null;
      });
      return deciding;
    },
    close: () => tabs?.close(),
  };
}
