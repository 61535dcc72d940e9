import type { DeliveryAttempt, DeliveryCount, MailStore, OutboxStore, Settlement, WaitingMail } from '@baobab/core';
import type { DeliveryRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

interface Due {
  readonly due: number;
}

const byDue = (a: Due, b: Due) => a.due - b.due;

/** Returns the earliest time at which one of the rows is due; null without rows. */
export const earliest = (rows: readonly Due[]): number | null => rows.toSorted(byDue)[0]?.due ?? null;

/** Withdraws the waiting deliveries of a device to users for whom `isMeant` returns true. */
export function withdraw({ deliveries }: State, device: string, isMeant: (userId: string) => boolean): void {
  deliveries.updateAll((row) => row.device === device && row.state === 'waiting' && isMeant(row.userId), {
    state: 'withdrawn',
  });
}

export function createOutboxStore(state: State): Immediate<OutboxStore> {
  const { pushMessages, deliveries, devices, users } = state;
  const rowOf = ({ messageId, device }: DeliveryAttempt) => deliveries.get(messageId, device);
  const nameOf = (userId: string) => users.get(userId)?.name ?? null;

  function settleOne(row: DeliveryRow, settlement: Settlement): void {
    const { state: to, reason, attempt } = settlement;
    const counts = row.attempts === attempt || to === 'delivered' || to === 'dead';
    if (row.state !== 'waiting' || !counts) return;
    deliveries.set({ ...row, state: to, reason, ...(to === 'waiting' && { due: settlement.due }) });
  }

  function forget(id: string, since: number): void {
    const device = devices.get(id);
    if (device === null || device.registered > since) return;
    devices.delete(id);
    withdraw(state, id, (userId) => userId === device.userId);
  }

  function counts(message: string): DeliveryCount[] {
    const found = new Map<string, DeliveryCount>();
    for (const { os, state: of } of deliveries.where({ message })) {
      const count = found.get(`${os} ${of}`)?.count ?? 0;
      found.set(`${os} ${of}`, { os, state: of, count: count + 1 });
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }

  return {
    add(message, { userIds, platforms }) {
      pushMessages.set(message);
      for (const { id: device, userId, os } of [...new Set(userIds)].flatMap((userId) => devices.where({ userId }))) {
        const waiting = { message: message.id, device, userId, os, attempts: 0, due: message.created, reason: null };
        deliveries.set({ ...waiting, state: platforms.includes(os) ? 'waiting' : 'unconfigured' });
      }
      return counts(message.id);
    },
    claim({ os, now, until, limit }) {
      const due = deliveries.where({ os, state: 'waiting' }).filter((row) => row.due <= now);
      return due
        .sort(byDue)
        .slice(0, limit)
        .flatMap((row) => {
          const message = pushMessages.get(row.message);
          const attempt = row.attempts + 1;
          deliveries.set({ ...row, due: until, attempts: attempt });
          return message === null ? [] : [{ messageId: row.message, device: row.device, attempt, os, message }];
        });
    },
    isWanted(attempt) {
      const row = rowOf(attempt);
      if (row?.state !== 'waiting' || row.attempts !== attempt.attempt) return false;
      return devices.get(row.device)?.userId === row.userId;
    },
    settle(settlements) {
      for (const settlement of settlements) {
        const row = rowOf(settlement);
        if (row !== null) settleOne(row, settlement);
        if (settlement.state === 'dead') forget(settlement.device, settlement.since);
      }
    },
    nextDue: (os) => earliest(deliveries.where({ os, state: 'waiting' })),
    find: pushMessages.get,
    recent({ after, limit }) {
      const older = pushMessages.where(({ id }) => after === null || id < after).reverse();
      return older.slice(0, limit).map((message) => ({ ...message, sender: nameOf(message.senderId) }));
    },
    counts,
    list: (messageId, { skip, limit }) =>
      deliveries
        .where({ message: messageId })
        .slice(skip, skip + limit)
        .map(({ message: _message, attempts: attempt, due: _due, ...row }) => {
          return { ...row, messageId, attempt, username: nameOf(row.userId) };
        }),
  };
}

export function createMailStore({ mails }: State): Immediate<MailStore> {
  function put(mail: WaitingMail, due: number, attempts: number): void {
    mails.remove({ topic: mail.topic });
    mails.set({ ...mail, due, attempts });
  }

  return {
    add: (mail) => put(mail, mail.created, 0),
    addClaimed(mail, until) {
      put(mail, until, 1);
      return { ...mail, attempt: 1 };
    },
    claim({ now, until, limit }) {
      const due = mails.where((row) => row.due <= now).sort(byDue);
      return due.slice(0, limit).map(({ due: _due, attempts, ...mail }) => {
        const attempt = attempts + 1;
        mails.set({ ...mail, due: until, attempts: attempt });
        return { ...mail, attempt };
      });
    },
    postpone: ({ id, attempt }, due) => mails.get(id)?.attempts === attempt && mails.update(id, { due }) !== null,
    remove: mails.delete,
    nextDue: () => earliest(mails.all()),
  };
}
