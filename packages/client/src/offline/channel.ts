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

/** Without `BroadcastChannel` there is only one tab. */
export function openChannel(name: string, hear: (message: TabMessage) => void): Channel {
  if (typeof BroadcastChannel === 'undefined') return { tell: () => undefined, close: () => undefined };
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data);
  // Does not keep a Node process alive.
  (channel as { unref?: () => void }).unref?.();
  return { tell: (message) => channel.postMessage(message), close: () => channel.close() };
}
