import type { ResultPage, RowList } from '@baobab/client';
import { useCallback, useState } from 'react';
import { type Loaded, useLoad } from '../use-load.ts';

/** Rows of a page. */
export const ROWS = 50;

export interface Pages<R> {
  readonly loaded: Loaded<ResultPage<R>>;
  readonly page: number;
  readonly toNext: (cursor: string) => void;
  readonly toFirst: () => void;
}

/** Reads the page that begins after a cursor. */
type LoadPage<R> = (cursor: string | null, signal: AbortSignal) => Promise<ResultPage<R>>;

interface At<R> {
  /** The list that the cursor belongs to. */
  readonly list: LoadPage<R>;
  readonly cursor: string | null;
  readonly page: number;
}

/** One page of a list; another `list` begins with its first page. */
export function usePagesOf<R>(list: LoadPage<R>): Pages<R> {
  const first = { list, cursor: null, page: 1 };
  const [at, setAt] = useState<At<R>>(first);
  const { cursor, page } = at.list === list ? at : first;
  const load = useCallback((signal: AbortSignal) => list(cursor, signal), [list, cursor]);
  const loaded = useLoad(load);
  return {
    loaded,
    page,
    /** Until the page is there, its rows are those of the page before: then there is no next one, only another try. */
    toNext(next) {
      if (loaded.error !== null) loaded.reload();
      else if (!loaded.isLoading) setAt({ list, cursor: next, page: page + 1 });
    },
    toFirst: () => setAt(first),
  };
}

/** The same for a list or a query, which may throw for what the user typed. */
export function usePages<R>(query: () => RowList<R>): Pages<R> {
  const list: LoadPage<R> = useCallback(
    async (cursor, signal) => query().pageSize(ROWS).page(cursor, { signal }),
    [query],
  );
  return usePagesOf(list);
}
