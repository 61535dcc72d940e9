import { AppError, type SearchIndexStore } from '@baobab/core';

/** Reason for refusing search indexes. */
export const NO_SEARCH = 'the words of documents that Citus distributes are not indexed';

/** Refuses search indexes on a distributed database, whose statements do not find documents by their words. */
export const supportedSearches = (store: SearchIndexStore, isDistributed: () => boolean): SearchIndexStore => ({
  ...store,
  async declare(collection, fields) {
    if (isDistributed()) throw new AppError('search.unsupported', { detail: NO_SEARCH });
    return store.declare(collection, fields);
  },
});
