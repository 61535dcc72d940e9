import type { AuditAct, AuditEvent } from '../audit.ts';

/** An audit event as it is stored. */
export interface NewAuditRecord extends AuditEvent {
  /** UUIDv7. */
  readonly id: string;
}

/** A place in the chain of audit events. */
export interface AuditLink {
  /** The events of the chain are numbered from 1, without gaps. */
  readonly number: number;
  readonly hash: string;
}

/** An event of the chain. Its hash covers its content and the hash of the event before. */
export interface AuditRecord extends NewAuditRecord, AuditLink {}

/** Where the chain begins. */
export const CHAIN_START: AuditLink = { number: 0, hash: '' };

/** Only events that match every member that is not null. */
export interface AuditFilter {
  readonly act: AuditAct | null;
  /** The id or the exact name of whoever acted. */
  readonly by: string | null;
  /** The id or the exact name of what it was done to. */
  readonly to: string | null;
  /** Not before this time. Milliseconds. */
  readonly from: number | null;
  /** Before this time. Milliseconds. */
  readonly until: number | null;
}

export interface AuditPage {
  readonly filter: AuditFilter;
  /** Only events with a smaller number; null from the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** A part of the chain, and both its ends at the same moment. */
export interface AuditChainPart {
  /** The newest event that was removed because of its age; `CHAIN_START` when there is none. */
  readonly anchor: AuditLink;
  /** The newest event of the chain; `CHAIN_START` when there is none. */
  readonly head: AuditLink;
  /** Oldest first. */
  readonly records: readonly AuditRecord[];
}

/**
 * Audit events. They are stored with the transaction that they belong to, where nothing waits for another writer, and
 * join the chain later. No method changes an event of the chain, and only the oldest are removed.
 */
export interface AuditStore {
  /** Stores events. They join the chain with the next call of `chain`, in the order of their ids. */
  add(events: readonly NewAuditRecord[]): Promise<void>;
  /**
   * Appends up to `limit` of the events that are not in the chain yet. Resolves to their number. Of concurrent calls, on
   * any node, one works at a time.
   *
   * @param hashOf the hash of an event, from the hash of the one before
   */
  chain(hashOf: (event: NewAuditRecord, link: AuditLink) => string, limit: number): Promise<number>;
  /** Events of the chain, newest first. */
  list(page: AuditPage): Promise<AuditRecord[]>;
  /** Up to `limit` events of the chain with a greater number than `after`. */
  part(after: number, limit: number): Promise<AuditChainPart>;
  /**
   * Removes up to `limit` of the oldest events of the chain, as long as they are from before `time`. Resolves to their
   * number.
   */
  removeBefore(time: number, limit: number): Promise<number>;
}
