import type { Path } from '../../criteria/syntax.ts';

/** An index on the values at a path, over the documents of one collection. */
export interface CollectionIndex {
  readonly path: Path;
  /** Queries use the index once it is ready; it affects only their speed. */
  readonly state: 'building' | 'ready';
}

/** Declares indexes, and builds or drops them to match the declarations. */
export interface IndexStore {
  /** The declared indexes in the order of their paths; null when there is no such collection. */
  list(collection: string): Promise<CollectionIndex[] | null>;
  /**
   * Declares an index, which `reconcile` then builds. Of concurrent calls for one path one resolves to `declared`.
   *
   * @param index `name`: lower case letters, digits and `_`; unique among all indexes
   * @param most the maximum number of indexes of a collection; resolves to `full` when it is reached
   * @returns null when there is no such collection
   */
  declare(
    index: { readonly collection: string; readonly path: Path; readonly name: string },
    most: number,
  ): Promise<'declared' | 'exists' | 'full' | null>;
  /** Removes a declaration. Resolves to false when there was none, to null when there is no such collection. */
  remove(collection: string, path: Path): Promise<boolean | null>;
  /**
   * Makes the indexes match the declarations: builds those that are missing or half-built, and drops those that are no
   * longer declared. It may take long; meanwhile documents can be read, and written too, though writes may wait. Safe on
   * several nodes at once, and safe to call again after an interruption.
   */
  reconcile(): Promise<void>;
}
