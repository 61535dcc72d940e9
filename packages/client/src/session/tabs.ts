import type { Session } from '../session-source.ts';
import type { SessionEvent, SessionListener } from './session.ts';
import { attempt } from './storage.ts';

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

/**
 * Opens the connection between tabs; null if there is no usable `BroadcastChannel`. Only pages of the same origin
 * receive the messages, and they can read the storage anyway.
 */
export function openTabs(name: string): Tabs | null {
  const channel = attempt(() => new BroadcastChannel(name));
  return (
    channel && {
      // Throws after `close`.
      tell: (session, event) => attempt(() => channel.postMessage({ session, event } satisfies Message)),
      listen(listener) {
        channel.onmessage = ({ data }: MessageEvent<Message>) => listener(data.session, data.event);
      },
      close: () => channel.close(),
    }
  );
}
