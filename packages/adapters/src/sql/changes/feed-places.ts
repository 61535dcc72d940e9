import { type AccessScope, authorAudience, EVERYBODY } from '@baobab/core';
import type { SqlExecutor, SqlValue } from '../statements/executor.ts';
import { pageSize } from '../statements/pages.ts';
import { createLocalPlaces } from './feed-places-local.ts';
import { createRemotePlaces } from './feed-places-remote.ts';
import {
  cut,
  type DocumentPlaces,
  type FeedRange,
  type FeedReader,
  type FeedRow,
  type FeedRows,
  groupBy,
  placeParams,
} from './feed-rows.ts';
import * as SQL from './feed-statements.ts';

/** Number of access changes of a reader's audiences to examine for a page. */
const OF_AUDIENCES = 2_048;
/** Minimum number of access changes read for one audience, for any number of audiences. */
const FEWEST = 32;

export interface NamedFeedRow extends FeedRow {
  readonly audience: string;
  /** Key and name of the collection. Null if it is removed. */
  readonly key: string | null;
  readonly name: string | null;
}

export interface FeedPlaces extends DocumentPlaces {
  /** Returns documents that the reader gained or lost by a grant, or that were removed. */
  gainedOrLost(range: FeedRange, reader: FeedReader): Promise<FeedRows<NamedFeedRow>>;
}

/** Finds the places of changes, without reading the documents. */
export function createFeedPlaces(executor: SqlExecutor): FeedPlaces {
  /** Queries audiences one by one on a local database, in one round trip elsewhere. */
  async function ofAudiences(
    audiences: readonly string[],
    text: ReturnType<typeof SQL.accessPlaces>,
    values: readonly SqlValue[],
  ): Promise<NamedFeedRow[]> {
    if (audiences.length === 0) return [];
    if (!executor.isLocal) return executor.read(SQL.ofEachAudience(text), [JSON.stringify(audiences), ...values]);
    const rows: NamedFeedRow[] = [];
    for (const audience of audiences)
      rows.push(...(await executor.read<NamedFeedRow>(text('?1'), [audience, ...values])));
    return rows;
  }

  /** Returns the audiences of a reader with changed access. */
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

  async function gainedOrLost(
    range: FeedRange,
    { scope, openCollections }: FeedReader,
  ): Promise<FeedRows<NamedFeedRow>> {
    const audiences = await changedAudiences(range, scope, openCollections.length > 0);
    const from = [...placeParams(range.after), range.horizon];
    const size = pageSize(Math.max(FEWEST, Math.ceil(OF_AUDIENCES / Math.max(1, audiences.length))));
    const rows = await ofAudiences(audiences, SQL.accessPlaces(size), from);
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

  return { ...(executor.isLocal ? createLocalPlaces : createRemotePlaces)(executor), gainedOrLost };
}
