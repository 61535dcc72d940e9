import type { DeliveryAttempt, DeliveryCount, OutboxStore, Settlement } from '@baobab/core';
import { type DeliveryRow, deliveryKey, type State } from './state.ts';

/** Withdraws the waiting deliveries of a device to users for whom `isMeant` returns true. */
export function withdraw(state: State, device: string, isMeant: (userId: string) => boolean): void {
  for (const row of state.deliveries.where('device', device)) {
    if (row.state === 'waiting' && isMeant(row.userId)) state.deliveries.set({ ...row, state: 'withdrawn' });
  }
}

export function createOutboxStore(state: State): OutboxStore {
  const rowOf = ({ messageId, device }: DeliveryAttempt) => state.deliveries.get(deliveryKey(messageId, device));

  function settleOne(row: DeliveryRow, settlement: Settlement): void {
    const { state: to, reason, attempt } = settlement;
    const counts = row.attempts === attempt || to === 'delivered' || to === 'dead';
    if (row.state !== 'waiting' || !counts) return;
    state.deliveries.set({ ...row, state: to, reason, ...(to === 'waiting' ? { due: settlement.due } : {}) });
  }

  function forget(id: string, since: number): void {
    const device = state.devices.get(id);
    if (device === undefined || device.registered > since) return;
    state.devices.delete(id);
    withdraw(state, id, (userId) => userId === device.userId);
  }

  function countsOf(messageId: string): DeliveryCount[] {
    const counts = new Map<string, DeliveryCount>();
    for (const { os, state: of } of state.deliveries.where('message', messageId)) {
      const key = `${os} ${of}`;
      counts.set(key, { os, state: of, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }

  return {
    async add(message, { userIds, platforms }) {
      state.pushMessages.set({ ...message });
      const { id, created } = message;
      const devices = [...new Set(userIds)].flatMap((userId) => state.devices.where('user', userId));
      for (const { id: device, userId, os } of devices) {
        const waits = platforms.includes(os);
        const delivery = { message: id, device, userId, os, attempts: 0, due: created, reason: null };
        state.deliveries.set({ ...delivery, state: waits ? 'waiting' : 'unconfigured' });
      }
      return countsOf(id);
    },
    async claim({ os, now, until, limit }) {
      const due = state.deliveries.where('waiting', os).filter((row) => row.due <= now);
      const taken = due.sort((a, b) => a.due - b.due).slice(0, limit);
      return taken.flatMap((row) => {
        const message = state.pushMessages.get(row.message);
        const attempt = row.attempts + 1;
        state.deliveries.set({ ...row, due: until, attempts: attempt });
        if (message === undefined) return [];
        return [{ messageId: row.message, device: row.device, attempt, os, message: { ...message } }];
      });
    },
    async isWanted(attempt) {
      const row = rowOf(attempt);
      if (row === undefined || row.state !== 'waiting' || row.attempts !== attempt.attempt) return false;
      return state.devices.get(row.device)?.userId === row.userId;
    },
    async settle(settlements) {
      for (const settlement of settlements) {
        const row = rowOf(settlement);
        if (row !== undefined) settleOne(row, settlement);
        if (settlement.state === 'dead') forget(settlement.device, settlement.since);
      }
    },
    async nextDue(os) {
      const waiting = state.deliveries.where('waiting', os);
      return waiting.length === 0 ? null : waiting.reduce((least, { due }) => Math.min(least, due), Infinity);
    },
    async find(id) {
      const message = state.pushMessages.get(id);
      return message === undefined ? null : { ...message };
    },
    async recent({ after, limit }) {
      const all = state.pushMessages.values().filter(({ id }) => after === null || id < after);
      const newest = all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
      return newest.map((message) => ({ ...message, sender: state.users.get(message.senderId)?.name ?? null }));
    },
    counts: async (messageId) => countsOf(messageId),
    async list(messageId, { skip, limit }) {
      const rows = state.deliveries.where('message', messageId).slice(skip, skip + limit);
      return rows.map(({ message, attempts, due: _due, ...row }) => ({
        ...row,
        messageId: message,
        attempt: attempts,
        username: state.users.get(row.userId)?.name ?? null,
      }));
    },
    async removeExpired(moment, limit) {
      const expired = state.pushMessages.values().filter(({ expires }) => expires < moment);
      for (const { id } of expired.slice(0, limit)) {
        for (const { device } of state.deliveries.where('message', id))
          state.deliveries.delete(deliveryKey(id, device));
        state.pushMessages.delete(id);
      }
      return Math.min(expired.length, limit);
    },
  };
}
