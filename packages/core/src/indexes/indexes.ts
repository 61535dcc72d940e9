import { EVERYTHING } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { type Candidate, isPlain, pathIn } from '../criteria/indexed-path.ts';
import { documentColumn } from '../criteria/names.ts';
import { indexedPathText } from '../criteria/operands.ts';
import type { IndexedPath, Path } from '../criteria/syntax.ts';
import { haveValues } from '../criteria/unique-values.ts';
import { AppError } from '../errors.ts';
import { contentPointer } from '../json-pointer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { IndexedSet, StoredIndex } from '../ports/storage/indexes.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { hasPlainSteps, parseIndexPaths } from './index-paths.ts';
import type { SearchCost, SearchCosts } from './search-costs.ts';

/** Maximum number of indexes per collection or list, because every write of a row updates each of them. */
const MAX_INDEXES = 16;

/** An index as shown to clients. */
export interface ShownIndex {
  /** Path in the query language. For an index on several fields, a JSON array of their paths. */
  readonly path: string;
  readonly state: StoredIndex['state'];
  /** True if no two documents may have the same values. */
  readonly unique: boolean;
}

/** Cost of searches in this process, with the index that would help. Contains no searched values. */
export interface IndexAdvice {
  /** Start of counting, in milliseconds. */
  readonly since: number;
  /** Maximum number of documents that each search reads. */
  readonly documents: number;
  /** Slowest first. */
  readonly criteria: readonly AdvisedCriteria[];
}

interface AdvisedCriteria extends Omit<SearchCost, 'candidates'> {
  /** Path whose index would help most; null if there is none, or if the search has an index that helps as much. */
  readonly index: string | null;
}

export interface IndexPlace {
  /** A collection by name, or another list. */
  readonly of: IndexedSet;
  /** See `ShownIndex`. */
  readonly path: string;
}

export interface DeclaredIndex {
  readonly isNew: boolean;
  readonly index: ShownIndex;
  /** Resolves to the index when the work on it ends; null if no work is needed. */
  readonly work: Promise<ShownIndex> | null;
}

export interface IndexesDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly searchCosts: SearchCosts;
}

export type Indexes = ReturnType<typeof createIndexes>;

function shown({ paths, state, isUnique: unique }: StoredIndex): ShownIndex {
  const [first, ...others] = paths.map(indexedPathText);
  return {
    path: first === undefined || others.length > 0 ? JSON.stringify(paths.map(indexedPathText)) : first,
    state,
    unique,
  };
}

const unsupported = (detail: string) => new AppError('index.unique_unsupported', { detail });

/** Number of groups of documents with the same values to look at. */
const MOST_GROUPS = 100;
/** Maximum number of documents to list in an error. */
const MOST_DUPLICATES = 20;

/** @throws `document.duplicate` */
function refuseDuplicates(paths: readonly Path[], ids: readonly string[]): void {
  const [first] = ids;
  if (first === undefined) return;
  const message = `the same in ${ids.join(', ')}`;
  const problems = paths.map((path) => ({ path: contentPointer(path), message }));
  throw new AppError('document.duplicate', { problems, beside: { id: first } });
}

/** Maximum number of advised searches. */
const MOST_ADVISED = 20;

/** Returns the best path without an index; null if one with an index helps as much. */
function advisedPath(candidates: readonly Candidate[], declared: ReadonlySet<string>): string | null {
  const has = declared.size === 0 ? undefined : candidates.find(({ path }) => declared.has(JSON.stringify(path)));
  const best = candidates.find(
    ({ path, rank }) => hasPlainSteps(pathIn(path)) && rank < (has?.rank ?? Number.POSITIVE_INFINITY),
  );
  return best === undefined ? null : indexedPathText(best.path);
}

/** Returns the same set, with a collection's key in place of its name. */
const keyed = (of: IndexedSet): IndexedSet => ('list' in of ? of : { collection: collectionKey(of.collection) });

