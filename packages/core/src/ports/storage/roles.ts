export interface Role {
  /** In the spelling that clients see. */
  readonly name: string;
  readonly description: string;
  /** Whether it is built in; built-in roles cannot be changed or removed. */
  readonly builtIn: boolean;
}

/** Roles are identified by their key: the name in lower case. The built-in roles exist from the start. */
export interface RoleStore {
  findByKey(key: string): Promise<Role | null>;
  /** All roles, ordered by key in code-point order. */
  list(): Promise<Role[]>;
  /** Resolves to false when the key is taken; of concurrent calls with one key exactly one resolves to true. */
  add(role: { readonly name: string; readonly description: string }): Promise<boolean>;
  /**
   * Changes a role; its users and the grants to it follow a new name. Built-in roles are not changed. Resolves to false
   * when the new name belongs to another role, to null when there is no such role that can be changed.
   */
  update(key: string, role: { readonly name: string; readonly description: string }): Promise<boolean | null>;
  /**
   * Removes a role and the grants to it; its users get the role `registereduser`, and the change feed marks changed visibility for them.
   * Built-in roles are not removed. Resolves to false when there is no such role that can be removed.
   */
  remove(key: string): Promise<boolean>;
}
