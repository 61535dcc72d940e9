import { AppError, type CollectionStore } from '@baobab/core';
import type { CollectionIds } from './collection-ids.ts';

/** Reason for refusing rules with parents: a distributed database joins no documents of two collections. */
export const NO_PARENTS = 'documents that Citus distributes cannot inherit permissions from another collection';

/** Wraps a store of collections whose documents may be distributed. */
export function distributedCollections(
  collections: CollectionStore,
  ids: CollectionIds,
  isDistributed: () => boolean,
): CollectionStore {
  /** Drops the cached ids after a change. */
  const forgetting =
    <Args extends readonly unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      change(...args).finally(ids.forget);
  return {
    ...collections,
    add: forgetting(collections.add),
    remove: forgetting(collections.remove),
    async setRules(key, change) {
      if (isDistributed() && change.parent != null) {
        throw new AppError('rule.unsupported', { detail: NO_PARENTS, input: '/parent' });
      }
      return collections.setRules(key, change);
    },
  };
}
