import type { FeedPlace } from './changes.ts';
import type { RowPage } from './groups.ts';

export const CHANGE_TYPES = ['put', 'gone'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** What administrators set for a webhook. */
export interface WebhookSettings {
  readonly url: string;
  /** Names of collections, each once. */
  readonly collections: readonly string[];
  /** Each once. */
  readonly types: readonly ChangeType[];
  /** A condition as text; null for every document. */
  readonly where: string | null;
  readonly description: string;
  readonly enabled: boolean;
}

/** The sealed secrets with which a webhook signs. */
export interface WebhookSecrets {
  readonly secret: string;
  /** The secret before the last rotation; null when there is none. */
  readonly previous: string | null;
  /** Until when the previous secret signs too. */
  readonly previousUntil: number;
}

/** How far a webhook has read the change feed. */
export interface WebhookCursor {
  /** The epoch of the feed in which the other members are valid. */
  readonly epoch: string;
  readonly place: FeedPlace;
  /** Visibility marks before this position have been considered. */
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
  /** The id of the webhook. */
  readonly id: string;
  /** Unique to a process. */
  readonly holder: string;
}

/**
 * `put`, `gone`: a change to a document. `test`: requested by an administrator. `missed`: changes that the webhook will
 * not be told one by one; such a delivery is parked from the beginning.
 */
export type WebhookDeliveryType = ChangeType | 'test' | 'missed';

/**
 * `waiting`: to be sent, now or later. `delivered`: the receiver has accepted it. `parked`: given up.
 */
export const WEBHOOK_DELIVERY_STATES = ['waiting', 'delivered', 'parked'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** What is to be delivered. It holds no content: that is read when it is sent. */
export interface NewWebhookDelivery {
  /** UUIDv7. */
  readonly id: string;
  readonly type: WebhookDeliveryType;
  /** The name of the collection; null for what concerns no collection. */
  readonly collection: string | null;
  /** The id of the document; null for what concerns no document. */
  readonly document: string | null;
  readonly created: number;
  /** For `missed`: what was missed, and why; otherwise null. */
  readonly error: string | null;
}

/** The outcome of an attempt, as it is shown. */
export interface WebhookResult {
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** The beginning of the answer's body; null when there was no answer. */
  readonly body: string | null;
  /** Why it was not accepted; null when it was. */
  readonly error: string | null;
}

export interface WebhookDelivery extends NewWebhookDelivery, WebhookResult {
  readonly state: WebhookDeliveryState;
  /** Grows with each change that joins the delivery while it waits. */
  readonly revision: number;
  readonly attempts: number;
  /** When it was attempted first; null before that. */
  readonly since: number | null;
  /** When the next attempt is due, while it waits. */
  readonly due: number;
}

export type WebhookSettlement = Pick<WebhookDelivery, 'id' | 'revision'> &
  WebhookResult & { readonly now: number } & (
    | { readonly state: 'delivered' | 'parked' }
    /** To be retried at `due`. */
    | { readonly state: 'waiting'; readonly due: number }
    /** There is nothing to tell any more: the delivery is removed. */
    | { readonly state: 'void' }
  );

export interface WebhookDeliveryPage extends Omit<RowPage, 'after'> {
  /** Only deliveries with a smaller id; null from the newest. */
  readonly before: string | null;
  /** Null for all. */
  readonly state: WebhookDeliveryState | null;
}

export interface WebhookBacklog {
  readonly waiting: number;
  readonly parked: number;
  /** When the oldest waiting delivery was created; null when none waits. */
  readonly oldest: number | null;
}

/**
 * Webhooks and their deliveries. One node at a time sends for a webhook: it holds a lease, and what it records takes
 * effect only while no other node holds it. Of one document a webhook has at most one waiting delivery.
 */
export interface WebhookStore {
  /** Resolves to false when there are `limit` webhooks already. */
  add(webhook: Webhook, limit: number): Promise<boolean>;
  find(id: string): Promise<Webhook | null>;
  /** Every webhook, oldest first. */
  list(): Promise<Webhook[]>;
  /**
   * Changes those settings that are given. Switching it on makes its waiting deliveries due at `now`. Resolves to the
   * webhook as it is now, or to null when there is none.
   */
  update(id: string, settings: Partial<WebhookSettings>, now: number): Promise<Webhook | null>;
  /**
   * Sets the secret; the one before becomes the previous one, until `previousUntil`. Resolves to the webhook as it is
   * now, or to null when there is none.
   */
  rotate(id: string, secret: string, previousUntil: number): Promise<Webhook | null>;
  /** Removes the webhook with its deliveries. Resolves to false when there is none. */
  remove(id: string): Promise<boolean>;

  /**
   * Claims the enabled webhooks whose lease has ended, and renews the leases of those that `holder` has, until `until`.
   * Resolves to both, oldest first. Of concurrent calls exactly one claims a webhook. When there is nothing to claim or
   * renew, it writes nothing.
   */
  claim(holder: string, now: number, until: number): Promise<Webhook[]>;
  /** Ends the leases of a node, so that others need not wait for it. */
  release(holder: string): Promise<void>;
  /**
   * Moves the cursor and adds deliveries, in one transaction; those of type `missed` are parked. A change to a document
   * that has a waiting delivery joins it: that delivery gets the new type and the next revision, and keeps its id,
   * attempts and time. Resolves to false, and changes nothing, when `holder` does not hold the webhook.
   */
  advance(of: WebhookHolder, cursor: WebhookCursor, deliveries: readonly NewWebhookDelivery[]): Promise<boolean>;
  /** Waiting deliveries that are due, those due longest first. */
  due(id: string, now: number, limit: number): Promise<WebhookDelivery[]>;
  /** When the next waiting delivery of a webhook is due; null when none waits. */
  nextDue(id: string): Promise<number | null>;
  /**
   * Records the outcomes of attempts, atomically. A delivery whose revision has changed since it was read stays waiting,
   * with no attempts and due at once, unless it is to be retried. Resolves to false, and changes nothing, when `holder`
   * does not hold the webhook.
   */
  settle(of: WebhookHolder, settlements: readonly WebhookSettlement[]): Promise<boolean>;
  /** Switches a webhook off. Resolves to false, and changes nothing, when `holder` does not hold it. */
  disable(of: WebhookHolder): Promise<boolean>;

  /** The number of waiting and of parked deliveries of a webhook. */
  backlog(id: string): Promise<WebhookBacklog>;
  /** Stores a delivery that is finished already. Resolves to false when there is no such webhook. */
  record(id: string, delivery: WebhookDelivery): Promise<boolean>;
  /** The deliveries of a webhook, newest first. */
  deliveries(id: string, page: WebhookDeliveryPage): Promise<WebhookDelivery[]>;
  /**
   * Makes a delivery due at `now`, with no attempts and the next revision. If another delivery of the same document
   * waits, that one is made due instead. Resolves to the delivery that waits now; to `missed` when it is of that type;
   * to null when there is none.
   */
  replay(id: string, deliveryId: string, now: number): Promise<WebhookDelivery | 'missed' | null>;
  /** Removes up to `limit` deliveries that were finished (see `state`) before `time`. Resolves to their number. */
  removeFinished(state: 'delivered' | 'parked', time: number, limit: number): Promise<number>;
  /**
   * Removes up to `limit` of the delivered deliveries of a webhook that are older than its newest `kept`. Resolves to
   * their number.
   */
  trim(id: string, kept: number, limit: number): Promise<number>;
}
