import type { AccessScope, Action, Grant, GranteeKind, Principal, Rights } from '../../access.ts';
import type { Aggregate, Condition, ListPosition, OrderKey, Path, SortValue } from '../../criteria/syntax.ts';

export interface DocumentRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  /** Name of the collection as it was spelled when the collection was created. */
  readonly collection: string;
  /** User name of the owner. */
  readonly author: string;
  /** Begins at 1 and grows by one with each change of the content. */
  readonly version: number;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds. */
  readonly updated: number;
  /** Canonical JSON text of an object; stored and returned character for character. */
  readonly content: string;
}

/** Where to look for a document: in one collection (by key), or in all (`null`). */
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
  /** The rights that the access scope gives on the document; 0 when none. */
  readonly rights: Rights;
}

/** A document after a change. */
export interface ChangedDocument extends DocumentRecord {
  /** Whether the access scope gives the right to read it. */
  readonly isReadable: boolean;
}

/** Why a change was refused: the document does not exist at the address, or the access scope does not suffice. */
export type Refusal = 'missing' | 'denied';

/** A grant with the name of the user or role, or the id of the group, to whom it was given. */
export interface NamedGrant {
  readonly kind: GranteeKind;
  readonly name: string;
  readonly rights: Rights;
}

export interface DocumentList {
  readonly collection: string;
  readonly scope: AccessScope;
  /** Null for all. */
  readonly where: Condition | null;
  /** Ties are broken by ascending id; empty for the order of the ids alone. */
  readonly order: readonly OrderKey[];
  /** Only documents after this position in that order; `null` from the beginning. */
  readonly after: ListPosition | null;
  /** The number of those documents to skip. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the contents of all rows together (as UTF-8): the list ends with the row that exceeds it,
   * which is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
  /** Everything that was committed before the call is in the list, also what others wrote. Absent: a replica may be read. */
  readonly isCurrent?: true;
}

/** Documents by their ids, whatever their collections. */
export interface DocumentLookUp {
  /** In lower case, each once. */
  readonly ids: readonly string[];
  readonly scope: AccessScope;
  /** Keys of the collections whose documents can all be read, in addition to what `scope` gives. */
  readonly openCollections: readonly string[];
  /** As in `DocumentList`. */
  readonly maxBytes?: number;
}

/** Groups and aggregates: one row for each combination of the values at `groupBy`, one in all if that is empty. */
export interface DocumentSummary {
  readonly collection: string;
  readonly scope: AccessScope;
  readonly where: Condition | null;
  readonly groupBy: readonly Path[];
  readonly aggregates: readonly Aggregate[];
  /** `column` is an index into `groupBy` followed by `aggregates`; ties are broken by all group values. */
  readonly order: readonly { readonly column: number; readonly descending: boolean }[];
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the texts of all rows together (as UTF-8): the list ends with the row that exceeds it, which
   * is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** The values at `groupBy` and then the aggregates, in the order of the request. */
export type SummaryRow = readonly Exclude<SortValue, object>[];

export interface DocumentStore {
  /**
   * Stores the document with version 1 and its grants, atomically.
   *
   * @returns null when there is no such collection
   * @throws `user.not_found` when there is no such author, `grant.group_unknown` when a group of the grants is gone
   */
  add(document: NewDocument): Promise<DocumentRecord | null>;
  /** The key of the collection of a document; null when there is no such document. */
  locate(id: string): Promise<string | null>;
  /** The document with the rights that `scope` gives, also when they are 0; null when there is none. One read. */
  find(address: DocumentAddress, scope: AccessScope): Promise<FoundDocument | null>;
  /** Those of the documents that can be read, in the order of `ids`. One read, however many there are. */
  lookUp(wanted: DocumentLookUp): Promise<DocumentRecord[]>;
  /**
   * Replaces the content if `scope` gives the right to update and, where `version` is given, if it is the current one.
   * Atomic: of two concurrent calls with the same version exactly one succeeds.
   */
  replace(
    address: DocumentAddress,
    scope: AccessScope,
    change: { readonly content: string; readonly updated: number; readonly version: number | null },
  ): Promise<ChangedDocument | Refusal | 'stale'>;
  /**
   * Replaces the content with the result of `change`, under the conditions of `replace`. Atomic: concurrent edits take
   * effect one after the other, each on the result of the one before, and none is lost. The content is read before the
   * lock is taken, so `change` is called again when the content has changed in between. An error that `change` throws is
   * passed on; then nothing has changed, and a transaction around the call can continue.
   */
  edit(
    address: DocumentAddress,
    scope: AccessScope,
    edit: {
      /** @param isReadable whether the access scope gives the right to read the document */
      readonly change: (content: string, isReadable: boolean) => string;
      readonly updated: number;
      readonly version: number | null;
    },
  ): Promise<ChangedDocument | Refusal | 'stale'>;
  /**
   * Locks these documents until the surrounding transaction ends; unknown ids are ignored. Locks are taken in one fixed
   * order, so that two transactions that begin with this call cannot deadlock.
   */
  lock(ids: readonly string[]): Promise<void>;
  /** Removes the document with its grants if `scope` gives the right to delete. */
  remove(address: DocumentAddress, scope: AccessScope): Promise<'removed' | Refusal>;
  /**
   * Adds a right to those that a principal holds; rights that it holds already stay, and the version does not change.
   * Allowed to the owner, to holders of `all`, and where `scope.everything` is true.
   *
   * @throws `group.not_found` when the principal is a group that is gone
   */
  grant(address: DocumentAddress, scope: AccessScope, grant: Grant): Promise<'granted' | Refusal>;
  /** Takes one right back; `absent` when the principal holds none. Allowed to the same callers as `grant`. */
  revoke(
    address: DocumentAddress,
    scope: AccessScope,
    revoked: { readonly principal: Principal; readonly action: Action },
  ): Promise<'revoked' | 'absent' | Refusal>;
  /**
   * Replaces all grants on the document with these (each principal once), atomically. Allowed to the same callers as
   * `grant`; the version does not change.
   *
   * @throws `grant.group_unknown` when one of the groups is gone
   */
  setGrants(address: DocumentAddress, scope: AccessScope, grants: readonly Grant[]): Promise<'granted' | Refusal>;
  /**
   * The grants on a document, empty when there is none: to groups in the order of their creation, to roles by name, then
   * to users in the order of sign-up.
   */
  grantsOn(id: string): Promise<NamedGrant[]>;
  /** The readable documents for which the condition holds, in this order; null when there is no such collection. */
  list(list: DocumentList): Promise<DocumentRecord[] | null>;
  /** The number of documents that `list` would return without a page; null when there is no such collection. */
  count(collection: string, scope: AccessScope, where: Condition | null): Promise<number | null>;
  /**
   * Housekeeping: adds up what writers have recorded for the totals of up to `limit` collections. Totals are exact
   * whether it runs or not. Resolves to the number of those collections.
   */
  foldTotals(limit: number): Promise<number>;
  /** Null when there is no such collection. */
  summarize(summary: DocumentSummary): Promise<SummaryRow[] | null>;
}
