import type { ResultPage, RowList } from '@baobab/client';
import { useCallback, useState } from 'react';
import { type Loaded, useLoad } from '../use-load.ts';

/** Rows per page. */
export const ROWS = 50;

export interface Pages<R> {
  readonly loaded: Loaded<ResultPage<R>>;
  readonly page: number;
  readonly toNext: (cursor: string) => void;
  readonly toFirst: () => void;
}

/** Reads the page after a cursor. */
type LoadPage<R> = (cursor: string | null, signal: AbortSignal) => Promise<ResultPage<R>>;

interface At<R> {
  /** The list that the cursor belongs to. */
  readonly list: LoadPage<R>;
  readonly cursor: string | null;
  readonly page: number;
}

/** Returns one page of a list. Another `list` starts at its first page. */
export function usePagesOf<R>(list: LoadPage<R>): Pages<R> {
  const first = { list, cursor: null, page: 1 };
  const [at, setAt] = useState<At<R>>(first);
  const { cursor, page } = at.list === list ? at : first;
  const load = useCallback((signal: AbortSignal) => list(cursor, signal), [list, cursor]);
  const loaded = useLoad(load);
  return {
    loaded,
    page,
    /**
     * While a page loads, the rows of the previous page are shown, and their cursor must not be used again. After a
     * failure, this retries.
     */
    toNext(next) {
      if (loaded.error !== null) loaded.reload();
      else if (!loaded.isLoading) setAt({ list, cursor: next, page: page + 1 });
    },
    toFirst: () => setAt(first),
  };
}

/** Like `usePagesOf`, for a list or a query, which may throw for invalid user input. */
export function usePages<R>(query: () => RowList<R>): Pages<R> {
  const list: LoadPage<R> = useCallback(
    async (cursor, signal) => query().pageSize(ROWS).page(cursor, { signal }),
    [query],
  );
  return usePagesOf(list);
}
