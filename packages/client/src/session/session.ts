import type { Session, SessionSource } from '../session-source.ts';
import type { Profile } from '../wire.ts';
import { attempt, type Kept } from './storage.ts';
import type { Tabs } from './tabs.ts';

/** Why the session changed. `expired`: the service has ended it. */
export type SessionEvent = 'restored' | 'login' | 'logout' | 'expired';

export type SessionListener = (session: Session | null, event: SessionEvent) => void;

export interface SessionKeeper extends SessionSource {
  /** Replaces the session, here, in the storage and in other tabs. */
  set(session: Session | null, event: SessionEvent): void;
  /** Returns the function that ends the subscription. */
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

const parsed = (text: string | null): Session | null =>
  attempt(() => {
    const value: Session | null = text && JSON.parse(text);
    return typeof value?.token === 'string' && typeof value.user?.id === 'string' ? value : null;
  });

/** Keeps the session: one for all calls, stored where the app says, the same in all tabs. */
export function createSessionKeeper(options: SessionKeeperOptions): SessionKeeper {
  const { storage, key, tabs } = options;
  const listeners = new Set<SessionListener>();
  let current: Session | null = null;
  /** Whether the session was set before the stored one had been read. */
  let isSet = false;
  let deciding: Promise<boolean> | null = null;

  function change(session: Session | null, event: SessionEvent): void {
    current = session;
    isSet = true;
    for (const listener of [...listeners]) {
      try {
        listener(session, event);
      } catch (error) {
        // A fault of one listener is the app's: it neither fails a call nor silences the others.
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
  // From a synchronous storage immediately: a page knows its user before it draws anything.
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
    // If it fails, the call fails with the reason for which it needed another session.
    await options.reauthenticate(ended.user.username).catch(() => undefined);
    // The app or another tab may have logged somebody in meanwhile.
    if (current?.token !== ended.token) return isOf(ended.user.id);
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
    async ended(ended) {
      // Never sends a call of one user in the name of another.
      if (current?.token !== ended.token) return isOf(ended.user.id);
      deciding ??= decide(ended).finally(() => {
        deciding = null;
      });
      return deciding;
    },
    close: () => tabs?.close(),
  };
}
