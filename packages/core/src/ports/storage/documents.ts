import type { Action, Grant, Principal, Reach, Rights } from '../../access.ts';
import type { Aggregate, Condition, ListPosition, OrderKey, Path, SortValue } from '../../criteria/syntax.ts';

export interface DocumentRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  /** Name of the collection as it was spelled when it was made. */
  readonly collection: string;
  /** User name of the owner. */
  readonly author: string;
  /** Begins at 1 and grows by one with each change of the content. */
  readonly version: number;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds. */
  readonly updated: number;
  /** Canonical JSON text of an object; every character comes back as it was given. */
  readonly content: string;
}

/** Where a document is looked for: in one collection (by key), or anywhere (`null`). */
export interface DocumentAddress {
  readonly collection: string | null;
  readonly id: string;
}

export interface NewDocument {
  readonly id: string;
  readonly collection: string;
  readonly authorId: string;
  readonly created: number;
  readonly content: string;
  /** First grants, each principal once. */
  readonly grants: readonly Grant[];
}

export interface FoundDocument extends DocumentRecord {
  /** The rights that the reach gives on it; 0 when none. */
  readonly rights: Rights;
}

/** What an edit finds, and what it leaves. */
export interface EditState {
  readonly content: string;
  /** What edits leave beside the content for those that come next: a short text, of which nobody else knows. */
  readonly trace: string | null;
}

/** Why a change was not made: there is no such document there, or the reach does not suffice. */
export type Refusal = 'missing' | 'denied';

/** A grant with the name of whom it was given to, in its spelling. */
export interface NamedGrant {
  readonly kind: 'user' | 'role';
  readonly name: string;
  readonly rights: Rights;
}

export interface DocumentList {
  readonly collection: string;
  readonly reach: Reach;
  /** Null for all. */
  readonly where: Condition | null;
  /** What is alike in these comes by ascending id; empty for that alone. */
  readonly order: readonly OrderKey[];
  /** Only documents behind this position in that order; `null` from the beginning. */
  readonly after: ListPosition | null;
  /** How many of those to pass over. */
  readonly skip: number;
  readonly limit: number;
}

/** Documents taken together: one row for each combination of the values at `groupBy`, one for all without any. */
export interface DocumentSummary {
  readonly collection: string;
  readonly reach: Reach;
  readonly where: Condition | null;
  readonly groupBy: readonly Path[];
  readonly aggregates: readonly Aggregate[];
  /** By group value or by aggregate, as their places in `groupBy` followed by `aggregates`; then by all group values. */
  readonly order: readonly { readonly column: number; readonly descending: boolean }[];
  readonly skip: number;
  readonly limit: number;
}

/** The values at `groupBy` and then the aggregates, in the order asked for. */
export type SummaryRow = readonly Exclude<SortValue, object>[];

export interface DocumentStore {
  /**
   * Stores it with version 1 and its grants, together or not at all.
   *
   * @returns null when there is no such collection
   * @throws `user.not_found` when there is no such author
   */
  add(document: NewDocument): Promise<DocumentRecord | null>;
  /** The document with the rights that `reach` gives, whatever they are: the caller decides. One read. */
  find(address: DocumentAddress, reach: Reach): Promise<FoundDocument | null>;
  /**
   * Replaces the content if `reach` gives the right to update and, where `version` is given, if it is still that.
   * Atomic: of two concurrent calls with the same version exactly one succeeds.
   */
  replace(
    address: DocumentAddress,
    reach: Reach,
    change: { readonly content: string; readonly updated: number; readonly version: number | null },
  ): Promise<DocumentRecord | Refusal | 'stale'>;
  /**
   * Replaces the content by what `change` makes of it, under the conditions of `replace`. Atomic: of concurrent calls
   * each makes its change of what the one before it left, and none is lost. It reads before it waits for its turn to
   * write, so `change` is called again when the content has changed meanwhile; what it throws comes through, and then
   * nothing has changed, and a transaction around it can go on.
   */
  edit(
    address: DocumentAddress,
    reach: Reach,
    edit: {
      readonly change: (state: EditState) => EditState;
      readonly updated: number;
      readonly version: number | null;
    },
  ): Promise<DocumentRecord | Refusal | 'stale'>;
  /**
   * Lets nobody else change these documents until the surrounding transaction ends; ids that are nobody's are passed
   * over. They are taken in one order, so that two transactions which begin with this never wait for each other.
   */
  lock(ids: readonly string[]): Promise<void>;
  /** Removes it with its grants if `reach` gives the right to delete. */
  remove(address: DocumentAddress, reach: Reach): Promise<'removed' | Refusal>;
  /**
   * Adds to what a principal holds. Owners, holders of `all` and everything-reaching callers may.
   * What was held already stays; the version does not change.
   */
  grant(address: DocumentAddress, reach: Reach, grant: Grant): Promise<'granted' | Refusal>;
  /** Takes one right back; that it was never given is no error. Allowed to the same callers as `grant`. */
  revoke(
    address: DocumentAddress,
    reach: Reach,
    revoked: { readonly principal: Principal; readonly action: Action },
  ): Promise<'revoked' | Refusal>;
  /**
   * Puts these grants, each principal once, in the place of all that were given, together or not at all. Allowed to the
   * same callers as `grant`; the version does not change.
   */
  setGrants(address: DocumentAddress, reach: Reach, grants: readonly Grant[]): Promise<'granted' | Refusal>;
  /** What was granted on a document: to roles by name, then to users in the order of sign-up; empty when it is not there. */
  grantsOn(id: string): Promise<NamedGrant[]>;
  /** What `reach` lets read and the condition holds for, in this order; null when there is no such collection. */
  list(list: DocumentList): Promise<DocumentRecord[] | null>;
  /** How many documents `reach` lets read and the condition holds for; null when there is no such collection. */
  count(collection: string, reach: Reach, where: Condition | null): Promise<number | null>;
  /** Null when there is no such collection. */
  summarize(summary: DocumentSummary): Promise<SummaryRow[] | null>;
}
