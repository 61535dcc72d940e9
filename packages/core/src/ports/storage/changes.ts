import type { AccessScope, Principal } from '../../access.ts';
import type { DocumentRecord } from './documents.ts';

/**
 * A place in the change feed. Places are ordered by position, then by id; changes of one transaction share a position.
 * `{ position: p, id: '' }` is before every change at p.
 */
export interface FeedPlace {
  readonly position: number;
  /** Id of a document, in lower case; empty before the first one. */
  readonly id: string;
}

/** The state of the change feed. */
export interface FeedState {
  /**
   * Identifies the history of this database: another one after the database was restored or failed over to a copy that
   * may lack changes. Places of another epoch mean nothing. URL-safe, at most 32 characters.
   */
  readonly epoch: string;
  /** Every change before this position is committed or will never be; later commits only add changes from it on. */
  readonly horizon: number;
  /** What became invisible to somebody before this position may be forgotten: places before it cannot be resumed. */
  readonly oldest: number;
}

/** The newest state of one document. Changes are coalesced: an older state is never returned after a newer one. */
export type Change =
  | { readonly type: 'put'; readonly place: FeedPlace; readonly document: DocumentRecord }
  | {
      readonly type: 'gone';
      readonly place: FeedPlace;
      /** Name of the collection. */
      readonly collection: string;
      readonly id: string;
    };

/** Whose changes, and from where. */
export interface ChangesWanted {
  /** Keys of collections, each once; null for all. */
  readonly collections: readonly string[] | null;
  /** What the reader may read whatever the rules of collections are: `ruled` is 0. */
  readonly scope: AccessScope;
  /** Keys of the collections whose documents can all be read, in addition to what `scope` gives. */
  readonly openCollections: readonly string[];
  readonly after: FeedPlace;
  /** Changes to return at most; at least 1. */
  readonly limit: number;
  /** As in `DocumentList`. */
  readonly maxBytes?: number;
}

export interface ChangesPage {
  /** In the order of their places, each document once. */
  readonly changes: readonly Change[];
  /** From where to go on: every change up to here has been considered. */
  readonly next: FeedPlace;
  /**
   * Whether there is more to read now. A page may be short, even empty, while this is true: a call examines a bounded
   * number of changes.
   */
  readonly more: boolean;
}

/** Why the visibility of many documents changed at once. */
export type VisibilityReason = 'follow' | 'role' | 'group' | 'rules' | 'setting' | 'collection';

/**
 * For whom the visibility of many documents changed at once: of a principal, of those who read through principal `r:…` in one
 * collection (rules), or of everybody (`*`).
 */
export interface VisibilityMark {
  readonly audience: Principal | '*';
  /** Key of the collection concerned; null for all. */
  readonly collection: string | null;
  readonly reason: VisibilityReason;
}

export interface VisibilityChange extends VisibilityMark {
  readonly position: number;
}

/** Which marks concern a reader. */
export interface VisibilityWanted {
  /** Marks at this position or later. */
  readonly since: number;
  /** The audiences of the reader: principals and `*`. */
  readonly audiences: readonly string[];
  /** Keys of collections; null for all. Marks that concern all collections count in any case. */
  readonly collections: readonly string[] | null;
}

/**
 * A change of a document, or of the access to it, for a reader on behalf of many users. Audiences are principals (`u:`,
 * `r:`, `g:`), `a:<user id>` for the author and the followers of the author, and `*` for readers of every document of the
 * collection: administrators, BackOffice users and whom its rules let read.
 */
export interface FeedEntry {
  readonly place: FeedPlace;
  /** Key and name of the collection. */
  readonly collectionKey: string;
  readonly collection: string;
  readonly id: string;
  /** Whether the document itself changed here, for all its readers. Otherwise the change concerns `access` only. */
  readonly isChanged: boolean;
  /** The current state; null when the document is deleted, or has changed again: then that change follows. */
  readonly document: DocumentRecord | null;
  /** The audiences that may read it now, `*` among them; empty when the document is deleted. */
  readonly readers: readonly string[];
  /** The audiences that gained or lost it here: it is gone for their users that have no other way to read it. */
  readonly access: readonly string[];
}

/** Marks that a batch of the feed has at most. */
export const MAX_MARKS = 1_000;

export interface FeedBatch {
  /**
   * In the order of their places, each place once. A document comes at its own place and at those of the changes of access
   * to it, because a reader who goes on between two of them has had only those before.
   */
  readonly entries: readonly FeedEntry[];
  /**
   * All marks from the position of `after` on, also those that are not behind the horizon: the entries have the contents and
   * readers of this moment, which may already follow from them. Null when there are more than `MAX_MARKS`.
   */
  readonly visibility: readonly VisibilityChange[] | null;
  readonly next: FeedPlace;
  readonly more: boolean;
}

/**
 * The durable feed of changes to documents, in an order of commits: of two changes of which one began after the other
 * was committed, the later one has the greater position. Everything that follows changes reads it, and nothing else.
 *
 * The other stores add to it, in the transactions that change something: `documents` when a document is stored, changed
 * or removed, or when a right to read it is granted or taken back; `users.remove` for the documents of that user. A
 * document is put again when its content or version changes, and for the audience that gains or loses it by a grant; not
 * when its author is renamed. The removal of a collection adds no change for each document: the use case marks changed visibility
 * of everybody instead.
 *
 * Use cases mark whatever else changes the visibility of many documents (`markVisibility`). Where it concerns any number of users,
 * the stores mark them: `roles.remove` the users of the role, `groups.remove` the members, `users.remove` the followers.
 * What is recorded for a role follows it to a new name.
 *
 * After a commit that adds to the feed, the signal `changes` reaches the listeners of this process, and soon those of
 * the others; one signal may stand for many commits, and one may get lost with a process.
 */
export interface ChangeStore {
  /** The state of the feed now. */
  state(): Promise<FeedState>;
  /**
   * The changes after a place that the reader may see: `put` for a document that can be read, `gone` for one that could
   * be read before and cannot be read now, because it was removed or a grant was taken back. Nothing about documents
   * that the reader could read neither before nor now, as long as no mark concerns the reader since `after`. Changes at
   * or after `horizon` are not returned. Costs a page, however many documents there are, for readers of few documents
   * and of all.
   */
  read(wanted: ChangesWanted): Promise<ChangesPage>;
  /** All changes after a place, with their audiences, as one snapshot. A bounded number of them. */
  readAll(wanted: {
    readonly after: FeedPlace;
    readonly limit: number;
    readonly maxBytes?: number;
  }): Promise<FeedBatch>;
  /** Records that the visibility of many documents changes with the surrounding transaction. */
  markVisibility(mark: VisibilityMark, now: number): Promise<void>;
  /**
   * The first mark at `since` or later that concerns a reader; null when there is none. Marks at or after the horizon
   * count too. Of several at one position, one with another reason than `follow` comes first: not all readers have to
   * care about follows, and those who do not go on at the next position.
   */
  visibilityChange(wanted: VisibilityWanted): Promise<VisibilityChange | null>;
  /**
   * Forgets up to `limit` departures and marks recorded before this time, and moves `oldest` past them. Resolves to
   * their number.
   */
  removeBefore(time: number, limit: number): Promise<number>;
}
