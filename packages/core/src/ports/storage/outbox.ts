import type { Platform } from './devices.ts';

/** One notification to any number of devices. */
export interface PushMessage {
  /** UUIDv7. */
  readonly id: string;
  /** Id of the sending user. */
  readonly senderId: string;
  /** The notification as JSON text, opaque to the storage. */
  readonly payload: string;
  readonly created: number;
  /** Time from which on it is no longer sent. */
  readonly expires: number;
}

/**
 * `waiting`: to be sent, now or later. `delivered`: accepted by the push service. `dead`: the device no longer exists.
 * `refused`: rejected by the push service. `expired`: not sent in time. `withdrawn`: the device no longer belongs to
 * the user. `unconfigured`: no push service was configured for it.
 */
export const DELIVERY_STATES = [
  'waiting',
  'delivered',
  'dead',
  'refused',
  'expired',
  'withdrawn',
  'unconfigured',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt to send a message to one device. */
export interface DeliveryAttempt {
  readonly messageId: string;
  /** Device id. */
  readonly device: string;
  /** Attempt number, from 1. */
  readonly attempt: number;
}

export interface ClaimedDelivery extends DeliveryAttempt {
  readonly os: Platform;
  readonly message: PushMessage;
}

/** Result of an attempt. */
export type Settlement = DeliveryAttempt &
  (
    | { readonly state: 'delivered' | 'refused' | 'expired' | 'withdrawn'; readonly reason: string | null }
    /** The device is removed, unless it was registered again after `since`. */
    | { readonly state: 'dead'; readonly reason: string | null; readonly since: number }
    /** Retry at `due`. */
    | { readonly state: 'waiting'; readonly reason: string | null; readonly due: number }
  );

export interface Claim {
  readonly os: Platform;
  readonly now: number;
  /** End of the lease. Deliveries not settled by then are due again. */
  readonly until: number;
  readonly limit: number;
}

export interface Recipients {
  readonly userIds: readonly string[];
  /** Deliveries to devices of other platforms are `unconfigured`. */
  readonly platforms: readonly Platform[];
}

/** A message with the name of its sender; null if that user has been removed. */
export interface SentPushMessage extends PushMessage {
  readonly sender: string | null;
}

export interface DeliveryCount {
  readonly os: Platform;
  readonly state: DeliveryState;
  readonly count: number;
}

/** State of a delivery, as shown to administrators. */
export interface ShownDelivery extends DeliveryAttempt {
  readonly userId: string;
  /** Null if the user has been removed. */
  readonly username: string | null;
  readonly os: Platform;
  readonly state: DeliveryState;
  /** Reason given by the push service for the last attempt; null if it gave none or the attempt succeeded. */
  readonly reason: string | null;
}

/** Time for which the state of a message can be read after its expiry, in milliseconds. */
export const KEPT_MESSAGES_MS = 86_400_000;

/**
 * Notifications on their way to devices. An accepted message is stored until it is sent, even if the process crashes.
 * There is one delivery for each message and device, and at any time at most one attempt of it counts. `DeviceStore`
 * withdraws the deliveries to a device that no longer belongs to its user.
 */
export interface OutboxStore {
  /**
   * Stores the message and a delivery, due immediately, for each device of the recipients. Resolves to the number of
   * deliveries in each state, as `counts` does.
   */
  add(message: PushMessage, recipients: Recipients): Promise<DeliveryCount[]>;
  /**
   * Claims up to `limit` waiting deliveries that are due, longest due first, and counts the attempt. Concurrent calls
   * claim different deliveries. A delivery not settled by `until` is due again.
   */
  claim(claim: Claim): Promise<ClaimedDelivery[]>;
  /**
   * Returns true if the attempt is still needed: the delivery waits, no other node has claimed it, and the device
   * belongs to the user.
   */
  isWanted(attempt: DeliveryAttempt): Promise<boolean>;
  /**
   * Records the results of attempts. A delivery that was settled before stays unchanged. Of an attempt that another
   * node has claimed since, only `delivered` and `dead` count.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** Returns the time at which the next delivery of a platform is due or its lease ends; null if none waits. */
  nextDue(os: Platform): Promise<number | null>;
  find(messageId: string): Promise<PushMessage | null>;
  /**
   * Returns messages, newest first. @param page.after returns only those before the message with this id; null for the
   * newest
   */
  recent(page: { readonly after: string | null; readonly limit: number }): Promise<SentPushMessage[]>;
  /** Returns the number of deliveries of a message in each state. States without deliveries are absent. */
  counts(messageId: string): Promise<DeliveryCount[]>;
  /** Returns the deliveries of a message, ordered by device id. */
  list(messageId: string, page: { readonly skip: number; readonly limit: number }): Promise<ShownDelivery[]>;
}
