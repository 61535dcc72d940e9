import type { SearchField, SearchIndex } from '../../criteria/full-text/stored-words.ts';

export interface StoredSearchIndex extends SearchIndex {
  /** Searches are possible once it is ready. */
  readonly state: 'building' | 'ready';
}

/**
 * Declares which fields of a collection full-text searches find. The words of documents are stored with them, see
 * `DocumentStore`; `IndexStore.reconcile` adds those of the documents that existed before, and removes those that are
 * no longer needed.
 */
export interface SearchIndexStore {
  /** Returns the search indexes of all collections, by key. */
  all(): Promise<ReadonlyMap<string, StoredSearchIndex>>;
  /** Returns the search index of a collection; null if there is none, or no such collection. */
  find(collection: string): Promise<StoredSearchIndex | null>;
  /**
   * Sets the searched fields, to be built by `reconcile`. The same fields as before change nothing; others have another
   * number. Returns null if there is no such collection.
   */
  declare(collection: string, fields: readonly SearchField[]): Promise<StoredSearchIndex | null>;
  /** Removes the search index. Resolves to false if there was none, or no such collection. */
  remove(collection: string): Promise<boolean>;
}
