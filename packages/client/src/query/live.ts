import type { BaobabError } from '../errors.ts';
import type { SessionKeeper } from '../session/session.ts';
import type { Api } from '../transport/api.ts';
import type { DocumentFields } from '../wire.ts';
import type { Criteria } from './criteria.ts';

/** How the rows differ from those that the listener got before. */
export interface LiveChange<R> {
  readonly added: readonly R[];
  readonly updated: readonly R[];
  /** As they were before. */
  readonly removed: readonly R[];
}

export type LiveListener<R> = (rows: readonly R[], change: LiveChange<R>) => void;

/** `failed`: the query cannot continue. It starts again when the user changes. */
export type LiveState = 'connecting' | 'live' | 'failed';

export interface LiveHandlers {
  /** Called for each failure. @param willRetry whether the query tries again by itself */
  readonly onError?: (error: BaobabError, willRetry: boolean) => void;
  /** Called when the state changes; `live`: the rows are up to date. */
  readonly onState?: (state: LiveState) => void;
}

export interface LiveOptions extends LiveHandlers {
  /** Only the first rows of the query. */
  readonly limit?: number;
}

/** Calls the listener with the rows, and again whenever they change. Returns the function that ends this. */
export type LiveCall<R> = (listener: LiveListener<R>, options?: LiveOptions) => () => void;

/** A query that can be followed. */
export interface Followable<R> {
  /** The query as data: equal queries have equal data. */
  readonly criteria: object;
  /** What is queried. */
  readonly source: { readonly path: string; readonly client: object };
  /** Calls the listener with all rows, or the first ones, and again whenever they change. Returns the function that ends it. */
  readonly live: LiveCall<R>;
}

/** A list of documents to keep up to date. */
export interface LiveRequest {
  readonly collection: string;
  readonly path: string;
  readonly criteria: Criteria;
  /** Rows in each page of the list. */
  readonly pageSize: number;
}

export interface LiveQueries {
  follow<R extends DocumentFields>(request: LiveRequest, listener: LiveListener<R>, options?: LiveOptions): () => void;
  close(): void;
}

/** What `live` of `@baobab/client/live` is. */
export type LiveFeature = (deps: { readonly api: Api; readonly session: SessionKeeper }) => LiveQueries;
