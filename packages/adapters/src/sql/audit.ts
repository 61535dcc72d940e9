import {
  type AuditAct,
  type AuditLink,
  type AuditParty,
  type AuditRecord,
  type AuditStore,
  type NewAuditRecord,
  withoutUser,
} from '@baobab/core';
import type { SqlExecutor, SqlValue } from './statements/executor.ts';
import { withRowLock } from './statements/fragments.ts';

interface EventRow {
  readonly id: string;
  readonly happened: number;
  readonly act: AuditAct;
  readonly by_kind: AuditParty['kind'];
  readonly by_id: string | null;
  readonly by_name: string | null;
  readonly to_kind: AuditParty['kind'] | null;
  readonly to_id: string | null;
  readonly to_name: string | null;
  readonly network: string | null;
  readonly details: string;
  readonly seals: string;
}

interface ChainedRow extends EventRow {
  readonly number: number;
  readonly hash: string;
}

interface ChainRow {
  readonly head: number;
  readonly head_hash: string;
  readonly anchor: number;
  readonly anchor_hash: string;
}

const EVENT = 'id, happened, act, by_kind, by_id, by_name, to_kind, to_id, to_name, network, details, seals';
const ADD = `insert into audit_events (${EVENT}) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`;

const CHAIN = 'select head, head_hash, anchor, anchor_hash from audit_chain where id = 1';
const LOCK = withRowLock('update', (lock) => CHAIN + lock);
const BEGIN = `insert into audit_chain (id, head, head_hash, anchor, anchor_hash) values (1, 0, '', 0, '')
  on conflict (id) do nothing`;
const WAITING = `select ${EVENT} from audit_events where number is null order by id limit ?1`;
const JOIN = 'update audit_events set number = ?2, hash = ?3 where id = ?1 and number is null';
const SET_HEAD = 'update audit_chain set head = ?1, head_hash = ?2 where id = 1';

const OF_USER = `select ${EVENT} from audit_events where by_id = ?1 or to_id = ?1 limit ?2`;
const REPLACE = `update audit_events set by_id = ?2, by_name = ?3, to_id = ?4, to_name = ?5, details = ?6, seals = ?7
  where id = ?1`;

const CHAINED = `select number, hash, ${EVENT} from audit_events`;
/** Greater than every number. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;
const MATCHES = `number < ?1 and happened >= ?2 and happened < ?3
  and (cast(?4 as text) is null or by_id = ?4 or by_name = ?4)
  and (cast(?5 as text) is null or to_id = ?5 or to_name = ?5)`;
const NEWEST = 'order by number desc limit ?6';
const PART = `${CHAINED} where number > ?1 order by number limit ?2`;

const OLDEST = `select number, hash, happened from audit_events where number is not null order by number limit ?1`;
const REMOVE = 'delete from audit_events where number <= ?1';
const SET_ANCHOR = 'update audit_chain set anchor = ?1, anchor_hash = ?2 where id = 1';

const EMPTY: ChainRow = { head: 0, head_hash: '', anchor: 0, anchor_hash: '' };

const valuesOf = ({ id, at, act, by, to, network, details, seals }: NewAuditRecord): SqlValue[] => [
  id,
  at,
  act,
  by.kind,
  by.id,
  by.name,
  to?.kind ?? null,
  to?.id ?? null,
  to?.name ?? null,
  network,
  JSON.stringify(details),
  JSON.stringify(seals),
];

const toEvent = (row: EventRow): NewAuditRecord => ({
  id: row.id,
  at: row.happened,
  act: row.act,
  by: { kind: row.by_kind, id: row.by_id, name: row.by_name },
  to: row.to_kind === null ? null : { kind: row.to_kind, id: row.to_id, name: row.to_name },
  network: row.network,
  details: JSON.parse(row.details),
  seals: JSON.parse(row.seals),
});

const toRecord = (row: ChainedRow): AuditRecord => ({ ...toEvent(row), number: row.number, hash: row.hash });

/** Returns the state of the chain, locked until the transaction ends. */
async function lockChain(transaction: SqlExecutor): Promise<ChainRow> {
  const [locked] = await transaction.read<ChainRow>(LOCK(transaction), []);
  if (locked !== undefined) return locked;
  await transaction.change(BEGIN, []);
  const [begun = EMPTY] = await transaction.read<ChainRow>(LOCK(transaction), []);
  return begun;
}

