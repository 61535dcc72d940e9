import type { NewWebhookDelivery, WebhookDelivery, WebhookSettlement, WebhookStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { forDatabase, idIn, jsonArrays } from '../statements/fragments.ts';
import { DELIVERY_COLUMNS } from './webhook-rows.ts';

/** ?1 webhook, ?2 arrays with id, type, collection, document and time of each delivery, as a JSON array */
const INSERT = forDatabase((database) => {
  const [id, document] = [idIn(database, 'e.value ->> 0'), idIn(database, 'e.value ->> 3')];
  const created = 'cast(e.value ->> 4 as bigint)';
  return `insert into webhook_deliveries (id, webhook, type, collection, document, revision, state, created, attempts, due)
  select ${id}, ?1, e.value ->> 1, e.value ->> 2, ${document}, 0, 'waiting', ${created}, 0, ${created}
  from ${jsonArrays(database, '?2')} where true on conflict (webhook, document) where state = 'waiting'
  do update set type = excluded.type, revision = webhook_deliveries.revision + 1`;
});
const INSERT_MISSED = `insert into webhook_deliveries
    (id, webhook, type, collection, revision, state, created, attempts, due, error, finished)
  values (?2, ?1, 'missed', ?3, 0, 'parked', ?4, 0, ?4, ?5, ?4)`;

const WAITING = "webhook = ?1 and state = 'waiting'";
const DUE = `select ${DELIVERY_COLUMNS} from webhook_deliveries where ${WAITING} and due <= ?2
  order by due, id limit ?3`;
const NEXT_DUE = `select min(due) as due from webhook_deliveries where ${WAITING}`;
const COUNT_WAITING = `select count(*) as n, min(created) as oldest from webhook_deliveries where ${WAITING}`;
const COUNT_PARKED = "select count(*) as n from webhook_deliveries where webhook = ?1 and state = 'parked'";

const ONE_WAITING = `${WAITING} and id = ?2`;
/** A newer revision waits for its own attempt. */
const FINISH = `update webhook_deliveries set status = ?6, body = ?7, error = ?8,
    state = case when revision = ?3 then ?4 else state end,
    attempts = case when revision = ?3 then attempts + 1 else 0 end,
    since = case when revision = ?3 then coalesce(since, ?5) else null end,
    due = case when revision = ?3 then due else ?5 end,
    finished = case when revision = ?3 then ?5 else finished end
  where ${ONE_WAITING}`;
const POSTPONE = `update webhook_deliveries set attempts = attempts + 1, since = coalesce(since, ?3), due = ?4,
    status = ?5, body = ?6, error = ?7 where ${ONE_WAITING}`;
const VOID = `delete from webhook_deliveries where ${ONE_WAITING} and revision = ?3`;
const RENEW = `update webhook_deliveries set attempts = 0, since = null, due = ?3 where ${ONE_WAITING}`;

const RECORD = `insert into webhook_deliveries (webhook, id, type, collection, document, revision, state, created, since,
    attempts, due, status, body, error, finished)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?8)`;
/** Greater than every id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const NEWEST = `select ${DELIVERY_COLUMNS} from webhook_deliveries where webhook = ?1 and id < ?2`;
const PAGE = 'order by id desc limit ?3 offset ?4';
const LIST = `${NEWEST} ${PAGE}`;
const LIST_STATE = `${NEWEST} and state = ?5 ${PAGE}`;

const FIND = `select ${DELIVERY_COLUMNS} from webhook_deliveries where webhook = ?1 and id = ?2`;
const FIND_WAITING = `select ${DELIVERY_COLUMNS} from webhook_deliveries where ${WAITING} and document = ?2`;
const REPLAY = `update webhook_deliveries set state = 'waiting', finished = null, since = null, attempts = 0, due = ?3,
    revision = revision + 1 where webhook = ?1 and id = ?2 returning ${DELIVERY_COLUMNS}`;
const REMOVE_FINISHED = `delete from webhook_deliveries where (webhook, id) in
  (select d.webhook, d.id from webhook_deliveries d where d.state = ?1 and d.finished < ?2 limit ?3)`;
const TRIM = `delete from webhook_deliveries where (webhook, id) in
  (select d.webhook, d.id from webhook_deliveries d where d.webhook = ?1 and d.state = 'delivered'
    order by d.id desc limit ?3 offset ?2)`;

/** Stores new deliveries. Each document occurs once. */
export async function addDeliveries(
  transaction: SqlExecutor,
  webhook: string,
  deliveries: readonly NewWebhookDelivery[],
): Promise<void> {
  for (const { id, type, collection, created, error } of deliveries) {
    if (type === 'missed') await transaction.change(INSERT_MISSED, [webhook, id, collection, created, error]);
  }
  const rows = deliveries
    .filter(({ type }) => type !== 'missed')
    .map(({ id, type, collection, document, created }) => [id, type, collection, document, created]);
  if (rows.length > 0) await transaction.change(INSERT(transaction), [webhook, JSON.stringify(rows)]);
}

export async function settleDelivery(
  transaction: SqlExecutor,
  webhook: string,
  settlement: WebhookSettlement,
): Promise<void> {
  const { id, revision, now, state, status, body, error } = settlement;
  if (state === 'waiting') {
    await transaction.change(POSTPONE, [webhook, id, now, settlement.due, status, body, error]);
  } else if (state === 'void') {
    const voided = await transaction.change(VOID, [webhook, id, revision]);
    if (voided === 0) await transaction.change(RENEW, [webhook, id, now]);
  } else await transaction.change(FINISH, [webhook, id, revision, state, now, status, body, error]);
}

/** Creates the methods of a webhook store for deliveries, independent of the holder. */
export function createWebhookDeliveryStore(
  executor: SqlExecutor,
): Pick<WebhookStore, 'due' | 'nextDue' | 'backlog' | 'record' | 'deliveries' | 'replay' | 'removeFinished' | 'trim'> {
  return {
    due: (id, now, limit) => executor.read<WebhookDelivery>(DUE, [id, now, limit]),
    async nextDue(id) {
      return (await executor.readOne<{ due: number | null }>(NEXT_DUE, [id]))?.due ?? null;
    },
    async backlog(id) {
      const waiting = await executor.readOne<{ n: number; oldest: number | null }>(COUNT_WAITING, [id]);
      const parked = await executor.readOne<{ n: number }>(COUNT_PARKED, [id]);
      return { waiting: waiting?.n ?? 0, parked: parked?.n ?? 0, oldest: waiting?.oldest ?? null };
    },
    async record(webhook, delivery) {
      const { id, type, collection, document, revision, state, created, since, attempts, due } = delivery;
      const { status, body, error } = delivery;
      const about = [webhook, id, type, collection, document, revision, state, created, since, attempts, due];
      try {
        return (await executor.change(RECORD, [...about, status, body, error])) === 1;
      } catch (failure) {
        if (executor.isForeignKeyViolation(failure)) return false;
        throw failure;
      }
    },
    deliveries(id, { before, state, skip, limit }) {
      const page = [id, before ?? LAST_ID, limit, skip];
      return state === null
        ? executor.read<WebhookDelivery>(LIST, page)
        : executor.read<WebhookDelivery>(LIST_STATE, [...page, state]);
    },
    replay: (webhook, deliveryId, now) =>
      executor.atomic(async (transaction) => {
        const [found] = await transaction.read<WebhookDelivery>(FIND, [webhook, deliveryId]);
        if (found === undefined) return null;
        if (found.type === 'missed') return 'missed';
        const [same] =
          found.document === null
            ? []
            : await transaction.read<WebhookDelivery>(FIND_WAITING, [webhook, found.document]);
        const [replayed] = await transaction.write<WebhookDelivery>(REPLAY, [webhook, (same ?? found).id, now]);
        return replayed ?? null;
      }),
    removeFinished: (state, time, limit) => executor.change(REMOVE_FINISHED, [state, time, limit]),
    trim: (id, kept, limit) => executor.change(TRIM, [id, kept, limit]),
  };
}
