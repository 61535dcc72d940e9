import type { ChangeType, Webhook, WebhookSettings } from '@baobab/core';
import type { SqlValue } from '../statements/executor.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  /** JSON arrays of texts. */
  readonly collections: string;
  readonly types: string;
  readonly condition: string | null;
  readonly description: string;
  readonly enabled: number;
  readonly created: number;
  readonly secret: string;
  readonly previous: string | null;
  readonly previousUntil: number;
  readonly epoch: string;
  readonly position: number;
  readonly place: string;
  readonly marks: number;
}

export const WEBHOOK_COLUMNS = `id, url, collections, types, condition, description, enabled, created, secret, previous,
  previous_until as "previousUntil", epoch, feed_position as "position", feed_id as place, feed_marks as marks`;

export const DELIVERY_COLUMNS =
  'id, type, collection, document, revision, state, created, since, attempts, due, status, body, error';

export const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  collections: JSON.parse(row.collections) as string[],
  types: JSON.parse(row.types) as ChangeType[],
  where: row.condition,
  description: row.description,
  enabled: row.enabled === 1,
  created: row.created,
  secret: row.secret,
  previous: row.previous,
  previousUntil: row.previousUntil,
  cursor: { epoch: row.epoch, place: { position: row.position, id: row.place }, marks: row.marks },
});

/** In the order of the columns of `INSERT_WEBHOOK`. */
export function valuesOf({ cursor, ...webhook }: Webhook): SqlValue[] {
  const { id, url, collections, types, where, description, enabled, created } = webhook;
  const { epoch, place, marks } = cursor;
  return [
    id,
    url,
    JSON.stringify(collections),
    JSON.stringify(types),
    where,
    description,
    enabled ? 1 : 0,
    created,
    webhook.secret,
    webhook.previous,
    webhook.previousUntil,
    epoch,
    place.position,
    place.id,
    marks,
  ];
}

export const INSERT_WEBHOOK = `insert into webhooks (id, url, collections, types, condition, description, enabled, created,
    secret, previous, previous_until, epoch, feed_position, feed_id, feed_marks, lease)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0)`;

const jsonOf = (texts: readonly string[] | undefined) => (texts === undefined ? null : JSON.stringify(texts));

/** Returns null for unchanged settings. `where` may become null, so a number before it indicates a change. */
export function changesOf(settings: Partial<WebhookSettings>): SqlValue[] {
  const { url = null, collections, types, where, description = null, enabled } = settings;
  const isOn = enabled === undefined ? null : Number(enabled);
  return [url, jsonOf(collections), jsonOf(types), where === undefined ? 0 : 1, where ?? null, description, isOn];
}
