export interface PushNotification {
  /** UUID of the message: two of one message on one device are shown as one. */
  readonly id: string;
  /** The device as the platform's push service names it. */
  readonly device: string;
  /** The text that is shown. */
  readonly message: string;
  readonly badge: number | null;
  readonly sound: string | null;
  /** A JSON object for the app, as text. */
  readonly custom: string | null;
  /** Of several notifications with one key only the last is shown. At most 64 bytes. */
  readonly collapseKey: string | null;
  /** Seconds for which the push service keeps it while the device cannot be reached; null: as long as it likes. */
  readonly timeToLive: number | null;
}

/**
 * What came of sending. `delivered`: the push service has taken it. `dead`: there is no such device since `since` (ms;
 * null: unknown). `retry`: not now; after so many milliseconds where the service said it. `refused`: trying again
 * changes nothing before somebody changes the notification, or the settings of the service. `unwanted`: not sent.
 */
export type PushOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'dead'; readonly reason: string; readonly since: number | null }
  | { readonly kind: 'retry'; readonly reason: string; readonly after: number | null }
  | { readonly kind: 'refused'; readonly of: 'notification' | 'service'; readonly reason: string }
  | { readonly kind: 'unwanted' };

/** A push service under settings that do not change. */
export interface PushChannel {
  /** Tells settings apart: the same as long as they are the same. May hold secrets; it is compared and never shown. */
  readonly key: string;
  /**
   * Hands one notification to the push service, within 11 seconds either way, and sends nothing after 9; rejects only
   * if `isWanted` does. That is asked last of all, when the service has been signed in to: what it says no to is not
   * sent. A device that the service does not know, but may know under other settings, is `dead` only if the service has
   * taken another one under these; else `refused`.
   */
  send(notification: PushNotification, isWanted: () => Promise<boolean>): Promise<PushOutcome>;
}

/** Where the notifications for devices of one platform go. */
export interface PushService {
  /** The service under its settings as they are now; null while it is not set up. @throws `storage.unavailable` */
  channel(): Promise<PushChannel | null>;
  /** Lets go of connections; what is under way then may fail. */
  close(): Promise<void>;
}

/** The services that are registered, by the platform of the devices: `android`, `ios`. */
export type PushServices = Readonly<Record<string, PushService>>;
