import { type Baobab, type BaobabError, isBaobabError, type ResultPage } from '@baobab/client';
import { chunksOf } from '../../values/chunks.ts';

/** Calls per request. */
const CALLS = 50;
/** Rows per page. Documents may be large, and a whole page is in memory. */
const ROWS = 100;

interface Pageable<R> {
  pageSize(rows: number): { page(cursor: string | null, options: { signal: AbortSignal }): Promise<ResultPage<R>> };
}

/** Reads all rows of a query, page by page. */
export async function* pagesOf<R>(query: Pageable<R>, signal: AbortSignal): AsyncGenerator<readonly R[]> {
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const { rows, next }: ResultPage<R> = await query.pageSize(ROWS).page(cursor, { signal });
    yield rows;
    cursor = next;
  }
}

/** Reads documents by id, skipping those that no longer exist. */
export async function* documentsOf(
  client: Baobab,
  { collection, ids }: { readonly collection: string; readonly ids: readonly string[] },
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  const { operations } = client.collection(collection);
  for (const some of chunksOf(ids, CALLS)) {
    const settled = await client.batchSettled(
      some.map((id) => operations.get(id)),
      { signal },
    );
    yield settled.flatMap((one) => {
      if (one.ok) return [one.data];
      if (isBaobabError(one.error, 'document.not_found')) return [];
      throw one.error;
    });
  }
}

/** Deletes documents. Resolves to the ids of those that could not be deleted, with the reason for the first one. */
export async function removeAll(
  client: Baobab,
  collection: string,
  ids: readonly string[],
): Promise<{ readonly left: readonly string[]; readonly error: BaobabError | null }> {
  const { operations } = client.collection(collection);
  const left: string[] = [];
  let error: BaobabError | null = null;
  for (const some of chunksOf(ids, CALLS)) {
    const settled = await client.batchSettled(some.map((id) => operations.remove(id)));
    settled.forEach((one, index) => {
      if (one.ok || isBaobabError(one.error, 'document.not_found')) return;
      left.push(some[index] ?? '');
      error ??= one.error;
    });
  }
  return { left, error };
}

/**
 * Writes one JSON text per line. Each page becomes a separate `Blob` immediately, because browsers store blobs outside
 * the memory of the tab, large ones on disk.
 */
export async function toNdjson(
  pages: AsyncIterable<readonly unknown[]>,
  onCount: (count: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let count = 0;
  for await (const rows of pages) {
    parts.push(new Blob(rows.map((row) => `${JSON.stringify(row)}\n`)));
    count += rows.length;
    onCount(count);
  }
  return new Blob(parts, { type: 'application/x-ndjson' });
}
