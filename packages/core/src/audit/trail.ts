import { type Actor, requireAdmin } from '../actor.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { AuditFilter, AuditLink, AuditRecord } from '../ports/storage/audit.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { type Audit, areSealed } from './audit.ts';
import { auditHash, chainEvents } from './chain.ts';

/** Number of events verified per read. */
const PART = 500;

export interface AuditWanted {
  readonly filter: AuditFilter;
  /** Returns only events with a smaller number; null from the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** A fault in the chain. */
export interface AuditFault {
  /** Number of the first affected event. */
  readonly number: number;
  readonly reason: string;
}

export interface AuditVerification {
  /** Number of verified events. */
  readonly events: number;
  /** Newest event that was removed because of its age. The chain begins after it. */
  readonly anchor: AuditLink;
  /** Newest event. */
  readonly head: AuditLink;
  /** Null if the chain is intact. */
  readonly fault: AuditFault | null;
  /** True if the event known to the caller was removed because of its age, so that it cannot be compared. */
  readonly isKnownRemoved: boolean;
}

export interface AuditTrailDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly audit: Audit;
}

const missing = (number: number): AuditFault => ({ number, reason: 'the event is missing' });

const differs = ({ number, hash }: AuditLink, known: AuditLink | null) =>
  number === known?.number && hash !== known.hash;
const different = (number: number): AuditFault => ({
  number,
  reason: 'the event has another hash than the one that you know',
});

/** @param last last event that follows from the previous one */
function faultAtEnd(last: AuditLink, head: AuditLink, known: AuditLink | null): AuditFault | null {
  if (last.number < head.number) return missing(last.number + 1);
  if (last.number === head.number && last.hash !== head.hash) {
    return { number: head.number, reason: 'the newest event is not the one that was stored last' };
  }
  if (known === null || known.number <= last.number) return null;
  return { number: last.number + 1, reason: `the chain ends before event ${known.number}` };
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** Stored audit events, for administrators. Every method: @throws `auth.required`, `admin.required` */
export function createAuditTrail({ storage, secrets, audit }: AuditTrailDeps) {
  const hashOf = auditHash(secrets);

  /** Appends all events so far, as known to this node, to the chain. */
  async function catchUp(): Promise<void> {
    await audit.stored();
    await chainEvents(storage, secrets);
  }

  /** Returns the first fault in a part of the chain. */
  function faultIn(records: readonly AuditRecord[], before: AuditLink, known: AuditLink | null): AuditFault | null {
    let last = before;
    for (const record of records) {
      const { number, hash } = record;
      if (number !== last.number + 1) return missing(last.number + 1);
      if (!areSealed(secrets, record) || hash !== hashOf(record, last))
        return { number, reason: 'the event, or one before it, was changed' };
      if (differs(record, known)) return different(number);
      last = record;
    }
    return null;
  }

  /** Verifies the chain until its end, or until a fault. */
  async function examine(anchor: AuditLink, head: AuditLink, known: AuditLink | null) {
    let [last, events] = [anchor, 0];
    if (differs(anchor, known)) return { events, last, fault: different(anchor.number) };
    while (last.number < head.number) {
      const part = await storage.audit.part(last.number, PART);
      // Skip events that were removed meanwhile because of their age.
      if (part.anchor.number > last.number) last = part.anchor;
      const fault = faultIn(part.records, last, known);
      if (fault !== null) return { events, last, fault };
      const newest = part.records.at(-1);
      if (newest === undefined) break;
      events += part.records.length;
      last = newest;
    }
    return { events, last, fault: null };
  }

  return {
    /** Returns matching events, newest first. */
    async list(actor: Actor, { filter, before, limit }: AuditWanted) {
      requireAdmin(actor);
      await catchUp();
      const found = await storage.audit.list({ filter, before, limit: limit + 1 });
      return { events: found.slice(0, limit), more: found.length > limit };
    },

    /**
     * Recomputes every hash of the chain.
     *
     * @param known event noted earlier by the caller, whose hash must be unchanged
     */
    async verify(actor: Actor, known: AuditLink | null = null): Promise<AuditVerification> {
      requireAdmin(actor);
      await catchUp();
      const { anchor, head } = await storage.audit.part(0, 0);
      const { events, last, fault } = await examine(anchor, head, known);
      const isKnownRemoved = known !== null && known.number < anchor.number;
      return { events, anchor, head, fault: fault ?? faultAtEnd(last, head, known), isKnownRemoved };
    },
  };
}
