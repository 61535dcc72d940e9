import type { NewDocument } from '../documents/operations.ts';
import type { AppTypes, CollectionName, ContentOf, Stored } from '../documents/types.ts';
import type { BaobabError } from '../errors.ts';
import type { Followable, LiveHandlers } from '../query/live.ts';
import type { OperandOf, PathOf } from '../query/types.ts';
import type { DocumentFields } from '../wire.ts';
import type { Content, WriteKind } from './records.ts';
import type { OfflineStore } from './store.ts';

/** `offline`: there is no connection, or nobody is logged in. `idle`: nothing is left to do. */
export type OfflineStatus = 'offline' | 'syncing' | 'idle';

/** A document of any collection. */
export type AnyDocument = DocumentFields & Content;

/** A write that the service refused, or of which nobody knows whether it took effect. */
export interface RefusedWrite {
  readonly collection: string;
  readonly id: string;
  readonly kind: WriteKind;
  /** The members that an update sets, or the whole content. */
  readonly content: Content;
  /** The document as the user saw it when writing; null for a new one. */
  readonly base: AnyDocument | null;
}

/** `mine`: send the write again. `theirs`: give it up. `keep`: keep it in `failed`. Or the content of a merged document. */
export type ConflictDecision = 'mine' | 'theirs' | 'keep' | Content;
export type RejectedDecision = 'retry' | 'discard' | 'keep';

/**
 * @param local the document with the write; null if the write removes it
 * @param remote the document at the service; null if it was removed or may no longer be read
 */
export type OnConflict = (
  local: AnyDocument | null,
  remote: AnyDocument | null,
  write: RefusedWrite,
) => ConflictDecision | Promise<ConflictDecision>;

export type OnRejected = (write: RefusedWrite, error: BaobabError) => RejectedDecision | Promise<RejectedDecision>;

/** A refused write about which nothing has been decided. */
export interface FailedWrite extends RefusedWrite {
  readonly error: BaobabError;
  /** Sends it again, on the newest version. */
  retry(): Promise<void>;
  /** Gives it up. With a new document, everything that was written to it later is given up as well. */
  discard(): Promise<void>;
}

export interface OfflineState {
  readonly status: OfflineStatus;
  /** Writes that the service has not acknowledged, failed ones included. */
  readonly waiting: number;
  readonly failed: readonly FailedWrite[];
}

export interface OfflineOptions<A extends AppTypes> {
  /** Where the data is kept: `indexedDbStore(name)`, `memoryStore()`, or an adapter of one's own. */
  readonly store: OfflineStore;
  /** The collections that are kept on the device, with all documents that the user may read. */
  readonly collections: readonly CollectionName<A>[];
  /** Decides about a write to a document that has changed, or is gone. Without it the write is kept in `failed`. */
  readonly onConflict?: OnConflict | undefined;
  /** Decides about a write that was refused for another reason. Without it the write is kept in `failed`. */
  readonly onRejected?: OnRejected | undefined;
  /** Called when the service cannot be reached, or the store fails. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** How many writes may wait; default 5,000. One more fails with `client.store_full`. */
  readonly maxWaiting?: number | undefined;
  /** False: data is exchanged only when `sync` is called. */
  readonly automatic?: boolean | undefined;
}

/** The operators of conditions that are evaluated on the device. */
export type LocalOperator = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'in' | 'contains' | 'is null' | 'is not null';

/** Documents of the local store. Every method returns a new query. */
export interface OfflineQuery<T extends DocumentFields> extends Followable<T> {
  /** Adds a condition on one field. */
  whereField<P extends PathOf<T>, O extends LocalOperator>(
    path: P,
    operator: O,
    ...value: [OperandOf<T, P, O>] extends [never] ? [] : [OperandOf<T, P, O>]
  ): OfflineQuery<T>;
  /**
   * Adds a test. What it depends on are parameters, so that two queries can be compared:
   * `filter((item, most) => item.price < most, 5)`.
   */
  filter<const P extends readonly unknown[]>(
    test: (document: T, ...params: P) => boolean,
    ...params: P
  ): OfflineQuery<T>;
  orderBy(path: PathOf<T>, direction?: 'asc' | 'desc'): OfflineQuery<T>;
  list(options?: { readonly limit?: number }): Promise<readonly T[]>;
  first(): Promise<T | null>;
  count(): Promise<number>;
}

/** A collection that is kept on the device. */
export interface OfflineCollection<C> {
  readonly name: string;
  /** Stores a document. Until the service has it, its id is a local one. */
  create(content: C, options?: NewDocument): Promise<Stored<C>>;
  /** Sets the members of `patch`. Fails with `document.not_found` if there is no such document. */
  update(id: string, patch: Partial<C>): Promise<Stored<C>>;
  /** Replaces the whole content. */
  replace(id: string, content: C): Promise<Stored<C>>;
  remove(id: string): Promise<void>;
  /** Null for a document that is not in the local store. Finds it by its local id, too. */
  get(id: string): Promise<Stored<C> | null>;
  /** Whether writes to the document wait. */
  isWaiting(id: string): boolean;
  query(): OfflineQuery<Stored<C>>;
  live(id: string, listener: (document: Stored<C> | null) => void, options?: LiveHandlers): () => void;
}

/** The data of a user on this device. */
export interface Offline<A extends AppTypes> extends OfflineState {
  /** Resolves when the local data has been read. */
  readonly ready: Promise<void>;
  /** The user whose data is shown; null when nobody is logged in. */
  readonly user: { readonly id: string; readonly username: string } | null;
  readonly state: OfflineState;
  collection<N extends CollectionName<A>>(name: N): OfflineCollection<ContentOf<A, N>>;
  /** Calls the listener when `state` has changed. Returns the function that ends this. */
  onChange(listener: (state: OfflineState) => void): () => void;
  /** Exchanges data now. In a tab that does not send, it asks the tab that does. Fails when the service cannot be reached. */
  sync(): Promise<void>;
  /** Removes the data of the user from the device, waiting writes included; or the data of all users. */
  clear(options?: { readonly allUsers?: boolean }): Promise<void>;
  /** Stops. The data stays. */
  close(): void;
}
