import { useState, useSyncExternalStore } from 'react';
import type { Collection } from '../documents/collection.ts';
import type { Stored } from '../documents/types.ts';
import type { BaobabError } from '../errors.ts';
import type { Followable, LiveCall, LiveRowOptions, LiveState } from '../query/live.ts';
import type { Query } from '../query/query.ts';
import type { DocumentFields } from '../wire.ts';

interface LiveStatus {
  readonly state: LiveState;
  /** The last failure; null if the rows are up to date. */
  readonly error: BaobabError | null;
}

export interface LiveQuery<R> extends LiveStatus {
  /** Undefined before the first list. */
  readonly rows: readonly R[] | undefined;
}

export interface LiveDocument<D> extends LiveStatus {
  /** Undefined before the first response; null while the document does not exist or is not readable. */
  readonly document: D | null | undefined;
}

type RowOptions<R> = Pick<LiveRowOptions<R>, 'limit' | 'initialRows'>;

interface Store<R> {
  subscribe(listener: () => void): () => void;
  snapshot(): LiveQuery<R>;
}

/** Follows a query while it has listeners. Rendering alone has no effect. */
function createStore<R>(live: LiveCall<R> | null, options: RowOptions<R>): Store<R> {
  const listeners = new Set<() => void>();
  let stop: (() => void) | null = null;
  let snapshot: LiveQuery<R> = { rows: options.initialRows, state: 'connecting', error: null };

  function change(part: Partial<LiveQuery<R>>): void {
    snapshot = { ...snapshot, ...part };
    for (const listener of [...listeners]) listener();
  }

  const start = () =>
    live?.((rows) => change({ rows }), {
      ...options,
      onState: (state) => change(state === 'live' ? { state, error: null } : { state }),
      onError: (error) => change({ error }),
    }) ?? null;

  return {
    subscribe(listener) {
      listeners.add(listener);
      stop ??= start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = null;
      };
    },
    snapshot: () => snapshot,
  };
}

/** A store and the query it belongs to. */
interface Held<R> {
  readonly store: Store<R>;
  readonly client: object | undefined;
  readonly key: string;
}

type Listed = Pick<Followable<unknown>, 'source' | 'criteria'>;

const keyOf = (query: Listed | null, limit: number | undefined) =>
  JSON.stringify([query?.source.path, query?.criteria, limit]);

function heldFor<R>(query: Followable<R> | null, options: RowOptions<R>): Held<R> {
  const live = query === null ? null : query.live;
  return { store: createStore(live, options), client: query?.source.client, key: keyOf(query, options.limit) };
}

const isFor = <R>({ client, key }: Held<R>, query: Listed | null, limit: number | undefined) =>
  client === query?.source.client && key === keyOf(query, limit);

/**
 * Returns the rows of a query, kept up to date. The query may be created during render, because queries are compared by
 * content. Null: no rows yet. A server renders `initialRows`; a browser shows them until the first list.
 */
export function useLiveQuery<T, R extends DocumentFields>(
  query: Query<T, R> | null,
  options?: RowOptions<R>,
): LiveQuery<R>;
export function useLiveQuery<R>(query: Followable<R> | null, options?: RowOptions<R>): LiveQuery<R>;
export function useLiveQuery<R>(query: Followable<R> | null, options: RowOptions<R> = {}): LiveQuery<R> {
  const [held, hold] = useState(() => heldFor(query, options));
  let current = held;
  if (!isFor(held, query, options.limit)) {
    current = heldFor(query, options);
    hold(current);
  }
  const { subscribe, snapshot } = current.store;
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}

/** Returns a document, kept up to date. Pass null while the id is unknown. */
export function useDocument<C>(collection: Pick<Collection<C>, 'query'>, id: string | null): LiveDocument<Stored<C>> {
  const query = id === null ? null : collection.query().whereUnchecked('id = ?', id.toLowerCase());
  const { rows, ...status } = useLiveQuery(query as Query<unknown, Stored<C>> | null);
  return { ...status, document: rows === undefined ? undefined : (rows[0] ?? null) };
}
