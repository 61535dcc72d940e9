import type { AccessScope, Action, Grant, GranteeKind, Principal, Rights } from '../../access.ts';
import type { SearchIndex } from '../../criteria/full-text/stored-words.ts';
import type { ListPage, SummaryPage, SummaryRow } from '../../criteria/pages.ts';
import type { Condition } from '../../criteria/syntax.ts';

export interface DocumentRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  /** Name of the collection as spelled at creation. */
  readonly collection: string;
  /** User name of the author. */
  readonly author: string;
  /** User name of the author of the current version; null if that account no longer exists. */
  readonly updatedBy: string | null;
  /** Starts at 1, incremented by each change of the content. */
  readonly version: number;
  /** In milliseconds. */
  readonly created: number;
  /** In milliseconds. */
  readonly updated: number;
  /** Canonical JSON text of an object, stored and returned character for character. */
  readonly content: string;
}

/** Address of a document: in one collection (by key), or in any (`null`). */
export interface DocumentAddress {
  readonly collection: string | null;
  readonly id: string;
}

/** Address of a document in one collection, which is also known after the removal of the document. */
export type PlacedDocument = DocumentAddress & { readonly collection: string };

export interface NewDocument {
  readonly id: string;
  /** True for an id chosen by the client, which may be taken. Absent for an id of the server. */
  readonly isOwnId?: boolean;
  readonly collection: string;
  readonly authorId: string;
  readonly created: number;
  readonly content: string;
  /** Search index for which the words of the content are stored with it; absent without one. */
  readonly search?: SearchIndex | undefined;
  /** Initial grants, each principal once. */
  readonly grants: readonly Grant[];
}

export interface FoundDocument extends DocumentRecord {
  /** Rights on the document under the access scope; 0 for none. */
  readonly rights: Rights;
}

/** A document after a change. */
export interface ChangedDocument extends DocumentRecord {
  /** True if the access scope allows reading it. */
  readonly isReadable: boolean;
}

/** Values recorded with a change of the content, and its condition. */
export interface ChangeRecord {
  /** Id of the user who makes the change. */
  readonly by: string;
  /** In milliseconds. */
  readonly updated: number;
  /** Required current version; null for any. */
  readonly version: number | null;
  /** See `NewDocument`. Without one, no words are stored any more. */
  readonly search?: SearchIndex | undefined;
}

/** Reason for a refused change: the document does not exist at the address, or the access scope is insufficient. */
export type Refusal = 'missing' | 'denied';

/** A grant with the name of the user or role, or the id of the group, that received it. */
export interface NamedGrant {
  readonly kind: GranteeKind;
  readonly name: string;
  readonly rights: Rights;
}

/** Those who hold a right on a document, apart from rules. */
export interface DocumentHolders {
  /** Null if there is no such document. */
  readonly authorId: string | null;
  readonly principals: readonly Principal[];
}

/** Documents that a caller may read. */
interface DocumentSelection {
  readonly collection: string;
  readonly scope: AccessScope;
}

export interface DocumentList extends DocumentSelection, ListPage {
  /** Includes everything committed before the call, also by other users. Absent: a replica may be read. */
  readonly isCurrent?: true;
}

/** Selects documents by id in any collection. */
export interface DocumentLookUp {
  /** In lower case, each once. */
  readonly ids: readonly string[];
  readonly scope: AccessScope;
  /** Keys of collections whose documents are all readable, in addition to what `scope` allows. */
  readonly openCollections: readonly string[];
  /** See `ListPage`. */
  readonly maxBytes?: number;
}

export interface DocumentSummary extends DocumentSelection, SummaryPage {}

/** Grants on documents or files. */
export interface GrantStore<Address> {
  /**
   * Adds a right to a principal's rights. Existing rights stay, and the version of a document does not change. Allowed
   * to the owner, to holders of `all`, and if `scope.everything` is true.
   *
   * @throws `group.not_found` if the principal is a group that is gone
   */
  grant(address: Address, scope: AccessScope, grant: Grant): Promise<'granted' | Refusal>;
  /** Revokes one right; `absent` if the principal has none. Allowed to the same callers as `grant`. */
  revoke(
    address: Address,
    scope: AccessScope,
    revoked: { readonly principal: Principal; readonly action: Action },
  ): Promise<'revoked' | 'absent' | Refusal>;
  /**
   * Returns the grants on a document or file, empty if there is none: to groups in order of creation, to roles by name,
   * then to users in order of sign-up.
   */
  grantsOn(id: string): Promise<NamedGrant[]>;
}

