import type { PushChannel, PushService } from '@baobab/core';

/** What a push service does with a notification, in the words of all of them. */
export type PushReply =
  | 'accept'
  /** It is down for now, and does not say for how long. */
  | 'down'
  /** It wants to be left alone for so many seconds. */
  | { readonly busyFor: number }
  /** There is no such device any more. */
  | 'dead'
  /** There is none under these settings; under others there may be. */
  | 'unknown device'
  /** It does not take this notification. */
  | 'bad notification'
  /** It does not take what we show it to prove who we are. */
  | 'bad credentials';

/** What a push service does that is somewhere else, besides. */
export type RemotePushReply =
  | PushReply
  /** Takes the notification, and cuts the connection before it can say so. */
  | 'accept and cut'
  /** Cuts the connection, with all that is on it. */
  | 'cut'
  /** Never answers. */
  | 'hang'
  /** Answers with what is none of its words: a proxy, a hotel's network. */
  | 'garbage';

/** A notification as it came to the push service. */
export interface ReceivedPush {
  readonly device: string;
  /** What it is replaced by: of several with one text, a device shows the last one. */
  readonly collapse: string;
  /** The id of the message, as the app on the device sees it. */
  readonly id: string;
  readonly text: string;
  readonly badge: number | null;
  readonly sound: string | null;
  /** What the app on the device gets, parsed; null when there is nothing. */
  readonly custom: unknown;
  /** Seconds for which it is kept while the device cannot be reached; null when nothing is said of it. */
  readonly timeToLive: number | null;
}

/** An adapter, new, and a push service of the test's own behind it. */
export interface OpenedPush {
  readonly service: PushService;
  /** The service under settings with which it takes notifications. */
  readonly channel: PushChannel;
  /** All that the service has taken so far, oldest first; what it did not take may stand here, too. */
  readonly received: readonly ReceivedPush[];
  /** From now on the service does this with a notification for `device`. Before the first call it accepts everything. */
  behave(decide: (device: string) => PushReply): void;
  /** Closes the adapter, and is rid of the service. */
  close(): Promise<void>;
}

/** A notification as it came over a network. */
export interface RemotelyReceivedPush extends ReceivedPush {
  /** What the adapter showed with it to prove who it is: an access token, a signed token. */
  readonly credential: string;
}

/** An adapter, new, and a push service that it reaches over a network: a server in this process will do. */
export interface OpenedRemotePush extends Omit<OpenedPush, 'received' | 'behave'> {
  /** All that came with credentials that are right, oldest first, whatever became of it. */
  readonly received: readonly RemotelyReceivedPush[];
  /** Connections that were made to the service so far. */
  readonly connections: number;
  /** Settings that look right and are not: a key that is none, a key of somebody else, a name with a mistake in it. */
  readonly misspelt: readonly PushChannel[];
  /** Parts of the keys in the settings: they must not be shown anywhere. */
  readonly secrets: readonly string[];
  /** As `OpenedPush.behave`. A service that says how much it takes refuses what is more, as `bad notification`. */
  behave(decide: (device: string) => RemotePushReply): void;
  /** Stops the service: from now on nobody is there. */
  vanish(): Promise<void>;
}

/** What the suite asks for when it opens an adapter. */
export interface RemotePushOptions {
  /** How long a notification may take, so that nobody has to wait for 9 seconds; about 5 s when absent. Milliseconds. */
  readonly timeLimit?: number;
}
