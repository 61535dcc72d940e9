import type { Webhook, WebhookHolder, WebhookStore } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne, countOf, withRowLock } from '../statements/fragments.ts';
import { addDeliveries, createWebhookDeliveryStore, settleDelivery } from './webhook-deliveries.ts';
import { changesOf, INSERT_WEBHOOK, toWebhook, valuesOf, WEBHOOK_COLUMNS, type WebhookRow } from './webhook-rows.ts';

const COUNT = 'select count(*) as n from webhooks';
const FIND = `select ${WEBHOOK_COLUMNS} from webhooks where id = ?1`;
const LIST = `select ${WEBHOOK_COLUMNS} from webhooks order by id`;
const LOCK = withRowLock('no key update', (lock) => `select enabled from webhooks where id = ?1${lock}`);
/** `where` may become null, so a number indicates a change. */
const UPDATE = `update webhooks set url = coalesce(?2, url), collections = coalesce(?3, collections),
    types = coalesce(?4, types), condition = case when cast(?5 as integer) = 1 then ?6 else condition end,
    description = coalesce(?7, description), enabled = coalesce(?8, enabled)
  where id = ?1 returning ${WEBHOOK_COLUMNS}`;
const HASTEN = "update webhook_deliveries set due = ?2 where webhook = ?1 and state = 'waiting'";
const ROTATE = `update webhooks set previous = secret, secret = ?2, previous_until = ?3 where id = ?1
  returning ${WEBHOOK_COLUMNS}`;
const REMOVE = 'delete from webhooks where id = ?1';

const FREE = 'enabled = 1 and (holder = ?1 or lease <= ?2)';
const IS_ANY_FREE = `select count(*) as n from webhooks where ${FREE}`;
/** Locked in the order of their ids, so that nodes that claim concurrently cannot deadlock. */
const CLAIM = withRowLock(
  'no key update',
  (lock) => `update webhooks set holder = ?1, lease = ?3
  where id in (select id from webhooks where ${FREE} order by id${lock}) and ${FREE}
  returning ${WEBHOOK_COLUMNS}`,
);
const RELEASE = 'update webhooks set holder = null, lease = 0 where holder = ?1';
const LOCK_HELD = withRowLock(
  'no key update',
  (lock) => `select id from webhooks where id = ?1 and holder = ?2${lock}`,
);
const ADVANCE = 'update webhooks set epoch = ?2, feed_position = ?3, feed_id = ?4, feed_marks = ?5 where id = ?1';
const DISABLE = 'update webhooks set enabled = 0 where id = ?1 and holder = ?2';

const byId = (a: Webhook, b: Webhook) => (a.id < b.id ? -1 : 1);

export function createWebhookStore(executor: SqlExecutor): WebhookStore {
  /** Runs `work` while no other node can claim the webhook. No-op if `holder` does not hold it. */
  const whileHeld = ({ id, holder }: WebhookHolder, work: (transaction: SqlExecutor) => Promise<void>) =>
    executor.atomic(async (transaction) => {
      const held = await transaction.read(LOCK_HELD(transaction), [id, holder]);
      if (held.length === 0) return false;
      await work(transaction);
      return true;
    });

  const first = ([row]: readonly WebhookRow[]) => (row === undefined ? null : toWebhook(row));

  return {
    ...createWebhookDeliveryStore(executor),
    add: (webhook, limit) =>
      executor.atomic(async (transaction) => {
        if ((await countOf(transaction, COUNT, [])) >= limit) return false;
        await transaction.change(INSERT_WEBHOOK, valuesOf(webhook));
        return true;
      }),
    async find(id) {
      const row = await executor.readOne<WebhookRow>(FIND, [id]);
      return row === null ? null : toWebhook(row);
    },
    async list() {
      return (await executor.read<WebhookRow>(LIST, [])).map(toWebhook);
    },
    update: (id, settings, now) =>
      executor.atomic(async (transaction) => {
        const [before] = await transaction.read<{ enabled: number }>(LOCK(transaction), [id]);
        const rows = await transaction.write<WebhookRow>(UPDATE, [id, ...changesOf(settings)]);
        if (before?.enabled === 0 && settings.enabled === true) await transaction.change(HASTEN, [id, now]);
        return first(rows);
      }),
    async rotate(id, secret, previousUntil) {
      return first(await executor.write<WebhookRow>(ROTATE, [id, secret, previousUntil]));
    },
    remove: (id) => changesOne(executor, REMOVE, [id]),
    async claim(holder, now, until) {
      if ((await countOf(executor, IS_ANY_FREE, [holder, now])) === 0) return [];
      const rows = await executor.write<WebhookRow>(CLAIM(executor), [holder, now, until]);
      return rows.map(toWebhook).sort(byId);
    },
    async release(holder) {
      await executor.change(RELEASE, [holder]);
    },
    advance: (of, { epoch, place, marks }, deliveries) =>
      whileHeld(of, async (transaction) => {
        await transaction.change(ADVANCE, [of.id, epoch, place.position, place.id, marks]);
        await addDeliveries(transaction, of.id, deliveries);
      }),
    settle: (of, settlements) =>
      whileHeld(of, async (transaction) => {
        for (const settlement of settlements) await settleDelivery(transaction, of.id, settlement);
      }),
    disable: ({ id, holder }) => changesOne(executor, DISABLE, [id, holder]),
  };
}
