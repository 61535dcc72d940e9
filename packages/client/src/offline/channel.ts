import { attempt } from '../session/storage.ts';
import type { OfflineStatus } from './types.ts';

/** What tabs tell each other. */
export type TabMessage =
  | { readonly type: 'changed'; readonly userId: string; readonly lids: readonly string[] }
  | { readonly type: 'cleared' | 'hello' | 'retry' }
  | { readonly type: 'status'; readonly userId: string; readonly status: OfflineStatus };

/** The other tabs that use a store. */
export interface Channel {
  tell(message: TabMessage): void;
  close(): void;
}

/** Without a usable `BroadcastChannel`, tabs do not hear of each other. */
export function openChannel(name: string, hear: (message: TabMessage) => void): Channel {
  const channel = attempt(() => new BroadcastChannel(name));
  if (channel !== null) {
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data);
    // Does not keep a Node process alive.
    (channel as { unref?: () => void }).unref?.();
  }
  return {
    // Fails after `close`.
    tell: (message) => attempt(() => channel?.postMessage(message)),
    close: () => channel?.close(),
  };
}
