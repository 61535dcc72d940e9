import type { AccessScope, FeedPlace } from '@baobab/core';
import { hasMany, scopeParams } from '../documents/access-scope.ts';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { pageSize } from '../statements/pages.ts';
import {
  cut,
  type DocumentPlaces,
  earlier,
  type FeedRange,
  type FeedReader,
  type FeedRow,
  type FeedRows,
  groupBy,
  placeParams,
  upTo,
  WINDOW,
  withinReach,
} from './feed-rows.ts';
import * as SQL from './feed-statements.ts';

/** A collection with changed documents. */
interface ChangedCollection {
  readonly id: string;
  readonly key: string;
}

/** Minimum number of rows read from one collection, for any number of collections. */
const FEWEST = 32;

/** Returns the number of rows to read from each of `count` sources for a page of `limit`. */
const shareOf = (limit: number, count: number) =>
  pageSize(Math.min(limit + 1, Math.max(FEWEST, Math.ceil((4 * limit) / Math.max(1, count)))));

/** The index starts with the collection, so each statement searches every collection. */
export function createRemotePlaces(executor: SqlExecutor): DocumentPlaces {
  /** Returns the collections with changed documents. */
  function changedCollections({ after, horizon, collections }: FeedRange): Promise<ChangedCollection[]> {
    const values = [...placeParams(after), horizon];
    if (collections === null) return executor.read(SQL.CHANGED_ANYWHERE, values);
    return executor.read(SQL.CHANGED_IN, [...values, JSON.stringify(collections)]);
  }

  const ofCollections = <Row>(
    among: readonly ChangedCollection[],
    text: (collection: string) => string,
    values: readonly SqlValue[],
  ): Promise<Row[]> => {
    const ids = among.map(({ id }) => id);
    return ids.length === 0
      ? Promise.resolve([])
      : executor.read<Row>(SQL.ofEachCollection(text), [JSON.stringify(ids), ...values]);
  };

  /** Returns the first changed documents, regardless of access. */
  async function first({ after, horizon }: FeedRange, among: readonly ChangedCollection[], limit: number) {
    const size = shareOf(limit, among.length);
    const rows = await ofCollections<FeedRow>(among, SQL.allPlaces(size), [...placeParams(after), horizon]);
    return cut(
      groupBy(rows, ({ collection }) => collection),
      size,
    );
  }

  /** Returns the readable ones among the next changed documents. */
  async function inWindow(
    { after, horizon }: FeedRange,
    among: readonly ChangedCollection[],
    { scope, limit }: { readonly scope: AccessScope; readonly limit: number },
  ): Promise<FeedRows> {
    const window = pageSize(Math.max(4 * FEWEST, Math.ceil(WINDOW / among.length)));
    const from = [...placeParams(after), horizon];
    const ends = await ofCollections<FeedRow>(among, SQL.windowEnd(window), from);
    const end = ends.reduce<FeedPlace | null>(earlier, null);
    const size = shareOf(limit, among.length);
    const text = SQL.readablePlaces({ size, followed: scope.followed, many: hasMany(scope) });
    const bounds = end === null ? [horizon, FIRST_ID] : placeParams(end);
    const rows = await ofCollections<FeedRow>(among, text, [
      null,
      ...scopeParams(scope),
      ...placeParams(after),
      ...bounds,
    ]);
    const found = cut(
      groupBy(rows, ({ collection }) => collection),
      size,
    );
    return { rows: found.rows, end: earlier(found.end, end) };
  }

  /** Returns changed documents that the reader may read. */
  async function readable(range: FeedRange, { scope, openCollections, limit }: FeedReader): Promise<FeedRows> {
    const changed = await changedCollections(range);
    const isOpen = ({ key }: ChangedCollection) => scope.everything || openCollections.includes(key);
    const open = await first(range, changed.filter(isOpen), limit);
    const closed = changed.filter((collection) => !isOpen(collection));
    if (closed.length === 0) return open;
    let others = await inWindow(range, closed, { scope, limit });
    if (others.end !== null && others.rows.length <= limit) {
      others =
        (await withinReach(
          executor,
          range,
          closed.map(({ id }) => id),
          { scope, limit },
        )) ?? others;
    }
    const end = earlier(open.end, others.end);
    return { rows: [...open.rows, ...others.rows].filter(upTo(end)), end };
  }

  return {
    all: async (range, limit) => first(range, await changedCollections(range), limit),
    readable,
  };
}
