import type { Platform } from './devices.ts';

/** One notification to any number of devices. */
export interface PushMessage {
  /** UUIDv7. */
  readonly id: string;
  /** The id of the user who sent it. */
  readonly senderId: string;
  /** What is sent, as JSON text; the storage does not look into it. */
  readonly payload: string;
  readonly created: number;
  /** From then on it is not sent any more. */
  readonly expires: number;
}

/**
 * `waiting`: to be sent, now or later. `delivered`: the push service has taken it. `dead`: there is no such device any
 * more. `refused`: the push service does not want it. `expired`: it could not be sent in time. `withdrawn`: the device
 * is not the user's any more. `unconfigured`: there was no push service for it.
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

/** What came of an attempt. */
export type Settlement = DeliveryAttempt &
  (
    | { readonly state: 'delivered' | 'refused' | 'expired' | 'withdrawn'; readonly reason: string | null }
    /** The device is forgotten, unless it was registered anew after `since`. */
    | { readonly state: 'dead'; readonly reason: string | null; readonly since: number }
    /** To be tried again, at `due`. */
    | { readonly state: 'waiting'; readonly reason: string | null; readonly due: number }
  );

export interface Claim {
  readonly os: Platform;
  readonly now: number;
  /** When the deliveries are due again if nothing is said of them. */
  readonly until: number;
  readonly limit: number;
}

export interface Recipients {
  readonly userIds: readonly string[];
  /** Deliveries to devices of other platforms are `unconfigured`. */
  readonly platforms: readonly Platform[];
}

export interface DeliveryCount {
  readonly os: Platform;
  readonly state: DeliveryState;
  readonly count: number;
}

/** What is known of a delivery. */
export interface ShownDelivery extends DeliveryAttempt {
  readonly userId: string;
  /** Null when there is no such user any more. */
  readonly username: string | null;
  readonly os: Platform;
  readonly state: DeliveryState;
  /** What the push service said of the last attempt, when it was not good. */
  readonly reason: string | null;
}

/**
 * Notifications on their way to devices: what was accepted is here until it is sent, whatever happens to the process.
 * There is one delivery for each message and device, and at any time at most one attempt of it that counts.
 * `DeviceStore` withdraws what waits for a device that ceases to be its user's.
 */
export interface OutboxStore {
  /** Stores the message and a delivery for each device of the recipients, each due at once. Resolves to how many wait. */
  add(message: PushMessage, recipients: Recipients): Promise<number>;
  /**
   * Takes up to `limit` deliveries that wait and are due, those due longest first, and counts the attempt. Of
   * concurrent calls each gets others. What is not settled by `until` is due again.
   */
  claim(claim: Claim): Promise<ClaimedDelivery[]>;
  /** Whether the attempt is to be made: it waits, nobody has taken it over, and the device still is the user's. */
  isWanted(attempt: DeliveryAttempt): Promise<boolean>;
  /**
   * Records what came of attempts. What was settled before stays as it is. Of an attempt that somebody took over only
   * `delivered` and `dead` count.
   */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** When the next delivery of a platform is due, or its attempt has to be taken over; null when none waits. */
  nextDue(os: Platform): Promise<number | null>;
  find(messageId: string): Promise<PushMessage | null>;
  /** How many deliveries of a message there are in each state; none where there are none. */
  counts(messageId: string): Promise<DeliveryCount[]>;
  /** The deliveries of a message by the ids of their devices. */
  list(messageId: string, page: { readonly skip: number; readonly limit: number }): Promise<ShownDelivery[]>;
  /** Removes up to `limit` messages that expired before `moment`, with their deliveries. Resolves to how many. */
  removeExpired(moment: number, limit: number): Promise<number>;
}
