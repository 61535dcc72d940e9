import type { Changes, Defined, Patch } from '../documents/changes.ts';
import type { NewDocument } from '../documents/operations.ts';
import type { AppTypes, CollectionName, ContentOf, Stored } from '../documents/types.ts';
import type { BaobabError } from '../errors.ts';
import type { Followable, LiveHandlers } from '../query/live.ts';
import type { OrderOptions } from '../query/order.ts';
import type { OperandOf, PathOf, SortOf } from '../query/types.ts';
import type { DocumentFields } from '../wire.ts';
import type { Content, WriteKind } from './records.ts';
import type { OfflineStore } from './store.ts';

/** `offline`: no connection, or no user is logged in. `idle`: everything is synced. */
export type OfflineStatus = 'offline' | 'syncing' | 'idle';

/** A document of any collection. */
export type AnyDocument = DocumentFields & Content;

/** A write that the server refused, or whose outcome is unknown. */
export interface RefusedWrite {
  readonly collection: string;
  readonly id: string;
  readonly kind: WriteKind;
  /** The members that an update sets, or the full content. */
  readonly content: Content;
  /** Changes of an update by operators: `{ likes: ['increment', 1] }`. */
  readonly changes?: Changes;
  /** The document that the user saw when writing; null for a new one. */
  readonly base: AnyDocument | null;
}

/**
 * `mine`: send the write again. `theirs`: drop it. `keep`: keep it in `failed`. Or the content of a merged document.
 */
export type ConflictDecision = 'mine' | 'theirs' | 'keep' | Content;
export type RejectedDecision = 'retry' | 'discard' | 'keep';

/**
 * @param local the document with the write; null if the write removes it
 * @param remote the document on the server; null if it was removed or is no longer readable
 */
export type OnConflict = (
  local: AnyDocument | null,
  remote: AnyDocument | null,
  write: RefusedWrite,
) => ConflictDecision | Promise<ConflictDecision>;

export type OnRejected = (write: RefusedWrite, error: BaobabError) => RejectedDecision | Promise<RejectedDecision>;

/** A refused write without a decision. */
export interface FailedWrite extends RefusedWrite {
  readonly error: BaobabError;
  /** Sends it again, based on the newest version. */
  retry(): Promise<void>;
  /** Drops it. For a new document, all later writes to it are dropped as well. */
  discard(): Promise<void>;
}

export interface OfflineState {
  readonly status: OfflineStatus;
  /** Number of writes that the server has not acknowledged, including failed ones. */
  readonly waiting: number;
  readonly failed: readonly FailedWrite[];
}

export interface OfflineOptions<A extends AppTypes> {
  /** Storage for the data: `indexedDbStore(name)`, `memoryStore()`, or a custom adapter. */
  readonly store: OfflineStore;
  /** Collections to keep on the device, with all documents that the user may read. */
  readonly collections: readonly CollectionName<A>[];
  /**
   * Resolves a write conflict with a document that has changed or is gone. Without it, the write is kept in `failed`.
   */
  readonly onConflict?: OnConflict | undefined;
  /** Handles a write refused for any other reason. Without it, the write is kept in `failed`. */
  readonly onRejected?: OnRejected | undefined;
  /** Called if the server is unreachable or the store fails. */
  readonly onError?: ((error: BaobabError) => void) | undefined;
  /** Maximum number of waiting writes; default 5,000. Further writes fail with `client.store_full`. */
  readonly maxWaiting?: number | undefined;
  /** False: data is synced only when `sync` is called. */
  readonly automatic?: boolean | undefined;
}

/** Filter operators that can be evaluated on the device. */
export type LocalOperator = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'in' | 'contains' | 'is null' | 'is not null';

/** A query of the local store. Every method returns a new query. */
export interface OfflineQuery<T extends DocumentFields> extends Followable<T> {
  /** Adds a filter on one field. */
  whereField<P extends PathOf<T>, O extends LocalOperator>(
    path: P,
    operator: O,
    ...value: [OperandOf<T, P, O>] extends [never] ? [] : [OperandOf<T, P, O>]
  ): OfflineQuery<T>;
  /**
   * Adds a test function. Pass the values it depends on as parameters, so that two queries can be compared:
   * `filter((item, most) => item.price < most, 5)`.
   */
  filter<const P extends readonly unknown[]>(
    test: (document: T, ...params: P) => boolean,
    ...params: P
  ): OfflineQuery<T>;
  /** Sorts as the server does, by the rules of a language on any server. */
  orderBy(path: SortOf<T>, direction?: 'asc' | 'desc', options?: OrderOptions): OfflineQuery<T>;
  list(options?: { readonly limit?: number }): Promise<readonly T[]>;
  first(): Promise<T | null>;
  count(): Promise<number>;
}

/** A collection that is kept on the device. */
export interface OfflineCollection<C> {
  readonly name: string;
  /** Stores a document, with a UUID made on the device unless `id` is given. */
  create(content: C, options?: NewDocument): Promise<Stored<C>>;
  /**
   * Sets the members of `patch`, or changes them by operators such as `increment(1)`, which never conflict. Fails with `document.not_found` if the document does not exist.
   */
  update<P extends Patch<C>>(id: string, patch: P & Defined<C, P>): Promise<Stored<C>>;
  /** Replaces the whole content. */
  replace(id: string, content: C): Promise<Stored<C>>;
  remove(id: string): Promise<void>;
  /** Returns a document; null if it is not in the local store. */
  get(id: string): Promise<Stored<C> | null>;
  /** Returns true if the document has waiting writes. */
  isWaiting(id: string): boolean;
  query(): OfflineQuery<Stored<C>>;
  live(id: string, listener: (document: Stored<C> | null) => void, options?: LiveHandlers): () => void;
}

/** The data of a user on this device. */
export interface Offline<A extends AppTypes> extends OfflineState {
  /** Resolves when the local data is loaded. */
  readonly ready: Promise<void>;
  /** The user whose data is shown; null if no user is logged in. */
  readonly user: { readonly id: string; readonly username: string } | null;
  readonly state: OfflineState;
  collection<N extends CollectionName<A>>(name: N): OfflineCollection<ContentOf<A, N>>;
  /** Calls the listener when `state` changes. Returns a function that unsubscribes. */
  onChange(listener: (state: OfflineState) => void): () => void;
  /** Syncs now. If another tab is in charge of sending, that tab syncs. Fails if the server is unreachable. */
  sync(): Promise<void>;
  /** Removes the data of the user from the device, including waiting writes; or the data of all users. */
  clear(options?: { readonly allUsers?: boolean }): Promise<void>;
  /** Stops syncing. The data stays on the device. */
  close(): void;
}
