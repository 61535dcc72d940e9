import { createBoundedCache } from '@baobab/core';
import { COLLECTION } from './document-statements.ts';
import type { SqlExecutor } from './executor.ts';

/** How many of the next documents of a collection are cached with their authors. */
const WINDOW = 2_000;
/** Users who follow more are left to the statements. */
const MAX_FOLLOWED = 4_096;
const KEPT_WINDOWS = 16;
const KEPT_CIRCLES = 64;
const MAX_ASKED = 1_000;

const NEXT = {
  ascending: `select id, author from documents where collection = ${COLLECTION} and id > ?2 order by id limit ${WINDOW}`,
  descending: `select id, author from documents where collection = ${COLLECTION} and id < ?2 order by id desc limit ${WINDOW}`,
} as const;
const FOLLOWED = `select followed from follows where follower = ?1 limit ${MAX_FOLLOWED + 1}`;

interface Window {
  readonly ids: readonly string[];
  readonly authors: readonly string[];
  /** Whether the window reaches the end of the collection. */
  readonly isLast: boolean;
}

/** A page of the documents of followed users. */
export interface FollowedPage {
  /** Key of the collection. */
  readonly collection: string;
  readonly follower: string;
  /** Only documents after this id. */
  readonly after: string;
  readonly descending: boolean;
  readonly size: number;
}

export interface KnownPage {
  /** Ids in the order of the list. */
  readonly ids: readonly string[];
  /** The version of the database for which this page is valid. */
  readonly version: number;
}

function firstOf({ ids, authors }: Window, userSet: ReadonlySet<string>, size: number): string[] {
  const found: string[] = [];
  for (let i = 0; i < ids.length && found.length < size; i++) {
    if (userSet.has(authors[i] as string)) found.push(ids[i] as string);
  }
  return found;
}

/**
 * Finds documents of followed users among the next documents of a collection, in memory. On the database that costs a
 * look-up for each followed user; but most requests are for the first page, whose documents are the same for everybody.
 * The cache is valid for one state of the database: any commit ends it, so it needs no invalidation rules. While there
 * are more commits than requests, nothing is cached.
 */
export function createFollowedWindows(executor: SqlExecutor) {
  const windows = createBoundedCache<string, Window>(KEPT_WINDOWS);
  const userSets = createBoundedCache<string, ReadonlySet<string> | null>(KEPT_CIRCLES);
  /** Windows that were requested once: the next request makes them worth caching. */
  const asked = new Set<string>();
  let keptOf: number | null = null;

  function forgetOlder(version: number): void {
    if (version === keptOf) return;
    keptOf = version;
    asked.clear();
    windows.clear();
    userSets.clear();
  }

  async function windowAt(key: string, { collection, after, descending }: FollowedPage): Promise<Window> {
    const known = windows.get(key);
    if (known !== undefined) return known;
    const text = descending ? NEXT.descending : NEXT.ascending;
    const rows = await executor.read<{ id: string; author: string }>(text, [collection, after]);
    const [ids, authors] = [rows.map(({ id }) => id), rows.map(({ author }) => author)];
    const window = { ids, authors, isLast: rows.length < WINDOW };
    windows.set(key, window);
    return window;
  }

  /** Null when the user follows too many. */
  async function userSetOf(follower: string): Promise<ReadonlySet<string> | null> {
    const known = userSets.get(follower);
    if (known !== undefined) return known;
    const rows = await executor.read<{ followed: string }>(FOLLOWED, [follower]);
    const userSet = rows.length > MAX_FOLLOWED ? null : new Set(rows.map(({ followed }) => followed));
    userSets.set(follower, userSet);
    return userSet;
  }

  /** Whether this is at least the second request for the window. */
  function isWorthKeeping(key: string): boolean {
    if (windows.get(key) !== undefined || asked.has(key)) return true;
    if (asked.size === MAX_ASKED) asked.clear();
    asked.add(key);
    return false;
  }

  return {
    /**
     * The first documents of followed users, if they are known without a look-up for each of them. Callers must check
     * afterwards that the database still has this version.
     */
    async find(page: FollowedPage): Promise<KnownPage | null> {
      const version = executor.version();
      if (version === null) return null;
      forgetOlder(version);
      const key = `${page.collection} ${page.descending} ${page.after}`;
      const userSet = isWorthKeeping(key) ? await userSetOf(page.follower) : null;
      if (userSet === null) return null;
      const window = await windowAt(key, page);
      const ids = firstOf(window, userSet, page.size);
      return ids.length === page.size || window.isLast ? { ids, version } : null;
    },
  };
}
