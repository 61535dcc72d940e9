import type { RemotelyReceivedPush, RemotePushReply } from '@baobab/contracts/push';

/** What a stand-in does with a notification. */
export type Reply =
  | RemotePushReply
  /** What was signed in with is not accepted any more. */
  | 'expired';

/** A notification as it came, and what became of it. */
export interface ReceivedPush extends RemotelyReceivedPush {
  readonly at: number;
  readonly reply: Reply;
}

/** Google and Apple take no larger payload. Bytes. */
export const MAX_PAYLOAD_BYTES = 4_096;

/** A push service in this process, over a real socket. */
export interface PushStandIn<Config = object> {
  readonly url: string;
  /** As settings would name it. */
  readonly config: Config;
  /** Everything that came with credentials that are right, oldest first, whatever the reply was. */
  readonly received: readonly ReceivedPush[];
  /** Connections that were made to it. */
  readonly connections: number;
  /** Most requests under way at once on one connection. */
  readonly mostAtOnce: number;
  /** What to do with the n-th notification for a device (from 1); `accept` when nobody says anything else. */
  behave(decide: (device: string, nth: number) => Reply): void;
  close(): Promise<void>;
}

export const GARBAGE = '<html><body>Please log in to the hotel network</body></html>';

/** Counts how often something came for a device. */
export function createCounter(): (device: string) => number {
  const counts = new Map<string, number>();
  return (device) => {
    const count = (counts.get(device) ?? 0) + 1;
    counts.set(device, count);
    return count;
  };
}

export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
