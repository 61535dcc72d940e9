import type {
  NewWebhookDelivery,
  Storage,
  Webhook,
  WebhookDelivery,
  WebhookSettlement,
  WebhookStore,
} from '@baobab/core';
import { expect } from 'vitest';
import { NOW, uuid } from './fixtures.ts';

export const LEASE = 1_000;
export const MANY = 100;

export function newWebhook(overrides: Partial<Webhook> = {}): Webhook {
  return {
    id: uuid(),
    url: 'https://example.org/hook?a=1',
    collections: ['Books', 'Zoë'],
    types: ['put', 'gone'],
    where: null,
    description: 'Übersicht',
    enabled: true,
    created: NOW,
    secret: 'sealed',
    previous: null,
    previousUntil: 0,
    cursor: { epoch: 'e1', place: { position: 5, id: '' }, marks: 5 },
    ...overrides,
  };
}

export function change(overrides: Partial<NewWebhookDelivery> = {}): NewWebhookDelivery {
  return { id: uuid(), type: 'put', collection: 'Books', document: uuid(), created: NOW, error: null, ...overrides };
}

export const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** Returns helpers for the webhook contracts. */
export function webhookFixtures(current: () => Storage) {
  const webhooks = (): WebhookStore => current().webhooks;
  const claim = (holder: string, now = NOW) => webhooks().claim(holder, now, now + LEASE);
  const due = (id: string, now = NOW, limit = MANY) => webhooks().due(id, now, limit);
  const list = (id: string) => webhooks().deliveries(id, { before: null, state: null, skip: 0, limit: MANY });

  async function added(overrides: Partial<Webhook> = {}): Promise<Webhook> {
    const webhook = newWebhook(overrides);
    expect(await webhooks().add(webhook, MANY)).toBe(true);
    return webhook;
  }

  /** Adds a webhook that is leased to node `a`, with these deliveries. */
  async function holding(deliveries: readonly NewWebhookDelivery[] = []): Promise<Webhook> {
    const webhook = await added();
    await claim('a');
    await advance(webhook, deliveries);
    return webhook;
  }

  const advance = ({ id, cursor }: Webhook, deliveries: readonly NewWebhookDelivery[], holder = 'a') =>
    webhooks().advance({ id, holder }, cursor, deliveries);

  const outcome = ({ id, revision }: WebhookDelivery) => ({
    id,
    revision,
    now: NOW + 7,
    status: 200,
    body: 'ok',
    error: null,
  });
  const settle = ({ id }: Webhook, settlements: readonly WebhookSettlement[], holder = 'a') =>
    webhooks().settle({ id, holder }, settlements);

  /** Returns the only delivery of a webhook. */
  async function only({ id }: Webhook): Promise<WebhookDelivery> {
    const [delivery, ...more] = await list(id);
    if (delivery === undefined || more.length > 0) throw new Error('not exactly one delivery');
    return delivery;
  }

  return { webhooks, claim, due, list, added, holding, advance, outcome, settle, only };
}
