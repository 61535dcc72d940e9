export interface Role {
  /** As it is spelled on the wire. */
  readonly name: string;
  readonly description: string;
  /** Whether it is one of the service's own, which cannot be changed or removed. */
  readonly builtIn: boolean;
}

/** Roles are known by their key: the name in lower case. The built-in ones are there from the start. */
export interface RoleStore {
  findByKey(key: string): Promise<Role | null>;
  /** All of them by key, in code-point order. */
  list(): Promise<Role[]>;
  /** Resolves to false when the key is taken; of concurrent calls with one key exactly one resolves to true. */
  add(role: { readonly name: string; readonly description: string }): Promise<boolean>;
  /**
   * Changes a role; its users and what was granted to it go with a new name. Built-in roles are not touched.
   * Resolves to false when the new name is another role's, to null when there is no such role that can be changed.
   */
  update(key: string, role: { readonly name: string; readonly description: string }): Promise<boolean | null>;
  /**
   * Removes a role and what was granted to it; its users become `registereduser`. Built-in roles are not touched.
   * Resolves to false when there is no such role that can be removed.
   */
  remove(key: string): Promise<boolean>;
}
