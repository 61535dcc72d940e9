import type { RemotelyReceivedPush, RemotePushReply } from '@baobab/contracts/push';

/** Reply of a mock server to a notification. */
export type Reply =
  | RemotePushReply
  /** The credentials have expired. */
  | 'expired'
  /** Apple only: the credentials change too often. */
  | 'too many credentials';

/** A received notification with its outcome. */
export interface ReceivedPush extends RemotelyReceivedPush {
  readonly at: number;
  readonly reply: Reply;
}

/** Maximum payload that Google and Apple accept, in bytes. */
export const MAX_PAYLOAD_BYTES = 4_096;

/** A push service in this process, on a real socket. */
export interface PushStandIn<Config = object> {
  readonly url: string;
  /** Value of its address in the settings. */
  readonly config: Config;
  /** All notifications with valid credentials, oldest first, regardless of the reply. */
  readonly received: readonly ReceivedPush[];
  /** Number of accepted connections. */
  readonly connections: number;
  /** Highest number of concurrent requests on one connection. */
  readonly mostAtOnce: number;
  /** Sets the reply to the n-th notification for a device (from 1); default `accept`. */
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
