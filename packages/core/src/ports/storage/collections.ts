/** Number of documents of a collection up to which its size is exact. */
export const SAMPLED_DOCUMENTS = 1_000;

export interface Collection {
  /** As spelled at creation. */
  readonly name: string;
  readonly records: number;
  /** Size of all contents, in bytes. */
  readonly size: number;
}

/** The permission a rule grants: creating documents in a collection, or an action on all its documents. */
export type RuleAction = 'create' | 'read' | 'update' | 'delete';

/** Permission of one role, on all documents or on those that match a filter. */
export interface Rule {
  /** Name of the role; its key in a change. */
  readonly role: string;
  /** Text of the filter; null for all documents. */
  readonly condition: string | null;
}

/** Permissions that documents inherit from a parent document. */
export interface ParentRule {
  /** Dotted path of the field with the id of the parent. */
  readonly field: string;
  /** Key of the collection of the parents; null for any. */
  readonly collection: string | null;
  /** Rights on the parent that allow the actions on its children; null if not inherited. */
  readonly needs: { readonly [Action in RuleAction]: ParentAction | null };
  /** Effect of the removal of a parent on its children. */
  readonly onDelete: OnDelete;
}

export type ParentAction = 'read' | 'update' | 'delete' | 'all';
export type OnDelete = 'cascade' | 'restrict' | 'detach';

/** Writes to which checks apply. */
export type CheckedAction = Exclude<RuleAction, 'read'>;

/** Expression that every write of a kind must satisfy. */
export interface Check {
  readonly expression: string;
  /** Error message for a refused write; null for the default. */
  readonly message: string | null;
}

/** Rules of a collection. Rules of an action are ordered by role key, then by condition. */
export interface CollectionRules {
  /** Null: every user may create. */
  readonly create: readonly Rule[] | null;
  readonly read: readonly Rule[];
  readonly update: readonly Rule[];
  readonly delete: readonly Rule[];
  /** Null if documents inherit no permissions. */
  readonly parent: ParentRule | null;
  readonly checks: { readonly [Action in CheckedAction]?: Check };
}

/** A collection without rules: every user creates documents, and permissions come from grants alone. */
export const NO_RULES: CollectionRules = { create: null, read: [], update: [], delete: [], parent: null, checks: {} };

/** Rules to replace, with role keys. Absent ones stay unchanged. */
export type RulesChange = Partial<CollectionRules>;

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
  /**
   * Returns the names of all collections, ordered by key in code-point order. The cost does not depend on the number of
   * documents.
   */
  names(): Promise<string[]>;
  /**
   * Returns all collections, ordered by key in code-point order. If a collection has more than `SAMPLED_DOCUMENTS`
   * documents, its size may be estimated from the newest ones.
   *
   * @throws `search.too_long`
   */
  list(): Promise<Collection[]>;
  /**
   * Removes the collection with its documents, their grants, its rules and its schema.
   *
   * From then on all methods of all stores treat the collection and its documents as absent, and the name is free. A
   * storage may leave it to `Storage.maintain` to remove the rows. Survives a restart, and cannot be undone. Resolves to
   * false if there is no such collection.
   */
  remove(key: string): Promise<boolean>;
  /** Returns the rules of every collection that has some set, by key. */
  rules(): Promise<ReadonlyMap<string, CollectionRules>>;
  /**
   * Replaces the given rules, each role once per condition. Rules follow a role to a new name, and are removed with it.
   * Resolves to all rules before, with role keys, or to null if there is no such collection. Concurrent changes of one
   * collection take effect one after the other.
   *
   * @throws `grant.role_unknown` if a role does not exist
   */
  setRules(key: string, change: RulesChange): Promise<CollectionRules | null>;
  /** Returns the schema version of every collection that has a schema, by key. */
  schemaVersions(): Promise<ReadonlyMap<string, string>>;
  /** Returns the schema; null if there is no such collection, or it has no schema. */
  schema(key: string): Promise<StoredSchema | null>;
  /** Replaces the schema. Resolves to false if there is no such collection. */
  setSchema(key: string, schema: StoredSchema): Promise<boolean>;
  /** Resolves to false if there was none. */
  removeSchema(key: string): Promise<boolean>;
}
