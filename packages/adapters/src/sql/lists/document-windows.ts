import { type AccessScope, createBoundedCache, type Principal } from '@baobab/core';
import { READABLE } from '../documents/document-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { COLLECTION } from '../statements/statement.ts';

/** Number of the next documents, or of the next grants on documents, that are cached. */
const WINDOW = 2_000;
/** Maximum number of followed users. For users who follow more, statements are used. */
const MAX_FOLLOWED = 4_096;
const KEPT_WINDOWS = 16;
const KEPT_USER_SETS = 64;
const MAX_ASKED = 1_000;

/** ?1 collection key, ?2 id after which to start. A holder makes a document readable for some users. */
const NEXT = {
  authors: (sign: string, order: string) =>
    `select id, author as holder from documents where collection = ${COLLECTION} and id ${sign} ?2
      order by id${order} limit ${WINDOW}`,
  grants: (sign: string, order: string) =>
    `select document as id, principal as holder from document_grants where collection = ${COLLECTION}
      and document ${sign} ?2 and (rights & ${READABLE}) <> 0 order by document${order} limit ${WINDOW}`,
} as const;
const FOLLOWED = `select followed from follows where follower = ?1 limit ${MAX_FOLLOWED + 1}`;

interface Window {
  /** In the order of the list. A document with several holders occurs several times. */
  readonly ids: readonly string[];
  readonly holders: readonly string[];
  /** True if the window reaches the end of the collection. */
  readonly isLast: boolean;
}

/** A page of documents that a caller may read because they follow the author or have a grant. */
export interface SharedPage {
  /** Key of the collection. */
  readonly collection: string;
  readonly scope: AccessScope;
  /** Only documents after this id. */
  readonly after: string;
  readonly descending: boolean;
  readonly size: number;
}

export interface KnownIds {
  /** In the order of the list. */
  readonly ids: readonly string[];
  /** Version of the database for which they are valid. */
  readonly version: number;
}

interface Holders {
  has(holder: string): boolean;
}

function firstOf({ ids, holders }: Window, mine: Holders, size: number): string[] {
  const found: string[] = [];
  for (let i = 0; i < ids.length && found.length < size; i++) {
    const id = ids[i] as string;
    if (id !== found.at(-1) && mine.has(holders[i] as string)) found.push(id);
  }
  return found;
}

/** Principals are stored with their actor, so that each caller's are converted once. */
const sets = new WeakMap<readonly Principal[], ReadonlySet<Principal>>();

function setOf(principals: readonly Principal[]): ReadonlySet<Principal> {
  let set = sets.get(principals);
  if (set === undefined) {
    set = new Set(principals);
    sets.set(principals, set);
  }
  return set;
}

/**
 * Finds, in memory, the documents of followed users, or those granted to one of many principals, among the next ones
 * of a collection. In the database, that costs a look-up for each followed user and each principal. But most requests
 * are for the first page, whose documents and grants are the same for all users. The cache is valid for one state of
 * the database. Every commit clears it, so it needs no invalidation rules. While there are more commits than
 * requests, nothing is cached.
 */
export function createDocumentWindows(executor: SqlExecutor) {
  const windows = createBoundedCache<string, Window>(KEPT_WINDOWS);
  const userSets = createBoundedCache<string, ReadonlySet<string> | null>(KEPT_USER_SETS);
  /** Windows that were requested once. The next request makes them worth caching. */
  const asked = new Set<string>();
  let keptOf: number | null = null;

  function forgetOlder(version: number): void {
    if (version === keptOf) return;
    keptOf = version;
    asked.clear();
    windows.clear();
    userSets.clear();
  }

  /**
   * True if rows that were read for this version may be cached. If there was a commit meanwhile, they may be older than
   * what the cache is valid for now, and would show documents to users who can no longer read them.
   */
  const isCurrent = (version: number) => keptOf === version && executor.version() === version;

  /** Returns null if the user follows too many. */
  async function userSetOf(follower: string, version: number): Promise<ReadonlySet<string> | null> {
    const known = userSets.get(follower);
    if (known !== undefined) return known;
    const rows = await executor.read<{ followed: string }>(FOLLOWED, [follower]);
    const userSet = rows.length > MAX_FOLLOWED ? null : new Set(rows.map(({ followed }) => followed));
    if (isCurrent(version)) userSets.set(follower, userSet);
    return userSet;
  }

  /** Returns true from the second request for the window. */
  function isWorthKeeping(key: string): boolean {
    if (windows.get(key) !== undefined || asked.has(key)) return true;
    if (asked.size === MAX_ASKED) asked.clear();
    asked.add(key);
    return false;
  }

  async function read(kind: keyof typeof NEXT, { collection, after, descending }: SharedPage): Promise<Window> {
    const text = descending ? NEXT[kind]('<', ' desc') : NEXT[kind]('>', '');
    const rows = await executor.read<{ id: string; holder: string }>(text, [collection, after]);
    const [ids, holders] = [rows.map(({ id }) => id), rows.map(({ holder }) => holder)];
    return { ids, holders, isLast: rows.length < WINDOW };
  }

  async function find(
    kind: keyof typeof NEXT,
    page: SharedPage,
    mine: (version: number) => Holders | null | Promise<Holders | null>,
  ): Promise<KnownIds | null> {
    const version = executor.version();
    if (version === null) return null;
    forgetOlder(version);
    const key = `${kind} ${page.collection} ${page.descending} ${page.after}`;
    const holders = isWorthKeeping(key) ? await mine(version) : null;
    if (holders === null) return null;
    let window = windows.get(key);
    if (window === undefined) {
      window = await read(kind, page);
      if (isCurrent(version)) windows.set(key, window);
    }
    const ids = firstOf(window, holders, page.size);
    return ids.length === page.size || window.isLast ? { ids, version } : null;
  }

  return {
    /**
     * Returns the first documents of followed users, or null if a look-up for each user is necessary. Callers must
     * then check that the database still has this version.
     */
    async followed(page: SharedPage): Promise<KnownIds | null> {
      const { owner } = page.scope;
      return owner === null ? null : find('authors', page, (version) => userSetOf(owner, version));
    },

    /** Like `followed`, for the documents granted to one of the principals. */
    granted: (page: SharedPage): Promise<KnownIds | null> => find('grants', page, () => setOf(page.scope.principals)),
  };
}
