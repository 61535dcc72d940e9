import type { PushChannel, PushService } from '@baobab/core';

/** The reaction of a push service to a notification, in terms common to all services. */
export type PushReply =
  | 'accept'
  /** Temporarily unavailable, without a time for a retry. */
  | 'down'
  /** Asks for a retry after this many seconds. */
  | { readonly busyFor: number }
  /** The device no longer exists. */
  | 'dead'
  /** The device does not exist under these settings; it may under others. */
  | 'unknown device'
  /** Rejects this notification. */
  | 'bad notification'
  /** Rejects the credentials. */
  | 'bad credentials';

/** Additional reactions of a push service that is reached over a network. */
export type RemotePushReply =
  | PushReply
  /** Accepts the notification, and closes the connection before it responds. */
  | 'accept and cut'
  /** Closes the connection, with all requests on it. */
  | 'cut'
  /** Never responds. */
  | 'hang'
  /** Sends a response that is not part of its protocol, as from a proxy or a captive portal. */
  | 'garbage';

/** A notification as the push service received it. */
export interface ReceivedPush {
  readonly device: string;
  /** The collapse key: of several notifications with the same one, a device shows the last. */
  readonly collapse: string;
  /** The id of the message, as the app on the device sees it. */
  readonly id: string;
  readonly text: string;
  readonly badge: number | null;
  readonly sound: string | null;
  /** The custom data that the app on the device receives, parsed; null when there is none. */
  readonly custom: unknown;
  /** Seconds for which it is kept while the device is unreachable; null when it does not say. */
  readonly timeToLive: number | null;
}

/** A new adapter, and the push service of the test that it uses. */
export interface OpenedPush {
  readonly service: PushService;
  /** The service with valid settings. */
  readonly channel: PushChannel;
  /** All notifications that the service has accepted so far, oldest first; may include rejected ones. */
  readonly received: readonly ReceivedPush[];
  /** Sets the reaction to a notification for `device`. Before the first call the service accepts everything. */
  behave(decide: (device: string) => PushReply): void;
  /** Closes the adapter and the service. */
  close(): Promise<void>;
}

/** A notification that came over a network. */
export interface RemotelyReceivedPush extends ReceivedPush {
  /** The credential that the adapter sent with it: an access token or a signed token. */
  readonly credential: string;
}

/** A new adapter, and a push service that it reaches over a network, such as a server in this process. */
export interface OpenedRemotePush extends Omit<OpenedPush, 'received' | 'behave'> {
  /** All notifications with valid credentials, oldest first, whatever their outcome. */
  readonly received: readonly RemotelyReceivedPush[];
  /** The number of connections made to the service so far. */
  readonly connections: number;
  /** Settings that look right and are not: an invalid key, a key of another account, a misspelt name. */
  readonly misspelt: readonly PushChannel[];
  /** Parts of the keys in the settings: they must not appear in any output. */
  readonly secrets: readonly string[];
  /** As `OpenedPush.behave`. A service with a size limit rejects larger notifications as `bad notification`. */
  behave(decide: (device: string) => RemotePushReply): void;
  /** Stops the service: from now on nothing listens. */
  vanish(): Promise<void>;
}

/** The options with which the suite opens an adapter. */
export interface RemotePushOptions {
  /** Time limit for a notification, so that tests need not wait for 9 seconds; about 5 s when absent. Milliseconds. */
  readonly timeLimit?: number;
}
