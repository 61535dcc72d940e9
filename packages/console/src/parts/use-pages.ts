import type { Query } from '@baobab/client';
import { useCallback, useState } from 'react';
import { type Loaded, useLoad } from '../use-load.ts';

/** Rows of a page. */
export const ROWS = 50;

export interface Pages<R> {
  readonly loaded: Loaded<{ readonly rows: readonly R[]; readonly next: string | null }>;
  readonly page: number;
  readonly toNext: (cursor: string) => void;
  readonly toFirst: () => void;
}

interface At<T, R> {
  /** The query that the cursor belongs to. */
  readonly query: () => Query<T, R>;
  readonly cursor: string | null;
  readonly page: number;
}

/** One page of a list; another `query` begins with its first page. `query` may throw for what the user typed. */
export function usePages<T, R>(query: () => Query<T, R>): Pages<R> {
  const first = { query, cursor: null, page: 1 };
  const [at, setAt] = useState<At<T, R>>(first);
  const { cursor, page } = at.query === query ? at : first;
  const load = useCallback(
    async (signal: AbortSignal) => query().pageSize(ROWS).page(cursor, { signal }),
    [query, cursor],
  );
  return {
    loaded: useLoad(load),
    page,
    toNext: (next) => setAt({ query, cursor: next, page: page + 1 }),
    toFirst: () => setAt(first),
  };
}
