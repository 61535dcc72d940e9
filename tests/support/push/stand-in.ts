import type { RemotelyReceivedPush, RemotePushReply } from '@baobab/contracts/push';

/** How a stand-in handles a notification. */
export type Reply =
  | RemotePushReply
  /** The credentials have expired. */
  | 'expired'
  /** Only Apple: the credentials change too often. */
  | 'too many credentials';

/** A notification as received, and its outcome. */
export interface ReceivedPush extends RemotelyReceivedPush {
  readonly at: number;
  readonly reply: Reply;
}

/** The largest payload that Google and Apple accept. Bytes. */
export const MAX_PAYLOAD_BYTES = 4_096;

/** A push service in this process, over a real socket. */
export interface PushStandIn<Config = object> {
  readonly url: string;
  /** The value of its address in the settings. */
  readonly config: Config;
  /** Everything received with valid credentials, oldest first, whatever the reply was. */
  readonly received: readonly ReceivedPush[];
  /** The number of connections accepted. */
  readonly connections: number;
  /** The maximum of concurrent requests on one connection. */
  readonly mostAtOnce: number;
  /** How to handle the n-th notification for a device (from 1); `accept` by default. */
  behave(decide: (device: string, nth: number) => Reply): void;
  close(): Promise<void>;
}

export const GARBAGE = '<html><body>Please log in to the hotel network</body></html>';

/** Counts the notifications for each device. */
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