export function createAuditStore(executor: SqlExecutor): AuditStore {
  // Limits the time, because a filter with few matches reads all events.
  const matches = `${MATCHES} and ${executor.criteria.work('number', null)}`;
  const list = `${CHAINED} where ${matches} ${NEWEST}`;
  const listAct = `${CHAINED} where act = ?7 and ${matches} ${NEWEST}`;

  return {
    async add(events) {
      const [first] = events;
      if (first === undefined) return;
      if (events.length === 1) {
        await executor.change(ADD, valuesOf(first));
        return;
      }
      await executor.atomic(async (transaction) => {
        for (const event of events) await transaction.change(ADD, valuesOf(event));
      });
    },
    async chain(hashOf, limit) {
      if ((await executor.read(WAITING, [1])).length === 0) return 0;
      return executor.atomic(async (transaction) => {
        const chain = await lockChain(transaction);
        const waiting = await transaction.read<EventRow>(WAITING, [limit]);
        let last: AuditLink = { number: chain.head, hash: chain.head_hash };
        for (const row of waiting) {
          last = { number: last.number + 1, hash: hashOf(toEvent(row), last) };
          await transaction.change(JOIN, [row.id, last.number, last.hash]);
        }
        if (waiting.length > 0) await transaction.change(SET_HEAD, [last.number, last.hash]);
        return waiting.length;
      });
    },
    forget: (userId, alias, limit) =>
      executor.atomic(async (transaction) => {
        const rows = await transaction.read<EventRow>(OF_USER, [userId, limit]);
        for (const row of rows) {
          const { id, by, to, details, seals } = withoutUser(toEvent(row), userId, alias);
          const parties = [by.id, by.name, to?.id ?? null, to?.name ?? null];
          await transaction.change(REPLACE, [id, ...parties, JSON.stringify(details), JSON.stringify(seals)]);
        }
        return rows.length;
      }),
    async list({ filter: { act, by, to, from, until }, before, limit }) {
      const params = [before ?? NO_BOUND, from ?? -NO_BOUND, until ?? NO_BOUND, by, to, limit];
      const rows =
        act === null
          ? await executor.search<ChainedRow>(list, params)
          : await executor.search<ChainedRow>(listAct, [...params, act]);
      return rows.map(toRecord);
    },
    part: (after, limit) =>
      executor.snapshot(async (transaction) => {
        const [chain = EMPTY] = await transaction.read<ChainRow>(CHAIN, []);
        const rows = await transaction.read<ChainedRow>(PART, [after, limit]);
        return {
          anchor: { number: chain.anchor, hash: chain.anchor_hash },
          head: { number: chain.head, hash: chain.head_hash },
          records: rows.map(toRecord),
        };
      }),
    async removeBefore(time, limit) {
      const [oldest] = await executor.read<ChainedRow>(OLDEST, [1]);
      if (oldest === undefined || oldest.happened >= time) return 0;
      return executor.atomic(async (transaction) => {
        await lockChain(transaction);
        const rows = await transaction.read<ChainedRow>(OLDEST, [limit]);
        const kept = rows.findIndex(({ happened }) => happened >= time);
        const removed = kept === -1 ? rows : rows.slice(0, kept);
        const last = removed.at(-1);
        if (last === undefined) return 0;
        await transaction.change(REMOVE, [last.number]);
        await transaction.change(SET_ANCHOR, [last.number, last.hash]);
        return removed.length;
      });
    },
  };
}
