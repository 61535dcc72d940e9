import type { ResultPage, RowList } from '@baobab/client';
import { useEffect, useState } from 'react';
import { type Loaded, useLoad } from '../use-load.ts';

/** Rows per page. */
export const ROWS = 50;

export interface Pages<R> {
  readonly loaded: Loaded<ResultPage<R>>;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Position of the first row in the list, from 0. */
  readonly first: number;
  readonly toNext: (cursor: string) => void;
  readonly toPrevious: () => void;
}

/** Reads the page after a cursor. */
type LoadPage<R> = (cursor: string | null, signal: AbortSignal) => Promise<ResultPage<R>>;

/** A page that was left for the next one. */
interface Passed {
  readonly cursor: string | null;
  readonly count: number;
}

interface At {
  /** The list that the cursor belongs to. */
  readonly list: string;
  readonly cursor: string | null;
  readonly passed: readonly Passed[];
}

/** Returns one page of a list. Another `key` starts at its first page. */
export function usePagesOf<R>(key: readonly unknown[], list: LoadPage<R>): Pages<R> {
  const name = JSON.stringify(key);
  const first: At = { list: name, cursor: null, passed: [] };
  const [at, setAt] = useState<At>(first);
  const { cursor, passed } = at.list === name ? at : first;
  const loaded = useLoad([...key, cursor], (signal) => list(cursor, signal));
  const toPrevious = () => setAt({ list: name, cursor: passed.at(-1)?.cursor ?? null, passed: passed.slice(0, -1) });
  const { rows, next = null } = loaded.data ?? {};
  const isGone = passed.length > 0 && !loaded.isLoading && rows?.length === 0 && next === null;
  // The rows of the last page were deleted.
  useEffect(() => {
    if (isGone) toPrevious();
  });
  return {
    loaded,
    page: passed.length + 1,
    first: passed.reduce((sum, { count }) => sum + count, 0),
    /**
     * While a page loads, the rows of the previous page are shown, and their cursor must not be used again. After a
     * failure, this retries.
     */
    toNext(next) {
      if (loaded.error !== null) loaded.reload();
      else if (!loaded.isLoading)
        setAt({ list: name, cursor: next, passed: [...passed, { cursor, count: loaded.data?.rows.length ?? 0 }] });
    },
    toPrevious,
  };
}

/** Like `usePagesOf`, for a list or a query, which may throw for invalid user input. */
export function usePages<R>(key: readonly unknown[], query: () => RowList<R>): Pages<R> {
  return usePagesOf(key, async (cursor, signal) => query().pageSize(ROWS).page(cursor, { signal }));
}
