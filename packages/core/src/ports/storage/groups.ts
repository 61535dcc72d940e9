export interface Group {
  /** UUID, time-ordered; never reused. */
  readonly id: string;
  /** Not unique. */
  readonly name: string;
  /** In milliseconds. */
  readonly created: number;
}

export type GroupRole = 'owner' | 'manager' | 'member';

/** A group as seen by a user. */
export interface OwnGroup extends Group {
  /** The user's role in it; null for non-members. */
  readonly role: GroupRole | null;
}

export interface GroupMember {
  readonly userId: string;
  readonly name: string;
  readonly role: GroupRole;
}

export interface CountedGroup extends Group {
  /** Number of members. */
  readonly members: number;
}

/** Start of a membership. */
export interface Joining {
  /** In milliseconds. */
  readonly joined: number;
  /** True if the user created the group or accepted to join. Only such memberships count toward the user's limit. */
  readonly counted: boolean;
}

/** Number of groups that a user is in. */
export interface GroupCounts {
  /** Groups that the user created or accepted to join. */
  readonly counted: number;
  /** Groups that other users added the user to. */
  readonly given: number;
}

/** A page of rows in id order. */
export interface RowPage {
  /** Returns only rows with a greater id; null from the beginning. */
  readonly after: string | null;
  readonly skip: number;
  readonly limit: number;
}

/**
 * Groups of users, to which rights can be granted. The groups of a user are read together with the session. Permissions
 * and limits are enforced by the use cases, which lock the user and then the group before they check and change
 * anything.
 */
export interface GroupStore {
  /**
   * Stores a group whose only member is its owner, joined at its creation; this membership counts. @throws
   * `user.not_found`
   */
  add(group: Group, ownerId: string): Promise<void>;
  /** Returns the group with the role of a user in it; null if there is no such group. One read. */
  find(id: string, userId: string | null): Promise<OwnGroup | null>;
  /** Returns up to `limit` groups that a user is in, in order of creation. */
  ofUser(userId: string, limit: number): Promise<OwnGroup[]>;
  /** Returns all groups, in order of creation. */
  list(page: RowPage): Promise<CountedGroup[]>;
  /** Returns the members by user id, that is in order of sign-up. */
  members(id: string, page: RowPage): Promise<GroupMember[]>;
  /** Returns the number of members. */
  size(id: string): Promise<number>;
  /**
   * Locks a user until the surrounding transaction ends, so that they are not removed and join no other group. Resolves
   * to the user's name and group counts, or to null if there is no such user.
   */
  lockUser(userId: string): Promise<(GroupCounts & { readonly name: string }) | null>;
  /** Locks a group and its members until the surrounding transaction ends. Resolves to false if there is none. */
  lock(id: string): Promise<boolean>;
  /** Resolves to false if there is no such group. */
  rename(id: string, name: string): Promise<boolean>;
  /**
   * Removes the group, and marks changed visibility for its members in the change feed. From then on it has no members,
   * cannot receive grants, and `grantsOn` omits its existing ones. `Storage.maintain` removes those, because they may
   * be too many for one transaction. Survives a restart. Resolves to false if there is no such group.
   */
  remove(id: string): Promise<boolean>;
  /** Sets a user's role, adding the user if they are not a member yet. For a locked user and group. */
  setRole(id: string, userId: string, role: Exclude<GroupRole, 'owner'>, joining: Joining): Promise<void>;
  /** Makes the user the owner, as `setRole`. The previous owner becomes a manager. */
  handOver(id: string, userId: string, joining: Joining): Promise<void>;
  /** Resolves to false if the user is not a member. For a locked group; not for its owner. */
  removeMember(id: string, userId: string): Promise<boolean>;
}
