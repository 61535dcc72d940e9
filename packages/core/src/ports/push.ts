export interface PushNotification {
  /** UUID of the message: if a device receives one message twice, it shows it once. */
  readonly id: string;
  /** The device token or id that the platform's push service uses. */
  readonly device: string;
  /** The text that is shown. */
  readonly message: string;
  readonly badge: number | null;
  readonly sound: string | null;
  /** A JSON object for the app, as text. */
  readonly custom: string | null;
  /** Of several notifications with the same key a device shows only the last. At most 64 bytes. */
  readonly collapseKey: string | null;
  /** Seconds for which the push service keeps it while the device is unreachable; null: the service's own default. */
  readonly timeToLive: number | null;
}

/**
 * The result of sending. `delivered`: the push service has accepted it. `dead`: the device has not existed since `since`
 * (ms; null: unknown). `retry`: try again later, after this many milliseconds where the service named a time. `refused`:
 * a retry is useless until the notification, or the settings of the service, are changed. `unwanted`: not sent.
 */
export type PushOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dead'; readonly reason: string; readonly since: number | null }
  | { readonly kind: 'retry'; readonly reason: string; readonly after: number | null }
  | { readonly kind: 'refused'; readonly of: 'notification' | 'service'; readonly reason: string }
  | { readonly kind: 'unwanted' };

/** A push service with fixed settings. */
export interface PushChannel {
  /** Identifies the settings: equal as long as they are equal. May contain secrets; it is compared and never shown. */
  readonly key: string;
  /**
   * Hands one notification to the push service. Settles within 11 seconds and sends nothing after 9; rejects only if
   * `isWanted` rejects. `isWanted` is called last, after the login to the push service; when it resolves to false nothing
   * is sent. A device that the service does not know, but might know under other settings, is `dead` only if the service
   * has accepted another device under these settings; otherwise `refused`.
   */
  send(notification: PushNotification, isWanted: () => Promise<boolean>): Promise<PushOutcome>;
}

/** Sends the notifications for devices of one platform. */
export interface PushService {
  /** The service with its current settings; null while it is not configured. @throws `storage.unavailable` */
  channel(): Promise<PushChannel | null>;
  /** Closes connections; notifications in progress may then fail. */
  close(): Promise<void>;
}

/** The registered services, by the platform of the devices: `android`, `ios`. */
export type PushServices = Readonly<Record<string, PushService>>;
