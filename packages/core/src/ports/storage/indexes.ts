import type { IndexedPath, Path } from '../../criteria/syntax.ts';

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
  readonly paths: readonly IndexedPath[];
  /** Queries use the index once it is ready. */
  readonly state: 'building' | 'ready';
  /**
   * True if no two documents may have the same values at its paths. Values are the same if `where` finds them equal:
   * documents without a scalar at one of the paths are exempt. Always false for other lists.
   */
  readonly isUnique: boolean;
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
   * If the index exists, `isUnique` replaces whether it is unique, unless it is null. A unique index may reject writes
   * before it is ready, see `DocumentStore`.
   *
   * @param index `paths`: see `canIndex`, texts in lower case only for documents, and not if it is unique; `name`: lower case letters, digits and `_`; unique among all indexes
   * @param most maximum number of indexes of a set; resolves to `full` once it is reached
   * @returns null if there is no such collection; `spread` for a unique index on a collection whose documents are on
   * several nodes, where nothing can enforce it
   */
  declare(
    index: IndexedSet & {
      readonly paths: readonly IndexedPath[];
      readonly name: string;
      readonly isUnique?: boolean | null;
    },
    most: number,
  ): Promise<'declared' | 'exists' | 'full' | 'spread' | null>;
  /** Returns the paths of all unique indexes that are ready, by the key of their collection. */
  unique(): Promise<ReadonlyMap<string, readonly (readonly Path[])[]>>;
  /** Removes a declaration. Resolves to false if there was none, to null if there is no such collection. */
  remove(of: IndexedSet, paths: readonly IndexedPath[]): Promise<boolean | null>;
  /**
   * Makes the indexes match the declarations: builds missing and half-built ones, and drops undeclared ones. It also
   * stores or removes the words of documents, as search indexes require. It may
   * take long. Meanwhile everything can be read and written, though writes may wait. Safe to run on several nodes
   * concurrently, and safe to call again after an interruption. An index becomes an ordinary one if documents have the
   * same values.
   */
  reconcile(): Promise<void>;
}
