import { type AccessScope, authorAudience, EVERYBODY, type FeedPlace } from '@baobab/core';
import { hasMany, scopeParams } from './access-scope.ts';
import { FEW, FIRST_ID, pageSize } from './document-list-statements.ts';
import type { SqlExecutor, SqlValue } from './executor.ts';
import * as SQL from './feed-statements.ts';

/** Which part of the feed is read: the places after one, before the horizon. */
export interface FeedRange {
  readonly after: FeedPlace;
  readonly horizon: number;
  /** Keys of collections; null for all. */
  readonly collections: readonly string[] | null;
}

/** A document that changed, or that an audience gained or lost. */
export interface FeedRow extends FeedPlace {
  /** Id of its collection. */
  readonly collection: string;
}

/** The first rows of some sources, and the place up to which none of them has more; null: up to the horizon. */
export interface FeedRows<Row extends FeedRow = FeedRow> {
  readonly rows: readonly Row[];
  readonly end: FeedPlace | null;
}

/** A collection in which something changed. */
export interface ChangedCollection {
  readonly id: string;
  readonly key: string;
}

/** How many changes of documents are examined for a page whose reader may not read all of them. */
const WINDOW = 2_048;
/** The fewest rows that are read of one collection, however many collections there are. */
const FEWEST = 32;
/** How many access changes of a reader's audiences are examined for a page. */
const OF_AUDIENCES = 2_048;

const isAfter = (a: FeedPlace, b: FeedPlace): boolean =>
  a.position > b.position || (a.position === b.position && a.id > b.id);

/** The earlier one; null is after every place. */
export function earlier(a: FeedPlace | null, b: FeedPlace | null): FeedPlace | null {
  if (a === null || b === null) return a ?? b;
  return isAfter(a, b) ? b : a;
}

export const upTo = (end: FeedPlace | null) => (row: FeedPlace) => end === null || !isAfter(row, end);

/** The place in the parameters of a statement. */
const placeParams = ({ position, id }: FeedPlace): SqlValue[] => [position, id === '' ? FIRST_ID : id];

/** Rows of one source each, of which each may have more if it has `size`. */
function cut<Row extends FeedRow>(sources: Iterable<readonly Row[]>, size: number): FeedRows<Row> {
  let end: FeedPlace | null = null;
  const all: Row[] = [];
  for (const rows of sources) {
    const last = rows.at(-1);
    if (last !== undefined && rows.length >= size) end = earlier(end, last);
    all.push(...rows);
  }
  return { rows: all.filter(upTo(end)), end };
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Iterable<Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups.values();
}

/** How many rows to read of each of `count` sources for a page of `limit`. */
const shareOf = (limit: number, count: number) =>
  pageSize(Math.min(limit + 1, Math.max(FEWEST, Math.ceil((4 * limit) / Math.max(1, count)))));

