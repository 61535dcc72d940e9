import type { CallOptions } from '../options.ts';
import type { Api } from './api.ts';
import type { QueryParams } from './path.ts';

const PAGE_SIZE = 100;

interface Paged<D, T> {
  readonly path: string;
  readonly query?: QueryParams;
  /** The rows in the data of a page. */
  readonly rows: (data: D) => readonly T[];
  readonly options: CallOptions | undefined;
}

/** All rows of a list, read page by page. */
export async function* rowsOf<D, T>(
  api: Api,
  { path, query, rows, options }: Paged<D, T>,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const params: QueryParams = { ...query, recordsPerPage: PAGE_SIZE, cursor };
    const { data, more, next } = await api.list<D>(path, params, options);
    yield* rows(data);
    cursor = more ? next : null;
  }
}
