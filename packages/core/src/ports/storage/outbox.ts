import type { Platform } from './devices.ts';

/** One notification to any number of devices. */
export interface PushMessage {
  /** UUIDv7. */
  readonly id: string;
  /** The id of the user who sent it. */
  readonly senderId: string;
  /** The notification as JSON text; the storage does not read it. */
  readonly payload: string;
  readonly created: number;
  /** From this time on it is no longer sent. */
  readonly expires: number;
}

/**
 * `waiting`: to be sent, now or later. `delivered`: the push service has accepted it. `dead`: the device no longer
 * exists. `refused`: the push service rejects it. `expired`: it could not be sent in time. `withdrawn`: the device no
 * longer belongs to the user. `unconfigured`: no push service was configured for it.
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
  /** The id of the device. */
  readonly device: string;
  /** 1 for the first one. */
  readonly attempt: number;
}

export interface ClaimedDelivery extends DeliveryAttempt {
  readonly os: Platform;
  readonly message: PushMessage;
}

/** The result of an attempt. */
export type Settlement = DeliveryAttempt &
  (
    | { readonly state: 'delivered' | 'refused' | 'expired' | 'withdrawn'; readonly reason: string | null }
    /** The device is removed, unless it was registered again after `since`. */
    | { readonly state: 'dead'; readonly reason: string | null; readonly since: number }
    /** To be retried at `due`. */
    | { readonly state: 'waiting'; readonly reason: string | null; readonly due: number }
  );

export interface Claim {
  readonly os: Platform;
  readonly now: number;
  /** The end of the lease: deliveries that are not settled by then are due again. */
  readonly until: number;
  readonly limit: number;
}

export interface Recipients {
  readonly userIds: readonly string[];
  /** Deliveries to devices of other platforms are `unconfigured`. */
  readonly platforms: readonly Platform[];
}

/** A message with the name of its sender; null when that user has been removed. */
export interface SentPushMessage extends PushMessage {
  readonly sender: string | null;
}

export interface DeliveryCount {
  readonly os: Platform;
  readonly state: DeliveryState;
  readonly count: number;
}

/** The state of a delivery, as administrators see it. */
export interface ShownDelivery extends DeliveryAttempt {
  readonly userId: string;
  /** Null when the user has been removed. */
  readonly username: string | null;
  readonly os: Platform;
  readonly state: DeliveryState;
  /** The reason that the push service gave for the last attempt; null when it gave none or the attempt succeeded. */
  readonly reason: string | null;
}

/**
 * Notifications on their way to devices. An accepted message is stored until it is sent, even if the process dies.
 * There is one delivery for each message and device, and at any time at most one attempt of it that counts.
 * `DeviceStore` withdraws the deliveries to a device when it no longer belongs to its user.
 */
export interface OutboxStore {
  /**
   * Stores the message and a delivery for each device of the recipients, due at once. Resolves to the number of
   * deliveries in each state, as `counts` does.
   */
  add(message: PushMessage, recipients: Recipients): Promise<DeliveryCount[]>;
  /**
   * Claims up to `limit` waiting deliveries that are due, those due longest first, and counts the attempt. Concurrent
   * calls claim different deliveries. A delivery that is not settled by `until` is due again.
   */
  claim(claim: Claim): Promise<ClaimedDelivery[]>;
  /** Whether to make the attempt: it waits, no other node has claimed it, and the device still belongs to the user. */
  isWanted(attempt: DeliveryAttempt): Promise<boolean>;
  /**
   * Records the results of attempts. A delivery that was settled before stays as it is. Of an attempt that another node
   * has claimed since, only `delivered` and `dead` count.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** The time at which the next delivery of a platform is due or its lease ends; null when none waits. */
  nextDue(os: Platform): Promise<number | null>;
  find(messageId: string): Promise<PushMessage | null>;
  /** Messages, newest first. @param page.after only those before the message with this id; null for the newest */
  recent(page: { readonly after: string | null; readonly limit: number }): Promise<SentPushMessage[]>;
  /** The number of deliveries of a message in each state; states without deliveries are absent. */
  counts(messageId: string): Promise<DeliveryCount[]>;
  /** The deliveries of a message, ordered by the ids of their devices. */
  list(messageId: string, page: { readonly skip: number; readonly limit: number }): Promise<ShownDelivery[]>;
  /** Removes up to `limit` messages that expired before `moment`, with their deliveries. Resolves to the number removed. */
  removeExpired(moment: number, limit: number): Promise<number>;
}
