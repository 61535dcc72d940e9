import type { SessionStorage } from '../options.ts';
import type { Session } from '../session-source.ts';
import type { SessionEvent, SessionListener } from './session.ts';

/** The tabs of a browser that share a session. */
export interface Tabs {
  tell(session: Session | null, event: SessionEvent): void;
  listen(listener: SessionListener): void;
  close(): void;
}

interface Message {
  readonly session: Session | null;
  readonly event: SessionEvent;
}

/** Whether this is the storage that the tabs of a browser share. In Node, a look at `localStorage` prints a warning. */
export function isShared(storage: SessionStorage | undefined): boolean {
  try {
    return storage !== undefined && typeof document === 'object' && storage === globalThis.localStorage;
  } catch {
    return false; // a page without storage
  }
}

/** Null where there is no `BroadcastChannel`. Only pages of the same origin hear it, which can read the storage too. */
export function openTabs(name: string): Tabs | null {
  if (typeof BroadcastChannel === 'undefined') return null;
  const channel = new BroadcastChannel(name);
  return {
    tell: (session, event) => channel.postMessage({ session, event } satisfies Message),
    listen(listener) {
      channel.onmessage = ({ data }: MessageEvent<Message>) => listener(data.session, data.event);
    },
    close: () => channel.close(),
  };
}
