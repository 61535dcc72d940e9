import type { Path } from '../../criteria/syntax.ts';

/** Lists, besides those of documents, that can have indexes. */
export const INDEXED_LISTS = ['users', 'files', 'assets'] as const;
export type IndexedList = (typeof INDEXED_LISTS)[number];

/** Rows covered by an index: the documents of a collection, or all rows of another list. */
export type IndexedSet = { readonly collection: string } | { readonly list: IndexedList };

export interface StoredIndex {
  /**
   * One or two paths by whose values the index sorts, in this order. Rows with equal values are sorted by id. Ids have
   * the order of creation, so for documents the creation time may be the last path.
   */
  readonly paths: readonly Path[];
  /** Queries use the index once it is ready. It affects only their speed. */
  readonly state: 'building' | 'ready';
}

/** Declares indexes, and builds or drops them to match the declarations. */
export interface IndexStore {
  /**
   * Returns the declared indexes: those on one path in path order, then the others; null if there is no such
   * collection.
   */
  list(of: IndexedSet): Promise<StoredIndex[] | null>;
  /**
   * Declares an index, to be built by `reconcile`. Of concurrent calls for the same paths one resolves to `declared`.
   *
   * @param index `paths`: see `canIndex`; `name`: lower case letters, digits and `_`; unique among all indexes
   * @param most maximum number of indexes of a set; resolves to `full` once it is reached
   * @returns null if there is no such collection
   */
  declare(
    index: IndexedSet & { readonly paths: readonly Path[]; readonly name: string },
    most: number,
  ): Promise<'declared' | 'exists' | 'full' | null>;
  /** Removes a declaration. Resolves to false if there was none, to null if there is no such collection. */
  remove(of: IndexedSet, paths: readonly Path[]): Promise<boolean | null>;
  /**
   * Makes the indexes match the declarations: builds missing and half-built ones, and drops undeclared ones. It may
   * take long. Meanwhile everything can be read and written, though writes may wait. Safe to run on several nodes
   * concurrently, and safe to call again after an interruption.
   */
  reconcile(): Promise<void>;
}
