import { EVERYTHING } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import { collectionKey } from '../collections/collections.ts';
import { pathText } from '../criteria/operands.ts';
import type { Path } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { IndexedSet, StoredIndex } from '../ports/storage/indexes.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { hasPlainSteps, parseIndexPaths } from './index-paths.ts';
import type { Candidate, SearchCost, SearchCosts } from './search-costs.ts';

/** Maximum number of indexes per collection or list, because every write of a row updates each of them. */
const MAX_INDEXES = 16;

/** An index as shown to clients. */
export interface ShownIndex {
  /** Path in the query language. For an index on several fields, a JSON array of their paths. */
  readonly path: string;
  readonly state: StoredIndex['state'];
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

function shown({ paths, state }: StoredIndex): ShownIndex {
  const [first, ...others] = paths.map(pathText);
  return { path: first === undefined || others.length > 0 ? JSON.stringify(paths.map(pathText)) : first, state };
}

/** Maximum number of advised searches. */
const MOST_ADVISED = 20;

/** Returns the best path without an index; null if one with an index helps as much. */
function advisedPath(candidates: readonly Candidate[], declared: ReadonlySet<string>): string | null {
  const has = declared.size === 0 ? undefined : candidates.find(({ path }) => declared.has(JSON.stringify(path)));
  const best = candidates.find(
    ({ path, rank }) => hasPlainSteps(path) && rank < (has?.rank ?? Number.POSITIVE_INFINITY),
  );
  return best === undefined ? null : pathText(best.path);
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

  async function stateOf(of: IndexedSet, paths: readonly Path[]): Promise<ShownIndex> {
    const text = JSON.stringify(paths);
    const found = (await listOf(of)).find((index) => JSON.stringify(index.paths) === text);
    if (found === undefined) throw new AppError('index.not_found');
    return shown(found);
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
     * @throws `admin.required`, `collection.not_found`, `index.path_invalid`, `index.too_many`
     */
    async declare(actor: Actor, { of, path: text }: IndexPlace): Promise<DeclaredIndex> {
      requireAdmin(actor);
      const paths = parseIndexPaths(text, of);
      const name = secrets.uuid(clock.now()).replaceAll('-', '_');
      const result = await storage.indexes.declare({ ...keyed(of), paths, name }, MAX_INDEXES);
      if (result === null) throw new AppError('collection.not_found');
      if (result === 'full') throw new AppError('index.too_many');
      const index = await stateOf(of, paths);
      const isNew = result === 'declared';
      if (index.state === 'ready') return { isNew, index, work: null };
      const work = reconcile().then(() => stateOf(of, paths));
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
      reconcile().catch(() => undefined);
    },
  };
}
