import type { AuditAct, AuditEvent } from '../audit.ts';

/** Digest of a user in an event. The chain covers it instead of the user, who can be erased therefore. */
export interface AuditSeal {
  /** Random; null once the user is erased. */
  readonly salt: string | null;
  readonly digest: string;
}

/** A stored audit event. */
export interface NewAuditRecord extends AuditEvent {
  /** UUIDv7. */
  readonly id: string;
  /** Null for parties that are not users. */
  readonly seals: { readonly by: AuditSeal | null; readonly to: AuditSeal | null };
}

/** A position in the chain of audit events. */
export interface AuditLink {
  /** Events of the chain are numbered from 1, without gaps. */
  readonly number: number;
  readonly hash: string;
}

/** An event of the chain. Its hash covers its content and the hash of the previous event. */
export interface AuditRecord extends NewAuditRecord, AuditLink {}

/** Start of the chain. */
export const CHAIN_START: AuditLink = { number: 0, hash: '' };

/** Selects events that match every member that is not null. */
export interface AuditFilter {
  readonly act: AuditAct | null;
  /** Id or exact name of the actor. */
  readonly by: string | null;
  /** Id or exact name of the target. */
  readonly to: string | null;
  /** Earliest time, in milliseconds. */
  readonly from: number | null;
  /** Time before which the events happened, in milliseconds. */
  readonly until: number | null;
}

export interface AuditPage {
  readonly filter: AuditFilter;
  /** Returns only events with a smaller number; null from the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** A part of the chain, and both ends of the chain at the same moment. */
export interface AuditChainPart {
  /** Newest event that was removed because of its age; `CHAIN_START` if there is none. */
  readonly anchor: AuditLink;
  /** Newest event of the chain; `CHAIN_START` if there is none. */
  readonly head: AuditLink;
  /** Oldest first. */
  readonly records: readonly AuditRecord[];
}

/**
 * Audit events. They are stored in the transaction that causes them, without waiting for other writers, and join the
 * chain later. No method changes what the chain covers of an event, and only the oldest are removed.
 */
export interface AuditStore {
  /** Stores events. They join the chain with the next call of `chain`, in the order of their ids. */
  add(events: readonly NewAuditRecord[]): Promise<void>;
  /**
   * Appends to the chain up to `limit` of the events that are not in it yet. Resolves to their number. Concurrent
   * calls, on any node, run one at a time.
   *
   * @param hashOf returns the hash of an event, given the previous one
   */
  chain(hashOf: (event: NewAuditRecord, link: AuditLink) => string, limit: number): Promise<number>;
  /**
   * Erases a user from up to `limit` events, as `withoutUser` does, whether they are in the chain or not. Resolves to
   * their number.
   */
  forget(userId: string, alias: string, limit: number): Promise<number>;
  /** Returns events of the chain, newest first. */
  list(page: AuditPage): Promise<AuditRecord[]>;
  /** Returns up to `limit` events of the chain numbered above `after`. */
  part(after: number, limit: number): Promise<AuditChainPart>;
  /** Removes up to `limit` of the oldest events of the chain that happened before `time`. Resolves to their number. */
  removeBefore(time: number, limit: number): Promise<number>;
}
