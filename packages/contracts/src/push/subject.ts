import type { PushChannel, PushService } from '@baobab/core';

/** Reaction of a push service to a notification, in terms common to all services. */
export type PushReply =
  | 'accept'
  /** Temporarily unavailable, without a time for a retry. */
  | 'down'
  /** Requests a retry after this many seconds. */
  | { readonly busyFor: number }
  /** The device no longer exists. */
  | 'dead'
  /** The device does not exist with these settings, but may exist with others. */
  | 'unknown device'
  /** Rejects this notification. */
  | 'bad notification'
  /** Rejects the credentials. */
  | 'bad credentials';

/** Additional reactions of a push service on a network. */
export type RemotePushReply =
  | PushReply
  /** Accepts the notification and closes the connection before responding. */
  | 'accept and cut'
  /** Closes the connection, with all requests on it. */
  | 'cut'
  /** Never responds. */
  | 'hang'
  /** Sends a response outside its protocol, like a proxy or a captive portal. */
  | 'garbage';

/** A notification as received by the push service. */
export interface ReceivedPush {
  readonly device: string;
  /** Collapse key: of several notifications with the same key, a device shows the last. */
  readonly collapse: string;
  /** Id of the message, as seen by the app on the device. */
  readonly id: string;
  readonly text: string;
  readonly badge: number | null;
  readonly sound: string | null;
  /** Custom data received by the app on the device, parsed; null if there is none. */
  readonly custom: unknown;
  /** Seconds for which it is stored while the device is unreachable; null if unspecified. */
  readonly timeToLive: number | null;
}

/** A new adapter and its test push service. */
export interface OpenedPush {
  readonly service: PushService;
  /** The service with valid settings. */
  readonly channel: PushChannel;
  /** All notifications accepted by the service so far, oldest first; may include rejected ones. */
  readonly received: readonly ReceivedPush[];
  /** Sets the reaction to a notification for `device`. Initially, the service accepts everything. */
  behave(decide: (device: string) => PushReply): void;
  /** Closes the adapter and the service. */
  close(): Promise<void>;
}

/** A notification received over a network. */
export interface RemotelyReceivedPush extends ReceivedPush {
  /** Credential sent by the adapter: an access token or a signed token. */
  readonly credential: string;
}

/** A new adapter and a push service that it reaches over a network, such as a server in this process. */
export interface OpenedRemotePush extends Omit<OpenedPush, 'received' | 'behave'> {
  /** All notifications with valid credentials, oldest first, regardless of their outcome. */
  readonly received: readonly RemotelyReceivedPush[];
  /** Number of connections made to the service so far. */
  readonly connections: number;
  /** Settings that look valid but are not: an invalid key, a key of another account, a misspelt name. */
  readonly misspelt: readonly PushChannel[];
  /** Parts of the keys in the settings: they must not appear in any output. */
  readonly secrets: readonly string[];
  /** Like `OpenedPush.behave`. A service with a size limit rejects larger notifications as `bad notification`. */
  behave(decide: (device: string) => RemotePushReply): void;
  /** Stops the service, so that its port is closed. */
  vanish(): Promise<void>;
}

/** Options with which the suite opens an adapter. */
export interface RemotePushOptions {
  /** Time limit for a notification, in milliseconds, so that tests need not wait 9 seconds; about 5 s if absent. */
  readonly timeLimit?: number;
}
