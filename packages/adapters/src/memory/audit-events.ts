import { type AuditRecord, type AuditStore, CHAIN_START, withoutUser } from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate } from './tables.ts';

export function createAuditStore({ auditEvents, auditChain }: State): Immediate<AuditStore> {
  const ends = () => auditChain.get() ?? { anchor: CHAIN_START, head: CHAIN_START };
  const chained = (): AuditRecord[] =>
    auditEvents
      .all()
      .flatMap(({ link, ...event }) => (link === null ? [] : [{ ...event, ...link }]))
      .sort((one, other) => one.number - other.number);

  return {
    add(events) {
      for (const event of events) auditEvents.set({ ...event, link: null });
    },
    chain(hashOf, limit) {
      const waiting = auditEvents.where({ link: null }, limit);
      let { anchor, head } = ends();
      for (const { link: _none, ...event } of waiting) {
        head = { number: head.number + 1, hash: hashOf(event, head) };
        auditEvents.set({ ...event, link: head });
      }
      auditChain.set({ anchor, head });
      return waiting.length;
    },
    forget(userId, alias, limit) {
      const events = auditEvents.where(({ by, to }) => by.id === userId || to?.id === userId, limit);
      for (const { link, ...event } of events) auditEvents.set({ ...withoutUser(event, userId, alias), link });
      return events.length;
    },
    list({ filter: { act, by, to, from, until }, before, limit }) {
      const isParty = (wanted: string | null, party: AuditRecord['to']) =>
        wanted === null || party?.id === wanted || party?.name === wanted;
      return chained()
        .filter((event) => before === null || event.number < before)
        .filter((event) => act === null || event.act === act)
        .filter((event) => isParty(by, event.by) && isParty(to, event.to))
        .filter(({ at }) => (from === null || at >= from) && (until === null || at < until))
        .reverse()
        .slice(0, limit);
    },
    part(after, limit) {
      const records = chained().filter(({ number }) => number > after);
      return { ...ends(), records: records.slice(0, limit) };
    },
    removeBefore(time, limit) {
      const oldest = chained().slice(0, limit);
      const kept = oldest.findIndex(({ at }) => at >= time);
      const removed = kept === -1 ? oldest : oldest.slice(0, kept);
      for (const { id } of removed) auditEvents.delete(id);
      const last = removed.at(-1);
      if (last !== undefined) auditChain.set({ ...ends(), anchor: { number: last.number, hash: last.hash } });
      return removed.length;
    },
  };
}
