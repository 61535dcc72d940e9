import type {
  NewWebhookDelivery,
  Webhook,
  WebhookDelivery,
  WebhookHolder,
  WebhookSettlement,
  WebhookStore,
} from '@baobab/core';
import { type State, type WebhookDeliveryRow, type WebhookRow, waitingKey } from './state.ts';

const toWebhook = ({ holder: _holder, lease: _lease, ...webhook }: WebhookRow): Webhook => webhook;
const toDelivery = ({ webhookId: _webhook, finished: _finished, ...delivery }: WebhookDeliveryRow): WebhookDelivery =>
  delivery;

const UNTRIED = { state: 'waiting', attempts: 0, since: null, finished: null } as const;
const byDue = (a: WebhookDeliveryRow, b: WebhookDeliveryRow) => a.due - b.due || (a.id < b.id ? -1 : 1);

export function createWebhookStore(state: State): WebhookStore {
  const { webhooks, webhookDeliveries } = state;

  function set(row: WebhookRow | undefined, change: Partial<WebhookRow>): WebhookRow | null {
    if (row === undefined) return null;
    const changed = { ...row, ...change };
    webhooks.set(changed);
    return changed;
  }

  function held({ id, holder }: WebhookHolder): WebhookRow | undefined {
    const row = webhooks.get(id);
    return row?.holder === holder ? row : undefined;
  }

  const waitingOf = (id: string) => webhookDeliveries.where('waiting', id);

  function add(webhookId: string, delivery: NewWebhookDelivery): void {
    const { document, type, created } = delivery;
    const [same] = document === null ? [] : webhookDeliveries.where('document', waitingKey(webhookId, document));
    if (same !== undefined) {
      webhookDeliveries.set({ ...same, type, revision: same.revision + 1 });
      return;
    }
    const isMissed = type === 'missed';
    webhookDeliveries.set({
      ...delivery,
      ...UNTRIED,
      webhookId,
      revision: 0,
      due: created,
      status: null,
      body: null,
      ...(isMissed ? { state: 'parked', finished: created } : {}),
    });
  }

  function settleVoid(row: WebhookDeliveryRow, { revision, now }: WebhookSettlement): void {
    if (row.revision === revision) webhookDeliveries.delete(row.id);
    else webhookDeliveries.set({ ...row, ...UNTRIED, due: now });
  }

  function settleAttempt(row: WebhookDeliveryRow, settlement: Exclude<WebhookSettlement, { state: 'void' }>): void {
    const { now, revision, state: to, status, body, error } = settlement;
    const tried = { ...row, status, body, error, attempts: row.attempts + 1, since: row.since ?? now };
    if (to === 'waiting') webhookDeliveries.set({ ...tried, due: settlement.due });
    else if (row.revision !== revision) webhookDeliveries.set({ ...tried, ...UNTRIED, due: now });
    else webhookDeliveries.set({ ...tried, state: to, finished: now });
  }

  function settle(webhookId: string, settlement: WebhookSettlement): void {
    const row = webhookDeliveries.get(settlement.id);
    if (row === undefined || row.webhookId !== webhookId || row.state !== 'waiting') return;
    if (settlement.state === 'void') settleVoid(row, settlement);
    else settleAttempt(row, settlement);
  }

  function removeRows(rows: readonly WebhookDeliveryRow[], limit: number): number {
    for (const { id } of rows.slice(0, limit)) webhookDeliveries.delete(id);
    return Math.min(rows.length, limit);
  }

  return {
    async add(webhook, limit) {
      if (webhooks.values().length >= limit) return false;
      webhooks.set({ ...structuredClone(webhook), holder: null, lease: 0 });
      return true;
    },
    async find(id) {
      const row = webhooks.get(id);
      return row === undefined ? null : toWebhook(row);
    },
    async list() {
      return webhooks.values().map(toWebhook);
    },
    async update(id, settings, now) {
      const row = webhooks.get(id);
      const changed = set(row, structuredClone(settings));
      if (changed === null) return null;
      if (row?.enabled === false && changed.enabled) {
        for (const waiting of waitingOf(id)) webhookDeliveries.set({ ...waiting, due: now });
      }
      return toWebhook(changed);
    },
    async rotate(id, secret, previousUntil) {
      const row = webhooks.get(id);
      const changed = set(row, { secret, previous: row?.secret ?? null, previousUntil });
      return changed === null ? null : toWebhook(changed);
    },
    async remove(id) {
      for (const row of webhookDeliveries.where('webhook', id)) webhookDeliveries.delete(row.id);
      return webhooks.delete(id);
    },
    async claim(holder, now, until) {
      const free = webhooks.values().filter((row) => row.enabled && (row.holder === holder || row.lease <= now));
      return free.map((row) => {
        const claimed = { ...row, holder, lease: until };
        webhooks.set(claimed);
        return toWebhook(claimed);
      });
    },
    async release(holder) {
      for (const row of webhooks.values()) if (row.holder === holder) set(row, { holder: null, lease: 0 });
    },
    async advance(of, cursor, deliveries) {
      const row = held(of);
      if (row === undefined) return false;
      set(row, { cursor: structuredClone(cursor) });
      for (const delivery of deliveries) add(of.id, delivery);
      return true;
    },
    async due(id, now, limit) {
      const due = waitingOf(id).filter((row) => row.due <= now);
      return due.sort(byDue).slice(0, limit).map(toDelivery);
    },
    async nextDue(id) {
      const times = waitingOf(id).map(({ due }) => due);
      return times.length === 0 ? null : Math.min(...times);
    },
    async settle(of, settlements) {
      if (held(of) === undefined) return false;
      for (const settlement of settlements) settle(of.id, settlement);
      return true;
    },
    async disable(of) {
      return set(held(of), { enabled: false }) !== null;
    },
    async backlog(id) {
      const rows = webhookDeliveries.where('webhook', id);
      const waiting = rows.filter((row) => row.state === 'waiting').map(({ created }) => created);
      return {
        waiting: waiting.length,
        parked: rows.filter((row) => row.state === 'parked').length,
        oldest: waiting.length === 0 ? null : Math.min(...waiting),
      };
    },
    async record(id, delivery) {
      if (webhooks.get(id) === undefined) return false;
      webhookDeliveries.set({ ...delivery, webhookId: id, finished: delivery.created });
      return true;
    },
    async deliveries(id, { before, state: wanted, skip, limit }) {
      const rows = webhookDeliveries
        .where('webhook', id)
        .filter((row) => (before === null || row.id < before) && (wanted === null || row.state === wanted));
      return rows
        .toReversed()
        .slice(skip, skip + limit)
        .map(toDelivery);
    },
    async replay(id, deliveryId, now) {
      const row = webhookDeliveries.get(deliveryId);
      if (row === undefined || row.webhookId !== id) return null;
      if (row.type === 'missed') return 'missed';
      const [same] = row.document === null ? [] : webhookDeliveries.where('document', waitingKey(id, row.document));
      const replayed = same ?? row;
      const changed = { ...replayed, ...UNTRIED, due: now, revision: replayed.revision + 1 };
      webhookDeliveries.set(changed);
      return toDelivery(changed);
    },
    async removeFinished(of, time, limit) {
      const rows = webhookDeliveries.values();
      return removeRows(
        rows.filter((row) => row.state === of && row.finished !== null && row.finished < time),
        limit,
      );
    },
    async trim(id, kept, limit) {
      const delivered = webhookDeliveries.where('webhook', id).filter((row) => row.state === 'delivered');
      return removeRows(delivered.slice(0, Math.max(0, delivered.length - kept)), limit);
    },
  };
}
