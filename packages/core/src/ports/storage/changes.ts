import type { AccessScope, Principal } from '../../access.ts';
import type { DocumentRecord } from './documents.ts';

/**
 * A place in the change feed. Places are ordered by position, then by id. Changes of one transaction share a position.
 * `{ position: p, id: '' }` precedes every change at p.
 */
export interface FeedPlace {
  readonly position: number;
  /** Document id in lower case; empty before the first one. */
  readonly id: string;
}

/** State of the change feed. */
export interface FeedState {
  /**
   * Identifies the history of this database. It changes after a restore, or after a failover to a copy that may lack
   * changes. Places of another epoch are meaningless. URL-safe, at most 32 characters.
   */
  readonly epoch: string;
  /** Every change before this position is committed or never will be. Later commits only add changes from it on. */
  readonly horizon: number;
  /**
   * Oldest position from which the feed can be resumed. Documents that became invisible to a reader before it may be
   * forgotten.
   */
  readonly oldest: number;
}

/** Newest state of one document. Changes are coalesced: an older state is never returned after a newer one. */
export type Change =
  | { readonly type: 'put'; readonly place: FeedPlace; readonly document: DocumentRecord }
  | {
      readonly type: 'gone';
      readonly place: FeedPlace;
      /** Name of the collection. */
      readonly collection: string;
      readonly id: string;
    };

/** Selection of changes by reader and start place. */
export interface ChangesWanted {
  /** Keys of collections, each once; null for all. */
  readonly collections: readonly string[] | null;
  /** Read permissions apart from the rules of collections: `ruled` is 0. */
  readonly scope: AccessScope;
  /** Keys of collections whose documents are all readable, in addition to what `scope` allows. */
  readonly openCollections: readonly string[];
  readonly after: FeedPlace;
  /** Maximum number of changes to return; at least 1. */
  readonly limit: number;
  /** See `ListPage`. */
  readonly maxBytes?: number;
}

export interface ChangesPage {
  /** In order of their places, each document once. */
  readonly changes: readonly Change[];
  /** Place to continue from. Every change up to here has been considered. */
  readonly next: FeedPlace;
  /**
   * True if there is more to read now. A page may be short, even empty, while this is true, because a call examines a
   * bounded number of changes.
   */
  readonly more: boolean;
}

/** Reason why the visibility of many documents changed at once. */
export type VisibilityReason = 'follow' | 'role' | 'group' | 'rules' | 'setting' | 'collection';

/**
 * Marks that the visibility of many documents changed for a principal, for those who read one collection through
 * principal `r:…` (rules), or for everyone (`*`).
 */
export interface VisibilityMark {
  readonly audience: Principal | '*';
  /** Key of the affected collection; null for all. */
  readonly collection: string | null;
  readonly reason: VisibilityReason;
}

export interface VisibilityChange extends VisibilityMark {
  readonly position: number;
}

/** Selects the marks that affect a reader. */
export interface VisibilityWanted {
  /** First position to consider. */
  readonly since: number;
  /** Audiences of the reader: principals and `*`. */
  readonly audiences: readonly string[];
  /** Keys of collections; null for all. Marks that affect all collections always count. */
  readonly collections: readonly string[] | null;
}

/**
 * A change of a document, or of the access to it, for a process that reads on behalf of many users. Audiences are
 * principals (`u:`, `r:`, `g:`), `a:<user id>` for the author and the author's followers, and `*` for readers of every
 * document of the collection: administrators, BackOffice users and those admitted by its rules.
 */
export interface FeedEntry {
  readonly place: FeedPlace;
  /** Key and name of the collection. */
  readonly collectionKey: string;
  readonly collection: string;
  readonly id: string;
  /** True if the document itself changed here, for all its readers. Otherwise the change concerns `access` only. */
  readonly isChanged: boolean;
  /** Current state; null if the document is deleted, or has changed again later in the feed. */
  readonly document: DocumentRecord | null;
  /** Audiences that may read it now, possibly including `*`; empty if the document is deleted. */
  readonly readers: readonly string[];
  /** Audiences that gained or lost access here. Their users without other access lose the document. */
  readonly access: readonly string[];
}

/** Maximum number of marks in a batch of the feed. */
export const MAX_MARKS = 1_000;

export interface FeedBatch {
  /**
   * In order of their places, each place once. A document appears at its own place and at those of the changes of
   * access to it, because a reader who resumes between two of them has seen only those before.
   */
  readonly entries: readonly FeedEntry[];
  /**
   * All marks from the position of `after` on, including those at or after the horizon: the contents and readers of the
   * entries are those of this moment, and may already reflect such marks. Null if there are more than `MAX_MARKS`.
   */
  readonly visibility: readonly VisibilityChange[] | null;
  readonly next: FeedPlace;
  readonly more: boolean;
}

/**
 * The durable feed of document changes, in commit order: if a change began after another was committed, it has the
 * greater position. Every consumer of changes reads this feed and nothing else.
 *
 * The other stores append to it in their own transactions: `documents` when a document is stored, changed or removed,
 * or when read permission is granted or revoked; `users.remove` for the documents of that user. A document is put again
 * when its content or version changes, and for the audience that gains or loses it by a grant; not when its author is
 * renamed. The removal of a collection adds no change for each document: the use case marks changed visibility for
 * everyone instead.
 *
 * Use cases mark whatever else changes the visibility of many documents (`markVisibility`). If it affects any number of
 * users, the stores mark them: `roles.remove` the users of the role, `groups.remove` the members, `users.remove` the
 * followers. Entries recorded for a role follow it to a new name.
 *
 * After a commit that appends to the feed, the signal `changes` reaches the listeners of this process, and soon those
 * of the others. One signal may stand for many commits, and one may be lost with a process.
 */
export interface ChangeStore {
  /** Returns the current state of the feed. */
  state(): Promise<FeedState>;
  /**
   * Returns the changes after a place that the reader may see: `put` for a readable document, `gone` for one that has
   * become unreadable, because it was removed or a grant was revoked. Documents that were and remain unreadable are not
   * mentioned, as long as no mark affects the reader since `after`. Changes at or after `horizon` are not returned. The
   * cost depends on the page size, not on the number of documents, both for readers of few documents and of all.
   */
  read(wanted: ChangesWanted): Promise<ChangesPage>;
  /** Returns all changes after a place, with their audiences, as one snapshot. Bounded in number. */
  readAll(wanted: {
    readonly after: FeedPlace;
    readonly limit: number;
    readonly maxBytes?: number;
  }): Promise<FeedBatch>;
  /** Records that the surrounding transaction changes which of these audiences may read a document. */
  recordAccess(documentId: string, audiences: readonly string[]): Promise<void>;
  /**
   * Records that the surrounding transaction changes the visibility of many documents. A transaction with several marks
   * has to record them in one call, which orders them: otherwise two of them could wait for each other.
   */
  markVisibility(marks: readonly VisibilityMark[], now: number): Promise<void>;
  /**
   * Returns the first mark at `since` or later that affects a reader; null if there is none. Includes marks at or after
   * the horizon. Of several at one position, one with another reason than `follow` comes first, because some readers
   * ignore follows and continue at the next position.
   */
  visibilityChange(wanted: VisibilityWanted): Promise<VisibilityChange | null>;
  /**
   * Forgets up to `limit` departures and marks recorded before this time, and moves `oldest` past them. Resolves to
   * their number.
   */
  removeBefore(time: number, limit: number): Promise<number>;
}
