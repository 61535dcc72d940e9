import type {
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryCount,
  OutboxStore,
  PushMessage,
  SentPushMessage,
  Settlement,
  ShownDelivery,
} from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { forDatabase, isThere, jsonIds, withRowLock } from '../statements/fragments.ts';
import { withdrawStatement } from './devices.ts';

const COLUMNS = 'id, sender as "senderId", payload, created, expires';
const ADD_MESSAGE = 'insert into push_messages (id, sender, payload, created, expires) values (?1, ?2, ?3, ?4, ?5)';
/** ?1 message, ?2 and ?3 platforms, ?4 recipients as a JSON array */
const ADD_DELIVERIES = forDatabase(
  (database) => `insert into push_deliveries (message, device, user_id, os, state, attempts, due)
  select m.id, d.id, d.user_id, d.os, case when d.os in (?2, ?3) then 'waiting' else 'unconfigured' end, 0, m.created
  from push_messages m join devices d on d.user_id in ${jsonIds(database, '?4')} where m.id = ?1
  on conflict do nothing`,
);

const DUE = `select message, device from push_deliveries
  where os = ?1 and state = 'waiting' and due <= ?2 order by due limit ?4`;
/** Nodes that claim concurrently skip each other's rows. */
const CLAIM = withRowLock(
  'update skip locked',
  (lock) => `update push_deliveries set due = ?3, attempts = attempts + 1
  where (message, device) in (${DUE}${lock})
  returning message as "messageId", device, attempts as "attempt", os`,
);

const IS_WANTED = `select 1 as wanted from push_deliveries p join devices d on d.id = p.device and d.user_id = p.user_id
  where p.message = ?1 and p.device = ?2 and p.attempts = ?3 and p.state = 'waiting'`;
const SETTLE = `update push_deliveries set state = ?4, reason = ?5
  where message = ?1 and device = ?2 and state = 'waiting' and (attempts = ?3 or ?4 in ('delivered', 'dead'))`;
const POSTPONE = `update push_deliveries set due = ?4, reason = ?5
  where message = ?1 and device = ?2 and state = 'waiting' and attempts = ?3`;
const FORGET = 'delete from devices where id = ?1 and registered <= ?2 returning user_id as "userId"';
const NEXT_DUE = "select min(due) as due from push_deliveries where os = ?1 and state = 'waiting'";
const FIND = `select ${COLUMNS} from push_messages where id = ?1`;
const recent = (
  before: string,
) => `select m.id, m.sender as "senderId", m.payload, m.created, m.expires, u.name as sender
  from push_messages m left join users u on u.id = m.sender and ${isThere('u.name')}${before} order by m.id desc limit ?1`;
const RECENT = { newest: recent(''), before: recent(' where m.id < ?2') };
const COUNTS = `select os, state, count(*) as "count" from push_deliveries where message = ?1
  group by os, state order by os, state`;
const LIST = `select p.message as "messageId", p.device, p.attempts as "attempt", p.user_id as "userId",
  u.name as username, p.os, p.state, p.reason
  from push_deliveries p left join users u on u.id = p.user_id and ${isThere('u.name')}
  where p.message = ?1 order by p.device limit ?2 offset ?3`;

/** All statements lock deliveries in this order, to avoid deadlocks. */
function byDevice(a: DeliveryAttempt, b: DeliveryAttempt): number {
  if (a.device !== b.device) return a.device < b.device ? -1 : 1;
  if (a.messageId === b.messageId) return 0;
  return a.messageId < b.messageId ? -1 : 1;
}

async function settleOne(executor: SqlExecutor, settlement: Settlement): Promise<void> {
  const { messageId, device, attempt, state, reason } = settlement;
  if (state === 'waiting') {
    await executor.change(POSTPONE, [messageId, device, attempt, settlement.due, reason]);
  } else await executor.change(SETTLE, [messageId, device, attempt, state, reason]);
}

/** Locks the device before its deliveries, like a logout. */
async function bury(executor: SqlExecutor, settlement: Settlement & { state: 'dead' }): Promise<void> {
  await executor.atomic(async (transaction) => {
    const { device, since } = settlement;
    const [forgotten] = await transaction.write<{ userId: string }>(FORGET, [device, since]);
    await settleOne(transaction, settlement);
    if (forgotten !== undefined) await transaction.change(withdrawStatement('of'), [device, forgotten.userId]);
  });
}

type ClaimedRow = Omit<ClaimedDelivery, 'message'>;

export function createOutboxStore(executor: SqlExecutor): OutboxStore {
  const find = (id: string) => executor.readOne<PushMessage>(FIND, [id]);

  async function withMessages(rows: readonly ClaimedRow[]): Promise<ClaimedDelivery[]> {
    const messages = new Map<string, PushMessage | null>();
    for (const { messageId } of rows) {
      if (!messages.has(messageId)) messages.set(messageId, await find(messageId));
    }
    return rows.flatMap((row) => {
      const message = messages.get(row.messageId);
      return message ? [{ ...row, message }] : [];
    });
  }

  return {
    add: ({ id, senderId, payload, created, expires }, { userIds, platforms }) =>
      executor.atomic(async (transaction) => {
        await transaction.change(ADD_MESSAGE, [id, senderId, payload, created, expires]);
        const [one = null, other = null] = platforms;
        await transaction.change(ADD_DELIVERIES(executor), [id, one, other, JSON.stringify(userIds)]);
        return transaction.read<DeliveryCount>(COUNTS, [id]);
      }),
    async claim({ os, now, until, limit }) {
      return withMessages(await executor.write<ClaimedRow>(CLAIM(executor), [os, now, until, limit]));
    },
    async isWanted({ messageId, device, attempt }) {
      return (await executor.readOne(IS_WANTED, [messageId, device, attempt])) !== null;
    },
    async settle(settlements) {
      const isDead = (one: Settlement): one is Settlement & { state: 'dead' } => one.state === 'dead';
      const others = settlements.filter((one) => !isDead(one)).sort(byDevice);
      if (others.length > 0) {
        await executor.atomic(async (transaction) => {
          for (const settlement of others) await settleOne(transaction, settlement);
        });
      }
      for (const settlement of settlements.filter(isDead)) await bury(executor, settlement);
    },
    async nextDue(os) {
      return (await executor.readOne<{ due: number | null }>(NEXT_DUE, [os]))?.due ?? null;
    },
    find,
    recent: ({ after, limit }) =>
      after === null
        ? executor.read<SentPushMessage>(RECENT.newest, [limit])
        : executor.read<SentPushMessage>(RECENT.before, [limit, after]),
    counts: (messageId) => executor.read<DeliveryCount>(COUNTS, [messageId]),
    list: (messageId, { skip, limit }) => executor.read<ShownDelivery>(LIST, [messageId, limit, skip]),
  };
}
