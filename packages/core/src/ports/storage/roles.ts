export interface Role {
  /** As spelled for clients. */
  readonly name: string;
  readonly description: string;
  /** True if it is built in. Built-in roles cannot be changed or removed. */
  readonly builtIn: boolean;
}

/** Roles are identified by key: the name in lower case. The built-in roles always exist. */
export interface RoleStore {
  findByKey(key: string): Promise<Role | null>;
  /** Returns all roles, ordered by key in code-point order. */
  list(): Promise<Role[]>;
  /**
   * Adds a role without grants: those left of a former role with this key are removed. Resolves to false if the key is
   * taken. Of concurrent calls with one key exactly one resolves to true.
   */
  add(role: { readonly name: string; readonly description: string }): Promise<boolean>;
  /**
   * Changes a role. Its users and the grants to it follow a new name; grants left of a former role with that name are
   * removed. Built-in roles are not changed. Resolves to false if the new name belongs to another role, to null if
   * there is no such role that can be changed.
   */
  update(key: string, role: { readonly name: string; readonly description: string }): Promise<boolean | null>;
  /**
   * Removes a role and the grants to it. Its users get the role `registereduser`, and the change feed marks changed
   * visibility for them. Built-in roles are not removed. Resolves to false if there is no such role that can be
   * removed.
   */
  remove(key: string): Promise<boolean>;
}