/** Finds out what changed, without reading it. */
export function createFeedPlaces(executor: SqlExecutor) {
  const { isLocal } = executor;

  /** The collections in which documents changed. */
  function changedCollections({ after, horizon, collections }: FeedRange): Promise<ChangedCollection[]> {
    const values = [...placeParams(after), horizon];
    if (collections === null) return executor.read(SQL.CHANGED_ANYWHERE, values);
    return executor.read(SQL.CHANGED_IN(executor), [...values, JSON.stringify(collections)]);
  }

  /** Runs a statement for each source: one by one on a local database, with one round trip elsewhere. */
  async function ofEach<Row>(
    sources: readonly string[],
    type: SQL.SourceType,
    text: (source: string) => string,
    values: readonly SqlValue[],
  ): Promise<Row[]> {
    if (sources.length === 0) return [];
    if (!isLocal) return executor.read<Row>(SQL.lateral(type, text), [JSON.stringify(sources), ...values]);
    const rows: Row[] = [];
    for (const source of sources) rows.push(...(await executor.read<Row>(text('?1'), [source, ...values])));
    return rows;
  }

  const ofCollections = <Row>(
    among: readonly ChangedCollection[],
    text: (collection: string) => string,
    values: readonly SqlValue[],
  ) =>
    ofEach<Row>(
      among.map(({ id }) => id),
      'uuid',
      text,
      values,
    );

  /** The first changed documents, whoever may read them. */
  async function all({ after, horizon }: FeedRange, among: readonly ChangedCollection[], limit: number) {
    const size = shareOf(limit, among.length);
    const rows = await ofCollections<FeedRow>(among, SQL.allPlaces(size), [...placeParams(after), horizon]);
    return cut(
      groupBy(rows, ({ collection }) => collection),
      size,
    );
  }

  /** The readable ones among the next changed documents. */
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
    const rows = await ofCollections<FeedRow>(among, text, [...placeParams(after), ...scopeParams(scope), ...bounds]);
    const found = cut(
      groupBy(rows, ({ collection }) => collection),
      size,
    );
    return { rows: found.rows, end: earlier(found.end, end) };
  }

  /** The changed ones among all documents that the reader may read; null when those are many. */
  async function withinReach(
    { after, horizon }: FeedRange,
    among: readonly ChangedCollection[],
    { scope, limit }: { readonly scope: AccessScope; readonly limit: number },
  ): Promise<FeedRows | null> {
    const extent = { followed: scope.followed, many: hasMany(scope) };
    const values = [JSON.stringify(among.map(({ id }) => id)), null, ...scopeParams(scope)];
    if ((await executor.count(SQL.reachCount(executor, extent), values)) > FEW) return null;
    const size = pageSize(limit + 1);
    const text = SQL.reach(executor, extent, size);
    const rows = await executor.read<FeedRow>(text, [...values, ...placeParams(after), horizon]);
    return cut([rows], size);
  }

  /** Changed documents that the reader may read. */
  async function readable(
    range: FeedRange,
    {
      scope,
      openCollections,
      limit,
    }: {
      readonly scope: AccessScope;
      readonly openCollections: readonly string[];
      readonly limit: number;
    },
  ): Promise<FeedRows> {
    const changed = await changedCollections(range);
    const isOpen = ({ key }: ChangedCollection) => scope.everything || openCollections.includes(key);
    const open = await all(range, changed.filter(isOpen), limit);
    const closed = changed.filter((collection) => !isOpen(collection));
    if (closed.length === 0) return open;
    let others = await inWindow(range, closed, { scope, limit });
    if (others.end !== null && others.rows.length <= limit) {
      others = (await withinReach(range, closed, { scope, limit })) ?? others;
    }
    const end = earlier(open.end, others.end);
    return { rows: [...open.rows, ...others.rows].filter(upTo(end)), end };
  }

  /** The audiences of a reader for whom access changed. */
  async function changedAudiences({ after, horizon }: FeedRange, scope: AccessScope, hasOpen: boolean) {
    const { everything, owner, principals, followed } = scope;
    const own = owner === null ? [] : [authorAudience(owner)];
    const plain = everything ? [] : [...principals, ...own];
    const values = [JSON.stringify(everything || hasOpen ? [EVERYBODY, ...plain] : plain)];
    const from = [...placeParams(after), horizon];
    const withFollowed = followed && !everything && owner !== null;
    const text = withFollowed ? SQL.CHANGED_AUDIENCES_OF_FOLLOWER(executor) : SQL.CHANGED_AUDIENCES(executor);
    const rows = await executor.read<{ audience: string }>(text, [...values, ...from, owner]);
    return rows.map(({ audience }) => audience);
  }

  /** Documents that the reader gained or lost by a grant, or that were removed. */
  async function gainedOrLost(
    range: FeedRange,
    { scope, openCollections }: { readonly scope: AccessScope; readonly openCollections: readonly string[] },
  ): Promise<FeedRows<NamedFeedRow>> {
    const audiences = await changedAudiences(range, scope, openCollections.length > 0);
    const from = [...placeParams(range.after), range.horizon];
    const size = pageSize(Math.max(FEWEST, Math.ceil(OF_AUDIENCES / Math.max(1, audiences.length))));
    const rows = await ofEach<NamedFeedRow>(audiences, 'text', SQL.accessPlaces(size), from);
    const found = cut(
      groupBy(rows, ({ audience }) => audience),
      size,
    );
    const concerns = ({ key, audience }: NamedFeedRow) => {
      if (key === null || !(range.collections?.includes(key) ?? true)) return false;
      return audience !== EVERYBODY || scope.everything || openCollections.includes(key);
    };
    return { ...found, rows: found.rows.filter(concerns) };
  }

  return { changedCollections, all, readable, gainedOrLost };
}

export interface NamedFeedRow extends FeedRow {
  readonly audience: string;
  /** Key and name of the collection; null when it is gone. */
  readonly key: string | null;
  readonly name: string | null;
}
