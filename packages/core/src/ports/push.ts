export interface PushNotification {
  /** UUID of the message. A device that receives it twice shows it once. */
  readonly id: string;
  /** Device token or id at the platform's push service. */
  readonly device: string;
  /** Displayed text. */
  readonly message: string;
  readonly badge: number | null;
  readonly sound: string | null;
  /** JSON object for the app, as text. */
  readonly custom: string | null;
  /** Of several notifications with the same key, a device shows only the last. At most 64 bytes. */
  readonly collapseKey: string | null;
  /**
   * Storage time at the push service while the device is unreachable, in seconds; null: the default of the push
   * service.
   */
  readonly timeToLive: number | null;
}

/**
 * Result of sending. `delivered`: accepted by the push service. `dead`: the device has not existed since `since` (in
 * milliseconds; null: unknown). `retry`: try again later, after this many milliseconds if the push service named a
 * time. `refused`: retrying is useless until the notification, or the settings of the push service, are changed.
 * `unwanted`: not sent.
 */
export type PushOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dead'; readonly reason: string; readonly since: number | null }
  | { readonly kind: 'retry'; readonly reason: string; readonly after: number | null }
  | { readonly kind: 'refused'; readonly of: 'notification' | 'service'; readonly reason: string }
  | { readonly kind: 'unwanted' };

/** A push service with fixed settings. */
export interface PushChannel {
  /**
   * Identifies the settings: equal settings have equal keys. May contain secrets. Used for comparison only, never
   * shown.
   */
  readonly key: string;
  /**
   * Sends one notification to the push service. Settles within 11 seconds and sends nothing after 9. Rejects only if
   * `isWanted` rejects. `isWanted` is called last, after authentication with the push service; if it resolves to false,
   * nothing is sent. A device unknown to the push service is `dead` only if the push service has accepted another
   * device under these settings. Otherwise the settings may be wrong, and the result is `refused`.
   */
  send(notification: PushNotification, isWanted: () => Promise<boolean>): Promise<PushOutcome>;
}

/** Sends notifications to devices of one platform. */
export interface PushService {
  /** Returns the channel with the current settings; null if it is not configured. @throws `storage.unavailable` */
  channel(): Promise<PushChannel | null>;
  /** Closes connections; notifications in progress may then fail. */
  close(): Promise<void>;
}

/** Registered services, by device platform: `android`, `ios`. */
export type PushServices = Readonly<Record<string, PushService>>;
