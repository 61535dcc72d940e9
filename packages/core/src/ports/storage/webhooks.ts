import type { FeedPlace } from './changes.ts';
import type { RowPage } from './groups.ts';

export const CHANGE_TYPES = ['put', 'gone'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** Webhook settings for administrators. */
export interface WebhookSettings {
  readonly url: string;
  /** Names of collections, each once. */
  readonly collections: readonly string[];
  /** Each once. */
  readonly types: readonly ChangeType[];
  /** Filter as text; null for every document. */
  readonly where: string | null;
  readonly description: string;
  readonly enabled: boolean;
}

/** Encrypted signing secrets of a webhook. */
export interface WebhookSecrets {
  readonly secret: string;
  /** Secret before the last rotation; null if there is none. */
  readonly previous: string | null;
  /** Time until which the previous secret also signs. */
  readonly previousUntil: number;
}

/** A webhook's position in the change feed. */
export interface WebhookCursor {
  /** Feed epoch in which the other members are valid. */
  readonly epoch: string;
  readonly place: FeedPlace;
  /** Position before which all visibility marks have been considered. */
  readonly marks: number;
}

export interface Webhook extends WebhookSettings, WebhookSecrets {
  /** UUIDv7. */
  readonly id: string;
  readonly created: number;
  readonly cursor: WebhookCursor;
}

/** A node that sends for a webhook. */
export interface WebhookHolder {
  /** Webhook id. */
  readonly id: string;
  /** Unique to a process. */
  readonly holder: string;
}

/**
 * `put`, `gone`: a change to a document. `user`: a new user, whose id is `document`. `test`: requested by an administrator. `missed`: changes that the webhook will
 * not receive individually; such a delivery is parked from the beginning.
 */
export type WebhookDeliveryType = ChangeType | 'user' | 'test' | 'missed';

/** `waiting`: to be sent, now or later. `delivered`: accepted by the receiver. `parked`: failed after all retries. */
export const WEBHOOK_DELIVERY_STATES = ['waiting', 'delivered', 'parked'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** A delivery without its content, which is read when it is sent. */
export interface NewWebhookDelivery {
  /** UUIDv7. */
  readonly id: string;
  readonly type: WebhookDeliveryType;
  /** Name of the collection; null if none is concerned. */
  readonly collection: string | null;
  /** Id of the document or user; null if none is concerned. */
  readonly document: string | null;
  readonly created: number;
  /** For `missed`: what was missed, and why. Otherwise null. */
  readonly error: string | null;
}

/** Outcome of an attempt, as shown. */
export interface WebhookResult {
  /** Status of the answer; null if there was none. */
  readonly status: number | null;
  /** Beginning of the answer's body; null if there was no answer. */
  readonly body: string | null;
  /** Reason for the rejection; null if it was accepted. */
  readonly error: string | null;
}

export interface WebhookDelivery extends NewWebhookDelivery, WebhookResult {
  readonly state: WebhookDeliveryState;
  /** Incremented by each change that joins the delivery while it waits. */
  readonly revision: number;
  readonly attempts: number;
  /** Time of the first attempt; null before that. */
  readonly since: number | null;
  /** Time at which the next attempt is due, while it waits. */
  readonly due: number;
}

export type WebhookSettlement = Pick<WebhookDelivery, 'id' | 'revision'> &
  WebhookResult & { readonly now: number } & (
    | { readonly state: 'delivered' | 'parked' }
    /** Retry at `due`. */
    | { readonly state: 'waiting'; readonly due: number }
    /** Nothing is left to deliver: the delivery is removed. */
    | { readonly state: 'void' }
  );

export interface WebhookDeliveryPage extends Omit<RowPage, 'after'> {
  /** Returns only deliveries with a smaller id; null from the newest. */
  readonly before: string | null;
  /** Null for all. */
  readonly state: WebhookDeliveryState | null;
}

export interface WebhookBacklog {
  readonly waiting: number;
  readonly parked: number;
  /** Creation time of the oldest waiting delivery; null if none waits. */
  readonly oldest: number | null;
}

/**
 * Webhooks and their deliveries. One node at a time sends for a webhook. It holds a lease, and what it records takes
 * effect only while no other node holds it. A webhook has at most one waiting delivery per document.
 */
export interface WebhookStore {
  /** Resolves to false if there are `limit` webhooks already. */
  add(webhook: Webhook, limit: number): Promise<boolean>;
  find(id: string): Promise<Webhook | null>;
  /** Returns all webhooks, oldest first. */
  list(): Promise<Webhook[]>;
  /**
   * Changes the given settings. Enabling the webhook makes its waiting deliveries due at `now`. Resolves to the changed
   * webhook, or to null if there is none.
   */
  update(id: string, settings: Partial<WebhookSettings>, now: number): Promise<Webhook | null>;
  /**
   * Sets the secret. The current one becomes the previous one, until `previousUntil`. Resolves to the changed webhook,
   * or to null if there is none.
   */
  rotate(id: string, secret: string, previousUntil: number): Promise<Webhook | null>;
  /** Removes the webhook with its deliveries. Resolves to false if there is none. */
  remove(id: string): Promise<boolean>;

  /**
   * Claims the enabled webhooks whose lease has ended, and renews the leases held by `holder`, until `until`. Resolves
   * to both, oldest first. Of concurrent calls exactly one claims a webhook. Writes nothing if there is nothing to
   * claim or renew.
   */
  claim(holder: string, now: number, until: number): Promise<Webhook[]>;
  /** Ends the leases of a node, so that other nodes need not wait for their expiry. */
  release(holder: string): Promise<void>;
  /**
   * Moves the cursor and adds deliveries, in one transaction. Those of type `missed` are parked. A change to a document
   * that has a waiting delivery joins it: that delivery gets the new type and the next revision, and keeps its id,
   * attempts and time. Resolves to false, without changes, if `holder` does not hold the webhook.
   */
  advance(of: WebhookHolder, cursor: WebhookCursor, deliveries: readonly NewWebhookDelivery[]): Promise<boolean>;
  /** Returns waiting deliveries that are due, longest due first. */
  due(id: string, now: number, limit: number): Promise<WebhookDelivery[]>;
  /** Returns the time at which the next waiting delivery of a webhook is due; null if none waits. */
  nextDue(id: string): Promise<number | null>;
  /**
   * Records the outcomes of attempts, atomically. A delivery whose revision has changed since it was read stays
   * waiting, with no attempts and due immediately, unless it is to be retried. Resolves to false, without changes, if
   * `holder` does not hold the webhook.
   */
  settle(of: WebhookHolder, settlements: readonly WebhookSettlement[]): Promise<boolean>;
  /** Disables a webhook. Resolves to false, without changes, if `holder` does not hold it. */
  disable(of: WebhookHolder): Promise<boolean>;

  /** Returns the number of a webhook's waiting and parked deliveries. */
  backlog(id: string): Promise<WebhookBacklog>;
  /**
   * Stores a delivery that is not from the feed, finished or waiting. Resolves to false if there is no such webhook; a
   * surrounding transaction cannot continue then.
   */
  record(id: string, delivery: WebhookDelivery): Promise<boolean>;
  /** Returns the deliveries of a webhook, newest first. */
  deliveries(id: string, page: WebhookDeliveryPage): Promise<WebhookDelivery[]>;
  /**
   * Makes a delivery due at `now`, with no attempts and the next revision. If another delivery of the same document
   * waits, that one is made due instead. Resolves to the delivery that waits now; to `missed` if it is of that type; to
   * null if there is none.
   */
  replay(id: string, deliveryId: string, now: number): Promise<WebhookDelivery | 'missed' | null>;
  /** Removes up to `limit` deliveries that were finished (see `state`) before `time`. Resolves to their number. */
  removeFinished(state: 'delivered' | 'parked', time: number, limit: number): Promise<number>;
  /**
   * Removes up to `limit` of a webhook's delivered deliveries older than its newest `kept`. Resolves to their number.
   */
  trim(id: string, kept: number, limit: number): Promise<number>;
}
