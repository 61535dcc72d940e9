import { type AuditLink, type AuditRecord, type AuditStore, CHAIN_START, type NewAuditRecord } from '@baobab/core';
import type { State } from './state.ts';

export interface AuditRow extends NewAuditRecord {
  /** Null until the event joins the chain. */
  readonly link: AuditLink | null;
}

/** Both ends of the chain: the only row of its table. */
export interface AuditChainRow {
  readonly anchor: AuditLink;
  readonly head: AuditLink;
}

const EMPTY: AuditChainRow = { anchor: CHAIN_START, head: CHAIN_START };

export function createAuditStore(state: State): AuditStore {
  const ends = () => state.auditChain.values()[0] ?? EMPTY;
  const recordOf = ({ link, ...event }: AuditRow): AuditRecord[] =>
    link === null ? [] : [structuredClone({ ...event, ...link })];
  const chained = () =>
    state.auditEvents
      .values()
      .flatMap(recordOf)
      .sort((one, other) => one.number - other.number);

  return {
    async add(events) {
      for (const event of events) state.auditEvents.set({ ...structuredClone(event), link: null });
    },
    async chain(hashOf, limit) {
      const waiting = state.auditEvents.where('waiting', 'yes').slice(0, limit);
      const { anchor, head } = ends();
      let last = head;
      for (const { link: _none, ...event } of waiting) {
        last = { number: last.number + 1, hash: hashOf(event, last) };
        state.auditEvents.set({ ...event, link: last });
      }
      if (waiting.length > 0) state.auditChain.set({ anchor, head: last });
      return waiting.length;
    },
    async list({ filter: { act, by, to, from, until }, before, limit }) {
      const isParty = (wanted: string | null, party: AuditRecord['to']) =>
        wanted === null || party?.id === wanted || party?.name === wanted;
      return chained()
        .filter((event) => before === null || event.number < before)
        .filter((event) => act === null || event.act === act)
        .filter((event) => isParty(by, event.by) && isParty(to, event.to))
        .filter(({ at }) => (from === null || at >= from) && (until === null || at < until))
        .toReversed()
        .slice(0, limit);
    },
    async part(after, limit) {
      const records = chained().filter(({ number }) => number > after);
      return { ...ends(), records: records.slice(0, limit) };
    },
    async removeBefore(time, limit) {
      const oldest = chained().slice(0, limit);
      const kept = oldest.findIndex(({ at }) => at >= time);
      const removed = kept === -1 ? oldest : oldest.slice(0, kept);
      for (const { id } of removed) state.auditEvents.delete(id);
      const last = removed.at(-1);
      if (last !== undefined) {
        const anchor = { number: last.number, hash: last.hash };
        state.auditChain.set({ anchor, head: ends().head });
      }
      return removed.length;
    },
  };
}