/** Indexes on values of documents, users, files and assets, for filtering and sorting lists. */
export function createIndexes({ storage, secrets, clock, logger, searchCosts }: IndexesDeps) {
  /** Builds and drops indexes in the background, even if no request waits for it. */
  async function reconcile(): Promise<void> {
    try {
      await storage.indexes.reconcile();
    } catch (err) {
      logger.warn({ err }, 'indexes not reconciled, retrying later');
      throw err;
    }
  }

  async function listOf(of: IndexedSet): Promise<StoredIndex[]> {
    const indexes = await storage.indexes.list(keyed(of));
    if (indexes === null) throw new AppError('collection.not_found');
    return indexes;
  }

  async function stateOf(of: IndexedSet, paths: readonly IndexedPath[]): Promise<ShownIndex> {
    const text = JSON.stringify(paths);
    const found = (await listOf(of)).find((index) => JSON.stringify(index.paths) === text);
    if (found === undefined) throw new AppError('index.not_found');
    return shown(found);
  }

  /** Drops the cached policies of a collection on all nodes. */
  async function announce(of: IndexedSet): Promise<void> {
    if ('list' in of) return;
    await storage.transaction((stores) =>
      stores.announcer.announce({ topic: 'collections', key: collectionKey(of.collection) }),
    );
  }

  /** Returns the first documents with the same values, empty if there are none. Reads all documents. */
  async function duplicatesIn(collection: string, paths: readonly Path[]): Promise<readonly string[]> {
    const among = { collection: collectionKey(collection), scope: EVERYTHING };
    const count = { kind: 'aggregate', name: 'count', path: null, as: 'n' } as const;
    const areScalars = paths.map(
      (path) => ({ kind: 'not', condition: { kind: 'null', operand: { kind: 'path', path } } }) as const,
    );
    const summary = { where: { kind: 'and', conditions: areScalars } as const, groupBy: paths, aggregates: [count] };
    const order = [{ column: paths.length, descending: true }];
    const rows =
      (await storage.documents.summarize({ ...among, ...summary, order, skip: 0, limit: MOST_GROUPS })) ?? [];
    for (const row of rows) {
      const values = row.slice(0, -1).filter((value) => value !== null);
      if (Number(row.at(-1)) < 2 || values.length < paths.length) continue;
      const list = { where: haveValues(paths, values), order: [], after: null, skip: 0, limit: MOST_DUPLICATES };
      const found = (await storage.documents.list({ ...among, ...list })) ?? [];
      if (found.length > 1) return found.map(({ id }) => id);
    }
    return [];
  }

  /** @throws `index.unique_unsupported`, `document.duplicate` */
  async function assertCanBeUnique(of: IndexedSet, paths: readonly IndexedPath[]): Promise<void> {
    if ('list' in of) throw unsupported('only indexes of documents can be');
    if (!paths.every(isPlain)) throw unsupported('it is on a text in lower case');
    if (paths.some(([first]) => documentColumn(first) !== null)) throw unsupported('it ends with _creation_date');
    refuseDuplicates(paths, await duplicatesIn(of.collection, paths));
  }

  /** Resolves when the index is built. @throws `document.duplicate` */
  async function built(of: IndexedSet, paths: readonly IndexedPath[], isUnique: boolean | null): Promise<ShownIndex> {
    await reconcile();
    const index = await stateOf(of, paths);
    if (isUnique !== true || 'list' in of) return index;
    if (!index.unique) {
      // Documents that were written meanwhile.
      const plain = paths.filter(isPlain);
      refuseDuplicates(plain, await duplicatesIn(of.collection, plain));
      throw new AppError('document.duplicate');
    }
    await announce(of);
    return index;
  }

  return {
    /** @throws `admin.required`, `collection.not_found` */
    async list(actor: Actor, of: IndexedSet): Promise<ShownIndex[]> {
      requireAdmin(actor);
      return (await listOf(of)).map(shown);
    },

    /** @throws `admin.required`, `collection.not_found`, `index.path_invalid`, `index.not_found` */
    async read(actor: Actor, { of, path }: IndexPlace): Promise<ShownIndex> {
      requireAdmin(actor);
      return stateOf(of, parseIndexPaths(path, of));
    },

    /**
     * Returns the searches that took longest in this process, each with the index that would help most.
     *
     * @throws `admin.required`, `collection.not_found`
     */
    async advise(actor: Actor, collection: string): Promise<IndexAdvice> {
      requireAdmin(actor);
      const key = collectionKey(collection);
      const declared = new Set((await listOf({ collection })).map(({ paths: [first] }) => JSON.stringify(first)));
      const criteria = searchCosts.of(key).slice(0, MOST_ADVISED);
      return {
        since: searchCosts.since,
        documents: (await storage.documents.count(key, EVERYTHING, null)) ?? 0,
        criteria: criteria.map(({ candidates, ...cost }) => ({ ...cost, index: advisedPath(candidates, declared) })),
      };
    },

    /**
     * Declares an index, and starts to build it unless it is ready.
     *
     * @param declared `unique`: null keeps what an existing index has
     * @throws `admin.required`, `collection.not_found`, `document.duplicate`, `index.path_invalid`, `index.too_many`,
     * `index.unique_unsupported`
     */
    async declare(
      actor: Actor,
      { of, path: text, unique: isUnique = null }: IndexPlace & { readonly unique?: boolean | null },
    ): Promise<DeclaredIndex> {
      requireAdmin(actor);
      const paths = parseIndexPaths(text, of);
      if (isUnique === true) await assertCanBeUnique(of, paths);
      const name = secrets.uuid(clock.now()).replaceAll('-', '_');
      const result = await storage.indexes.declare({ ...keyed(of), paths, name, isUnique }, MAX_INDEXES);
      if (result === 'spread') throw unsupported('the documents of this collection are spread over several nodes');
      if (result === null) throw new AppError('collection.not_found');
      if (result === 'full') throw new AppError('index.too_many');
      const index = await stateOf(of, paths);
      const isNew = result === 'declared';
      if (isUnique !== null) await announce(of);
      const mayDrop = isUnique === false && !isNew;
      if (index.state === 'ready' && !mayDrop) return { isNew, index, work: null };
      const work = built(of, paths, isUnique);
      // The client may have disconnected, leaving the rejection unhandled.
      work.catch(() => undefined);
      return { isNew, index, work };
    },

    /** Removes an index. Queries soon stop using it, and it is dropped. @throws as `read` */
    async remove(actor: Actor, { of, path }: IndexPlace): Promise<void> {
      requireAdmin(actor);
      const removed = await storage.indexes.remove(keyed(of), parseIndexPaths(path, of));
      if (removed === null) throw new AppError('collection.not_found');
      if (!removed) throw new AppError('index.not_found');
      await announce(of);
      reconcile().catch(() => undefined);
    },
  };
}
