import { type Actor, requireAdmin } from '../actor.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { AuditFilter, AuditLink, AuditRecord } from '../ports/storage/audit.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { Audit } from './audit.ts';
import { auditHash, chainEvents } from './chain.ts';

/** Events that are verified in one piece. */
const PART = 500;

export interface AuditWanted {
  readonly filter: AuditFilter;
  /** Only events with a smaller number; null from the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** What is wrong with a chain. */
export interface AuditFault {
  /** The number of the event with which it begins. */
  readonly number: number;
  readonly reason: string;
}

export interface AuditVerification {
  /** How many events were examined. */
  readonly events: number;
  /** The chain begins after this event, which was removed because of its age like all older ones. */
  readonly anchor: AuditLink;
  /** The newest event. */
  readonly head: AuditLink;
  /** Null when the chain is intact. */
  readonly fault: AuditFault | null;
  /** Whether the event that the caller knows was removed because of its age, so that nothing is left to compare. */
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

/** @param last the last event that follows from the one before */
function faultAtEnd(last: AuditLink, head: AuditLink, known: AuditLink | null): AuditFault | null {
  if (last.number < head.number) return missing(last.number + 1);
  if (last.number === head.number && last.hash !== head.hash) {
    return { number: head.number, reason: 'the newest event is not the one that was stored last' };
  }
  if (known === null || known.number <= last.number) return null;
  return { number: last.number + 1, reason: `the chain ends before event ${known.number}` };
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** The stored audit events, for administrators. Every method: @throws `auth.required`, `admin.required` */
export function createAuditTrail({ storage, secrets, audit }: AuditTrailDeps) {
  const hashOf = auditHash(secrets);

  /** Appends to the chain what has happened until now, as far as this node knows. */
  async function catchUp(): Promise<void> {
    await audit.stored();
    await chainEvents(storage, secrets);
  }

  /** The first record of a part that does not follow the one before. */
  function faultIn(records: readonly AuditRecord[], before: AuditLink, known: AuditLink | null): AuditFault | null {
    let last = before;
    for (const record of records) {
      const { number, hash } = record;
      if (number !== last.number + 1) return missing(last.number + 1);
      if (hash !== hashOf(record, last)) return { number, reason: 'the event, or one before it, was changed' };
      if (differs(record, known)) return different(number);
      last = record;
    }
    return null;
  }

  /** Follows the chain until its end, or until a fault. */
  async function examine(anchor: AuditLink, head: AuditLink, known: AuditLink | null) {
    let [last, events] = [anchor, 0];
    if (differs(anchor, known)) return { events, last, fault: different(anchor.number) };
    while (last.number < head.number) {
      const part = await storage.audit.part(last.number, PART);
      // What has become too old meanwhile was removed.
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
    /** Events that match, newest first. */
    async list(actor: Actor, { filter, before, limit }: AuditWanted) {
      requireAdmin(actor);
      await catchUp();
      const found = await storage.audit.list({ filter, before, limit: limit + 1 });
      return { events: found.slice(0, limit), more: found.length > limit };
    },

    /**
     * Computes every hash of the chain again.
     *
     * @param known an event that the caller has noted earlier; it must still have that hash
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
