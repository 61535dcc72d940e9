import { EVERYTHING } from '@baobab/core';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { pageSize } from '../statements/pages.ts';
import {
  cut,
  type DocumentPlaces,
  earlier,
  type FeedRange,
  type FeedReader,
  type FeedRow,
  type FeedRows,
  upTo,
  WINDOW,
  withinReach,
} from './feed-rows.ts';
import * as SQL from './feed-statements.ts';

/** First position. Documents at position 0 have not changed. SQLite searches the index by one lower bound only. */
const FIRST = 1;

/** The index contains only positions. A wider one would make each update of a local database too expensive. */
export function createLocalPlaces(executor: SqlExecutor): DocumentPlaces {
  /** Returns the last position in the next window of changes, or null if these are all. */
  async function windowEnd({ after, horizon }: FeedRange): Promise<number | null> {
    const values = [Math.max(FIRST, after.position), horizon];
    const window = await executor.readOne<{ n: number; position: number | null }>(SQL.WINDOW_OF(WINDOW), values);
    return window !== null && window.n === WINDOW ? window.position : null;
  }

  /** Returns changed documents up to a position, or up to the horizon if `last` is null. */
  async function find(
    { after, horizon, collections }: FeedRange,
    { scope, openCollections, limit }: FeedReader,
    last: number | null,
  ): Promise<FeedRows> {
    const size = pageSize(limit + 1);
    const text = SQL.localPlaces({
      size,
      everything: scope.everything,
      followed: scope.followed,
      many: hasMany(scope),
      isLimited: collections !== null,
      hasOpen: openCollections.length > 0,
    });
    const rows = await executor.read<FeedRow>(text, [
      Math.max(FIRST, after.position),
      after.id === '' ? FIRST_ID : after.id,
      ...scopeParams(scope),
      last ?? horizon - 1,
      JSON.stringify(collections ?? []),
      JSON.stringify(openCollections),
    ]);
    const found = cut([rows], size);
    const end = earlier(found.end, last === null ? null : { position: last + 1, id: '' });
    return { rows: found.rows.filter(upTo(end)), end };
  }

  async function readable(range: FeedRange, reader: FeedReader): Promise<FeedRows> {
    const { scope, openCollections, limit } = reader;
    const takesAll = scope.everything && range.collections === null;
    const found = await find(range, reader, takesAll ? null : await windowEnd(range));
    if (found.end === null || found.rows.length > limit || scope.everything || openCollections.length > 0) return found;
    const wanted = range.collections === null ? SQL.ALL_COLLECTIONS : SQL.COLLECTIONS_BY_KEYS;
    const ids = await executor.read<{ id: string }>(wanted, [JSON.stringify(range.collections)]);
    const few = await withinReach(
      executor,
      range,
      ids.map(({ id }) => id),
      { scope, limit },
    );
    return few ?? found;
  }

  return {
    all: (range, limit) => find(range, { scope: EVERYTHING, openCollections: [], limit }, null),
    readable,
  };
}
