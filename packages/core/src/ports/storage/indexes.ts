import type { Path } from '../../criteria/syntax.ts';

/** The lists, besides those of documents, that indexes serve. */
export const INDEXED_LISTS = ['users', 'files', 'assets'] as const;
export type IndexedList = (typeof INDEXED_LISTS)[number];

/** What an index sorts: the documents of a collection, or all rows of another list. */
export type IndexedSet = { readonly collection: string } | { readonly list: IndexedList };

export interface StoredIndex {
  /**
   * One or two paths by whose values it sorts, one after the other. Rows with equal values are sorted by their ids. Those
   * have the order of creation, so for documents that field may end the paths.
   */
  readonly paths: readonly Path[];
  /** Queries use the index once it is ready; it affects only their speed. */
  readonly state: 'building' | 'ready';
}

/** Declares indexes, and builds or drops them to match the declarations. */
export interface IndexStore {
  /** The declared indexes: those on one path in the order of their paths, then the others; null when there is no such collection. */
  list(of: IndexedSet): Promise<StoredIndex[] | null>;
  /**
   * Declares an index, which `reconcile` then builds. Of concurrent calls for the same paths one resolves to `declared`.
   *
   * @param index `paths`: see `canIndex`; `name`: lower case letters, digits and `_`; unique among all indexes
   * @param most the maximum number of indexes of a set; resolves to `full` when it is reached
   * @returns null when there is no such collection
   */
  declare(
    index: IndexedSet & { readonly paths: readonly Path[]; readonly name: string },
    most: number,
  ): Promise<'declared' | 'exists' | 'full' | null>;
  /** Removes a declaration. Resolves to false when there was none, to null when there is no such collection. */
  remove(of: IndexedSet, paths: readonly Path[]): Promise<boolean | null>;
  /**
   * Makes the indexes match the declarations: builds those that are missing or half-built, and drops those that are no
   * longer declared. It may take long; meanwhile everything can be read, and written too, though writes may wait. Safe on
   * several nodes at once, and safe to call again after an interruption.
   */
  reconcile(): Promise<void>;
}
