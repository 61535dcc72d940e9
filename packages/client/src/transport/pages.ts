import type { CallOptions } from '../options.ts';
import type { Api } from './api.ts';
import type { QueryParams } from './path.ts';

const PAGE_SIZE = 100;

export interface ResultPage<R> {
  readonly rows: readonly R[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
}

export interface CountedPage<R> extends ResultPage<R> {
  /** Total number of rows. */
  readonly total: number;
}

/** All rows of a list, read page by page. */
export interface Rows<R> extends AsyncIterable<R> {
  /** Reads one page, starting at a cursor. */
  page(cursor?: string | null, options?: CallOptions): Promise<ResultPage<R>>;
}

interface Paged<D, T> {
  readonly path: string;
  readonly query?: QueryParams;
  /** Returns the rows in the data of a page. */
  readonly rows: (data: D) => readonly T[];
  readonly options: CallOptions | undefined;
}

export function rowsOf<D, T>(api: Api, { path, query, rows, options: ofAll }: Paged<D, T>): Rows<T> {
  async function page(cursor?: string | null, options?: CallOptions): Promise<ResultPage<T>> {
    const params: QueryParams = { ...query, recordsPerPage: PAGE_SIZE, cursor: cursor ?? undefined };
    const { data, more, next } = await api.list<D>(path, params, { ...ofAll, ...options });
    return { rows: rows(data), next: more ? next : null };
  }

  async function* all(): AsyncGenerator<T, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { rows: found, next } = await page(cursor);
      yield* found;
      cursor = next;
    }
  }

  return { page, [Symbol.asyncIterator]: all };
}
