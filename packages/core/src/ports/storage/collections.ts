export interface Collection {
  /** As spelled at creation. */
  readonly name: string;
  readonly records: number;
  /** Size of all contents, in bytes. */
  readonly size: number;
}

/** The permission a rule grants: creating documents in a collection, or an action on all its documents. */
export type RuleAction = 'create' | 'read' | 'update' | 'delete';

/** Roles in each rule of a collection, as roles are spelled, ordered by key. */
export interface CollectionRules {
  /** Null: every user may create. */
  readonly create: readonly string[] | null;
  readonly read: readonly string[];
  readonly update: readonly string[];
  readonly delete: readonly string[];
}

/** Role keys of each rule to replace. Absent rules stay unchanged. */
export type RulesChange = { readonly [Action in RuleAction]?: readonly string[] };

/** Schema of a collection. */
export interface StoredSchema {
  /** Unique among all schemas ever stored. */
  readonly version: string;
  /** JSON text. */
  readonly content: string;
}

/** Collections are identified by key: the name in lower case. */
export interface CollectionStore {
  /** Resolves to false if the key is taken. Of concurrent calls with one key exactly one resolves to true. */
  add(collection: { readonly id: string; readonly name: string; readonly created: number }): Promise<boolean>;
  /** Returns the name as spelled at creation; null if there is no such collection. */
  findName(key: string): Promise<string | null>;
  /** Returns the keys of all collections in code-point order. The cost does not depend on the number of documents. */
  keys(): Promise<readonly string[]>;
  /**
   * Returns the names of all collections, ordered by key in code-point order. The cost does not depend on the number of
   * documents.
   */
  names(): Promise<string[]>;
  /** Returns all collections, ordered by key in code-point order. Reads every document. */
  list(): Promise<Collection[]>;
  /**
   * Returns the number of rows that `remove` would remove, counted up to `most`: documents, their grants, and
   * change-feed entries of removed documents. 0 if there is no such collection.
   */
  weigh(key: string, most: number): Promise<number>;
  /**
   * Removes the collection with its documents, their grants, its rules and its schema. Resolves to false if there was
   * none.
   */
  remove(key: string): Promise<boolean>;
  /**
   * Begins to remove a collection that is too large for one transaction. From then on all methods of all stores treat
   * the collection and its documents as absent, and the name is free; only `UserStore.weigh` still counts the
   * documents. Survives a restart, and cannot be undone. Resolves to the ids to pass to `removePart`, or to null if
   * there is no such collection.
   */
  beginRemoval(key: string): Promise<readonly string[] | null>;
  /**
   * Removes up to about `limit` rows left by `beginRemoval`. A document is removed together with all its grants.
   * Concurrent calls for one id are harmless. Resolves to false if nothing is left, and for other ids.
   */
  removePart(id: string, limit: number): Promise<boolean>;
  /** Returns up to `limit` ids left by `beginRemoval`, in ascending order. */
  removalsBegun(limit: number): Promise<string[]>;
  /** Returns the rules of every collection that has some set, by key. */
  rules(): Promise<ReadonlyMap<string, CollectionRules>>;
  /**
   * Replaces the given rules, each role once. Rules follow a role to a new name, and lose a removed role. Resolves to
   * the previous values of the replaced rules (none for a rule that was not set), or to null if there is no such
   * collection. Concurrent changes of one collection take effect one after the other.
   *
   * @throws `grant.role_unknown` if a role does not exist
   */
  setRules(key: string, change: RulesChange): Promise<RulesChange | null>;
  /** Returns the schema version of every collection that has a schema, by key. */
  schemaVersions(): Promise<ReadonlyMap<string, string>>;
  /** Returns the schema; null if there is no such collection, or it has no schema. */
  schema(key: string): Promise<StoredSchema | null>;
  /** Replaces the schema. Resolves to false if there is no such collection. */
  setSchema(key: string, schema: StoredSchema): Promise<boolean>;
  /** Resolves to false if there was none. */
  removeSchema(key: string): Promise<boolean>;
}
