import type {
  NewWebhookDelivery,
  Webhook,
  WebhookDelivery,
  WebhookHolder,
  WebhookSettlement,
  WebhookStore,
} from '@baobab/core';
import { earliest } from './outbox.ts';
import type { State, WebhookDeliveryRow, WebhookRow } from './state.ts';
import type { Immediate } from './tables.ts';

const toWebhook = ({ holder: _holder, lease: _lease, ...webhook }: WebhookRow): Webhook => webhook;
const toDelivery = ({ webhookId: _webhook, finished: _finished, ...delivery }: WebhookDeliveryRow): WebhookDelivery =>
  delivery;

const UNTRIED = { state: 'waiting', attempts: 0, since: null, finished: null } as const;

export function createWebhookStore(state: State): Immediate<WebhookStore> {
  const { webhooks, webhookDeliveries: deliveries } = state;

  function update(id: string, change: Partial<WebhookRow>): Webhook | null {
    const row = webhooks.update(id, change);
    return row && toWebhook(row);
  }

  const isHeld = ({ id, holder }: WebhookHolder) => webhooks.get(id)?.holder === holder;
  const waitingOf = (webhookId: string) => deliveries.where({ webhookId, state: 'waiting' });
  const waitingFor = (webhookId: string, document: string | null) =>
    document === null ? null : deliveries.first({ webhookId, document, state: 'waiting' });

  function add(webhookId: string, delivery: NewWebhookDelivery): void {
    const { document, type, created } = delivery;
    const same = waitingFor(webhookId, document);
    if (same !== null) {
      deliveries.set({ ...same, type, revision: same.revision + 1 });
      return;
    }
    const row = { ...delivery, ...UNTRIED, webhookId, revision: 0, due: created, status: null, body: null };
    deliveries.set(type === 'missed' ? { ...row, state: 'parked', finished: created } : row);
  }

  function settle(webhookId: string, settlement: WebhookSettlement): void {
    const { id, revision, now } = settlement;
    const row = deliveries.get(id);
    if (row === null || row.webhookId !== webhookId || row.state !== 'waiting') return;
    const isCurrent = row.revision === revision;
    if (settlement.state === 'void') {
      if (isCurrent) deliveries.delete(id);
      else deliveries.set({ ...row, ...UNTRIED, due: now });
      return;
    }
    const { status, body, error } = settlement;
    const tried = { ...row, status, body, error, attempts: row.attempts + 1, since: row.since ?? now };
    if (settlement.state === 'waiting') deliveries.set({ ...tried, due: settlement.due });
    else if (isCurrent) deliveries.set({ ...tried, state: settlement.state, finished: now });
    else deliveries.set({ ...tried, ...UNTRIED, due: now });
  }

  return {
    add(webhook, limit) {
      if (webhooks.all().length >= limit) return false;
      webhooks.set({ ...structuredClone(webhook), holder: null, lease: 0 });
      return true;
    },
    find(id) {
      const row = webhooks.get(id);
      return row && toWebhook(row);
    },
    list: () => webhooks.all().map(toWebhook),
    update(id, settings, now) {
      const isEnabled = settings.enabled === true && webhooks.get(id)?.enabled === false;
      if (isEnabled) deliveries.updateAll({ webhookId: id, state: 'waiting' }, { due: now });
      return update(id, structuredClone(settings));
    },
    rotate: (id, secret, previousUntil) =>
      update(id, { secret, previous: webhooks.get(id)?.secret ?? null, previousUntil }),
    remove(id) {
      deliveries.remove({ webhookId: id });
      return webhooks.delete(id);
    },
    claim(holder, now, until) {
      const isFree = (row: WebhookRow) => row.enabled && (row.holder === holder || row.lease <= now);
      return webhooks.updateAll(isFree, { holder, lease: until }).map(toWebhook);
    },
    release: (holder) => void webhooks.updateAll({ holder }, { holder: null, lease: 0 }),
    advance(of, cursor, added) {
      if (!isHeld(of)) return false;
      update(of.id, { cursor });
      for (const delivery of added) add(of.id, delivery);
      return true;
    },
    due(id, now, limit) {
      const due = waitingOf(id).filter((row) => row.due <= now);
      return due
        .sort((a, b) => a.due - b.due)
        .slice(0, limit)
        .map(toDelivery);
    },
    nextDue: (id) => earliest(waitingOf(id)),
    settle(of, settlements) {
      if (!isHeld(of)) return false;
      for (const settlement of settlements) settle(of.id, settlement);
      return true;
    },
    disable: (of) => isHeld(of) && update(of.id, { enabled: false }) !== null,
    backlog(id) {
      const waiting = waitingOf(id);
      return {
        waiting: waiting.length,
        parked: deliveries.where({ webhookId: id, state: 'parked' }).length,
        oldest: earliest(waiting.map(({ created }) => ({ due: created }))),
      };
    },
    record(id, delivery) {
      if (!webhooks.has(id)) return false;
      deliveries.set({ ...delivery, webhookId: id, finished: delivery.created });
      return true;
    },
    deliveries: (id, { before, state: wanted, skip, limit }) =>
      deliveries
        .where({ webhookId: id })
        .filter((row) => (before === null || row.id < before) && (wanted === null || row.state === wanted))
        .reverse()
        .slice(skip, skip + limit)
        .map(toDelivery),
    replay(id, deliveryId, now) {
      const row = deliveries.get(deliveryId);
      if (row === null || row.webhookId !== id) return null;
      if (row.type === 'missed') return 'missed';
      const replayed = waitingFor(id, row.document) ?? row;
      const changed = { ...replayed, ...UNTRIED, due: now, revision: replayed.revision + 1 };
      deliveries.set(changed);
      return toDelivery(changed);
    },
    removeFinished: (of, time, limit) =>
      deliveries.remove((row) => row.state === of && row.finished !== null && row.finished < time, limit).length,
    trim(id, kept, limit) {
      const delivered = deliveries.where({ webhookId: id, state: 'delivered' });
      const surplus = Math.min(limit, Math.max(0, delivered.length - kept));
      return deliveries.remove({ webhookId: id, state: 'delivered' }, surplus).length;
    },
  };
}
