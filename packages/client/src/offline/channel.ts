import { attempt } from '../session/storage.ts';
import type { OfflineStatus } from './types.ts';

/** Messages between tabs. */
export type TabMessage =
  | { readonly type: 'changed'; readonly userId: string; readonly ids: readonly string[] }
  | { readonly type: 'cleared' | 'hello' | 'retry' }
  | { readonly type: 'status'; readonly userId: string; readonly status: OfflineStatus };

/** Connection to the other tabs that use a store. */
export interface Channel {
  tell(message: TabMessage): void;
  close(): void;
}

/** Opens the channel. Without a usable `BroadcastChannel`, tabs receive no messages from each other. */
export function openChannel(name: string, hear: (message: TabMessage) => void): Channel {
  const channel = attempt(() => new BroadcastChannel(name));
  if (channel !== null) {
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data);
    // Does not keep a Node process alive.
    (channel as { unref?: () => void }).unref?.();
  }
  return {
    // Throws after `close`.
    tell: (message) => attempt(() => channel?.postMessage(message)),
    close: () => channel?.close(),
  };
}
