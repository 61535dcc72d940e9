import type { CollectionStore, DocumentStore, SearchIndexStore, SignalFeed, Stores } from '@baobab/core';
import type { SqlExecutor } from '../../sql/statements/executor.ts';
import type { Send } from '../send.ts';
import { createCollectionIds } from './collection-ids.ts';
import { distributedCollections } from './collections.ts';
import { isDistributed } from './detect.ts';
import { distributedExecutor } from './executor.ts';
import { supportedSearches } from './searches.ts';
import { createSpreadLists, type Lists } from './spread-lists.ts';
import { createTurns, type Placing, takingTurns } from './turns.ts';

/** Runs statements according to the distribution of documents by Citus. */
export interface Distribution {
  readonly isActive: boolean;
  /** True after the first detection. */
  readonly isKnown: boolean;
  /** Detects the distribution again. */
  detect(send: Send): Promise<void>;
  /** Wraps an executor whose statements run in their own transactions. */
  over(executor: SqlExecutor): SqlExecutor;
  /** Runs a transaction. @param transact receives the wrapper for the executor of each attempt; may be called again */
  transaction<T>(transact: (placed: Placing) => Promise<T>): Promise<T>;
  /** Wraps a store so that its lists include spread collections. @param executor see `over` */
  withLists(store: DocumentStore, executor: SqlExecutor): DocumentStore;
  withCollections(store: CollectionStore): CollectionStore;
  /** Wraps a store so that it refuses search indexes on distributed documents. */
  withSearchIndexes(store: SearchIndexStore): SearchIndexStore;
  /** Like `withLists` and `withCollections`, for the stores of a transaction. @param executor see `transaction` */
  withinLists(stores: Stores, executor: SqlExecutor): Stores;
}

interface DistributionOptions {
  signals(): SignalFeed;
  /** Called when documents become distributed. */
  activated(): void;
  /** Maximum number of transactions that wait for their turn. */
  readonly maxWaiting: number;
  /** Maximum wait for a turn, in milliseconds. */
  readonly timeout: number;
}

export function createDistribution({ signals, activated, ...limits }: DistributionOptions): Distribution {
  const ids = createCollectionIds(signals);
  const turns = createTurns(limits);
  let isActive = false;
  let isKnown = false;

  function over(plain: SqlExecutor): SqlExecutor {
    const distributed = distributedExecutor(takingTurns(plain, turns), ids, false);
    const current = () => (isActive ? distributed : plain);
    return {
      ...plain,
      read: (sql, params, bound) => current().read(sql, params, bound),
      readOne: (sql, params) => current().readOne(sql, params),
      search: (sql, params, bound) => current().search(sql, params, bound),
      write: (sql, params) => current().write(sql, params),
      change: (sql, params) => current().change(sql, params),
      atomic: (work) => current().atomic(work),
      snapshot: (work) => current().snapshot(work),
      joinsDocuments: () => current().joinsDocuments(),
    };
  }

  function withLists(store: DocumentStore, executor: SqlExecutor, isTransaction: boolean): DocumentStore {
    const spread = createSpreadLists(executor, ids, isTransaction);
    /** Returns null if the collection is not spread or does not exist. */
    async function spreadBy(key: string) {
      const found = await ids.byKey(executor, key);
      return found === null || found.slices.length === 0 ? null : found;
    }
    const lists: Lists = {
      async list(request) {
        const collection = await spreadBy(request.collection);
        return collection === null ? store.list(request) : spread.list(collection, request);
      },
      async count(key, scope, where) {
        const collection = await spreadBy(key);
        return collection === null ? store.count(key, scope, where) : spread.count(collection, key, scope, where);
      },
      async summarize(summary) {
        const collection = await spreadBy(summary.collection);
        return collection === null ? store.summarize(summary) : spread.summarize(collection, summary);
      },
    };
    const current = (): Lists => (isActive ? lists : store);
    return {
      ...store,
      list: (request) => current().list(request),
      count: (key, scope, where) => current().count(key, scope, where),
      summarize: (summary) => current().summarize(summary),
    };
  }

  const withCollections = (store: CollectionStore) => distributedCollections(store, ids, () => isActive);

  return {
    get isActive() {
      return isActive;
    },
    get isKnown() {
      return isKnown;
    },
    async detect(send) {
      if (isActive) return;
      const found = await isDistributed(send);
      isKnown = true;
      // Of two concurrent detections, one may have started before the documents were distributed.
      if (!found || isActive) return;
      isActive = true;
      activated();
    },
    over,
    withLists: (store, executor) => withLists(store, executor, false),
    withCollections,
    withSearchIndexes: (store) => supportedSearches(store, () => isActive),
    withinLists(stores, executor) {
      if (!isActive) return stores;
      return Object.create(stores, {
        documents: { get: () => withLists(stores.documents, executor, true) },
        collections: { get: () => withCollections(stores.collections) },
      });
    },
    transaction(transact) {
      if (!isActive) return transact((executor) => executor);
      return turns.run((placed) => transact((executor) => distributedExecutor(placed(executor), ids, true)));
    },
  };
}
