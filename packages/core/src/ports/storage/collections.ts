export interface Collection {
  /** As it was spelled when the collection was created. */
  readonly name: string;
  readonly records: number;
  /** Bytes of content. */
  readonly size: number;
}

/** What a rule is about: creating documents in a collection, or a right on all its documents. */
export type RuleAction = 'create' | 'read' | 'update' | 'delete';

/** The roles that each rule of a collection names, as roles are spelled, ordered by their keys. */
export interface CollectionRules {
  /** Null: every user may create. */
  readonly create: readonly string[] | null;
  readonly read: readonly string[];
  readonly update: readonly string[];
  readonly delete: readonly string[];
}

/** The keys of the roles of each rule to replace; rules that are absent stay. */
export type RulesChange = { readonly [Action in RuleAction]?: readonly string[] };

/** The schema of a collection. */
export interface StoredSchema {
  /** Unique for each schema that was ever stored. */
  readonly version: string;
  /** JSON text. */
  readonly content: string;
}

/** Collections are identified by their key: the name in lower case. */
export interface CollectionStore {
  /** Resolves to false when the key is taken; of concurrent calls with one key exactly one resolves to true. */
  add(collection: { readonly id: string; readonly name: string; readonly created: number }): Promise<boolean>;
  /** The name as it was spelled when the collection was created; null when there is none. */
  findName(key: string): Promise<string | null>;
  /** The keys of all collections in code-point order. Costs nothing per document. */
  keys(): Promise<readonly string[]>;
  /** The names of all collections, ordered by key in code-point order. Costs nothing per document. */
  names(): Promise<string[]>;
  /** All collections, ordered by key in code-point order. Reads every document. */
  list(): Promise<Collection[]>;
  /**
   * How many rows `remove` would remove, counted up to `most`: documents, their grants, and what the change feed keeps of
   * documents that are gone. 0 when there is no such collection.
   */
  weigh(key: string, most: number): Promise<number>;
  /** Removes the collection with its documents, their grants, its rules and its schema. Resolves to false when there was none. */
  remove(key: string): Promise<boolean>;
  /**
   * Begins to remove a collection that is too large for one transaction. For all other methods, of all stores, there is no
   * such collection any more, nor any of its documents, and the name is free; only `UserStore.weigh` still counts the
   * documents. Survives a restart, and cannot be undone. Resolves to the ids of what `removePart` removes, or to null when
   * there is no such collection.
   */
  beginRemoval(key: string): Promise<readonly string[] | null>;
  /**
   * Removes up to about `limit` rows of what `beginRemoval` has left: a document goes together with its grants, however many
   * it has. Concurrent calls for one id are harmless. Resolves to false when nothing is left, and for other ids.
   */
  removePart(id: string, limit: number): Promise<boolean>;
  /** Up to `limit` ids of what `beginRemoval` has left, in ascending order. */
  removalsBegun(limit: number): Promise<string[]>;
  /** The rules of every collection for which some were set, by key. */
  rules(): Promise<ReadonlyMap<string, CollectionRules>>;
  /**
   * Replaces the given rules, each role once. They follow a role to a new name, and lose a role that is removed.
   * Resolves to the replaced rules as they were before (none for a rule that was not set), or to null when there is no
   * such collection. Concurrent changes of one collection take effect one after the other.
   *
   * @throws `grant.role_unknown` when a role does not exist
   */
  setRules(key: string, change: RulesChange): Promise<RulesChange | null>;
  /** The version of the schema of every collection that has one, by key. */
  schemaVersions(): Promise<ReadonlyMap<string, string>>;
  /** Null when there is no such collection, or it has no schema. */
  schema(key: string): Promise<StoredSchema | null>;
  /** Replaces the schema. Resolves to false when there is no such collection. */
  setSchema(key: string, schema: StoredSchema): Promise<boolean>;
  /** Resolves to false when there was none. */
  removeSchema(key: string): Promise<boolean>;
}