/**
 * Writes ignore `rules` of an access scope. Their callers lock the document, read its rights, and pass them as `ruled`.
 *
 * `add`, `replace` and `edit` throw `document.duplicate` if a document has the same values in a unique index. In a
 * transaction, they may instead cause it to run again from the start.
 */
export interface DocumentStore extends GrantStore<DocumentAddress> {
  /**
   * Stores the document with version 1 and its grants, atomically. Ids are unique across all collections, also under
   * concurrent calls.
   *
   * @returns null if there is no such collection; `taken` if a document has the own id, or had it before a removal
   * that the change feed remembers
   * @throws `user.not_found` if there is no such author, `grant.group_unknown` if a group of the grants is gone
   */
  add(document: NewDocument): Promise<DocumentRecord | null | 'taken'>;
  /** Returns the key of the document's collection; null if there is no such document. */
  locate(id: string): Promise<string | null>;
  /**
   * Returns the document with the rights under `scope`, even if they are 0; null if there is none. One read, and one for
   * each ancestor from which it may inherit.
   */
  find(address: DocumentAddress, scope: AccessScope): Promise<FoundDocument | null>;
  /** Returns the readable ones of the documents, in the order of `ids`. One read for any number of documents. */
  lookUp(wanted: DocumentLookUp): Promise<DocumentRecord[]>;
  /**
   * Replaces the content if `scope` allows updating and, if `version` is given, it is the current one. Atomic: of two
   * concurrent calls with the same version exactly one succeeds.
   */
  replace(
    address: DocumentAddress,
    scope: AccessScope,
    change: ChangeRecord & { readonly content: string },
  ): Promise<ChangedDocument | Refusal | 'stale'>;
  /**
   * Replaces the content with the result of `change`, under the conditions of `replace`. Atomic: concurrent edits take
   * effect one after the other, each on the result of the previous one, and none is lost. The content is read before
   * the lock is taken, so `change` is called again if the content has changed in between. If `change` throws, the error
   * is passed on and nothing has changed; a surrounding transaction can continue. If it returns null, the document
   * stays as it is, with its version, and is returned.
   */
  edit(
    address: DocumentAddress,
    scope: AccessScope,
    edit: ChangeRecord & {
      /** @param isReadable true if the access scope allows reading the document */
      readonly change: (content: string, isReadable: boolean) => string | null;
    },
  ): Promise<ChangedDocument | Refusal | 'stale'>;
  /**
   * Locks these documents until the surrounding transaction ends. Unknown ids are ignored. Locks are taken in a fixed
   * order, so two transactions that begin with this call cannot deadlock.
   */
  lock(ids: readonly string[]): Promise<void>;
  /**
   * Removes the document with its grants if `scope` allows deleting.
   *
   * @returns `leaving` if it is removed and has left files behind, see `FileStore`
   */
  remove(address: DocumentAddress, scope: AccessScope): Promise<'removed' | 'leaving' | Refusal>;
  /**
   * Replaces all grants on the document with these (each principal once), atomically. Allowed to the same callers as
   * `grant`. The version does not change.
   *
   * @throws `grant.group_unknown` if one of the groups is gone
   */
  setGrants(address: DocumentAddress, scope: AccessScope, grants: readonly Grant[]): Promise<'granted' | Refusal>;
  /** Returns the id of the author, and the principals with a grant for an action. No principals if there is none. */
  holders(id: string, action: Action): Promise<DocumentHolders>;
  /** Records that children of a removed document are still to be removed. Survives a restart. */
  addOrphans(parent: PlacedDocument): Promise<void>;
  /** Returns up to `limit` removed documents whose children are to be removed, by id. */
  orphans(limit: number): Promise<readonly PlacedDocument[]>;
  /** Forgets a removed document whose children are gone. */
  removeOrphans(parentId: string): Promise<void>;
  /** Returns the readable documents that match the filter, in this order; null if there is no such collection. */
  list(list: DocumentList): Promise<DocumentRecord[] | null>;
  /** Returns the number of documents that `list` would return without paging; null if there is no such collection. */
  count(collection: string, scope: AccessScope, where: Condition | null): Promise<number | null>;
  /** Returns the rows of a summary; null if there is no such collection. */
  summarize(summary: DocumentSummary): Promise<SummaryRow[] | null>;
}
