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
}
