export interface Collection {
  /** As it was spelled when the collection was created. */
  readonly name: string;
  readonly records: number;
  /** Bytes of content. */
  readonly size: number;
}

/** Collections are identified by their key: the name in lower case. */
export interface CollectionStore {
  /** Resolves to false when the key is taken; of concurrent calls with one key exactly one resolves to true. */
  add(collection: { readonly id: string; readonly name: string; readonly created: number }): Promise<boolean>;
  /** The name as it was spelled when the collection was created; null when there is none. */
  findName(key: string): Promise<string | null>;
  /** All collections, ordered by key in code-point order. */
  list(): Promise<Collection[]>;
  /** Removes the collection with its documents and their grants. Resolves to false when there was none. */
  remove(key: string): Promise<boolean>;
}
