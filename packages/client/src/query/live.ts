import type { BaobabError } from '../errors.ts';
import type { SessionKeeper } from '../session/session.ts';
import type { Api } from '../transport/api.ts';
import type { DocumentFields } from '../wire.ts';
import type { Criteria } from './criteria.ts';
import type { Room } from './room.ts';

/** Difference from the rows that the listener received before. */
export interface LiveChange<R> {
  readonly added: readonly R[];
  readonly updated: readonly R[];
  /** In their previous state. */
  readonly removed: readonly R[];
}

export type LiveListener<R> = (rows: readonly R[], change: LiveChange<R>) => void;

/** `failed`: the query cannot continue. It restarts when the user changes. */
export type LiveState = 'connecting' | 'live' | 'failed';

export interface LiveHandlers {
  /** Called for each failure. @param willRetry true if the query retries automatically */
  readonly onError?: (error: BaobabError, willRetry: boolean) => void;
  /** Called when the state changes; `live`: the rows are up to date. */
  readonly onState?: (state: LiveState) => void;
}

export interface LiveOptions extends LiveHandlers {
  /** Maximum number of rows. */
  readonly limit?: number;
}

/** Options of a live query with rows of this type. */
export interface LiveRowOptions<R> extends LiveOptions {
  /** Rows shown before the first list, for example those with which a server rendered the page. */
  readonly initialRows?: readonly R[] | undefined;
}

/** Calls the listener with the rows, and again after each change. Returns a function that unsubscribes. */
export type LiveCall<R> = (listener: LiveListener<R>, options?: LiveRowOptions<R>) => () => void;

/** A query that can be followed live. */
export interface Followable<R> {
  /** The query as data. Equal queries have equal data. */
  readonly criteria: object;
  /** The queried list. */
  readonly source: { readonly path: string; readonly client: object };
  /**
   * Calls the listener with all rows, or the first ones, and again after each change. Returns a function that
   * unsubscribes.
   */
  readonly live: LiveCall<R>;
}

/** A list of documents to keep up to date. */
export interface LiveRequest {
  readonly collection: string;
  readonly path: string;
  readonly criteria: Criteria;
  /** Rows per page of the list. */
  readonly pageSize: number;
}

export interface LiveQueries {
  follow<R extends DocumentFields>(
    request: LiveRequest,
    listener: LiveListener<R>,
    options?: LiveRowOptions<R>,
  ): () => void;
  room<S, D>(ref: string): Room<S, D>;
  close(): void;
}

/** Type of `live` from `@baobab/client/live`. */
export type LiveFeature = (deps: { readonly api: Api; readonly session: SessionKeeper }) => LiveQueries;
