export interface Group {
  /** UUID, time-ordered; never used again. */
  readonly id: string;
  /** Any number of groups may have the same name. */
  readonly name: string;
  /** Milliseconds. */
  readonly created: number;
}

export type GroupRole = 'owner' | 'manager' | 'member';

/** A group as a user sees it. */
export interface OwnGroup extends Group {
  /** The user's role in it; null when the user is not in it. */
  readonly role: GroupRole | null;
}

export interface GroupMember {
  readonly userId: string;
  readonly name: string;
  readonly role: GroupRole;
}

export interface CountedGroup extends Group {
  /** The number of members. */
  readonly members: number;
}

/** How a membership begins. */
export interface Joining {
  /** Milliseconds. */
  readonly joined: number;
  /** Whether the user made the group or accepted to join: only such memberships count toward the user's limit. */
  readonly counted: boolean;
}

/** The number of groups that a user is in. */
export interface GroupCounts {
  /** Those that the user made or accepted to join. */
  readonly counted: number;
  /** Those that others added the user to. */
  readonly given: number;
}

/** A page of rows in the order of their ids. */
export interface RowPage {
  /** Only rows with a greater id; null from the beginning. */
  readonly after: string | null;
  readonly skip: number;
  readonly limit: number;
}

/**
 * Groups of users, to which rights can be granted. The groups of a user are read together with the session. The rules
 * (rights and limits) are in the use cases: they lock the user and then the group before they check and change anything.
 */
export interface GroupStore {
  /** Stores a group whose only member is its owner, who joined when it was created; this counts. @throws `user.not_found` */
  add(group: Group, ownerId: string): Promise<void>;
  /** The group with the role of a user in it; null when there is no such group. One read. */
  find(id: string, userId: string | null): Promise<OwnGroup | null>;
  /** The groups that a user is in, in the order of their creation, at most `limit`. */
  ofUser(userId: string, limit: number): Promise<OwnGroup[]>;
  /** Every group, in the order of creation. */
  list(page: RowPage): Promise<CountedGroup[]>;
  /** The members by the ids of the users: in the order of their sign-up. */
  members(id: string, page: RowPage): Promise<GroupMember[]>;
  /** The number of members. */
  size(id: string): Promise<number>;
  /**
   * Locks a user until the surrounding transaction ends, so that they are not removed and join no other group. Resolves
   * to the user's name and numbers of groups, or to null when there is no such user.
   */
  lockUser(userId: string): Promise<(GroupCounts & { readonly name: string }) | null>;
  /** Locks a group and its members until the surrounding transaction ends. Resolves to false when there is none. */
  lock(id: string): Promise<boolean>;
  /** Resolves to false when there is no such group. */
  rename(id: string, name: string): Promise<boolean>;
  /**
   * Removes the group, and marks changed visibility for its members in the change feed. From then on nobody is in it, no grants can be
   * made to it, and `grantsOn` leaves out those that there are: `removePart` removes them, because they may be too many for
   * one transaction. Survives a restart. Resolves to false when there is no such group.
   */
  remove(id: string): Promise<boolean>;
  /**
   * Removes up to `limit` grants to a group that was removed. Concurrent calls for one group are harmless. Resolves to false
   * when nothing is left, and for groups that were not removed.
   */
  removePart(id: string, limit: number): Promise<boolean>;
  /** Up to `limit` ids of removed groups of which grants may be left, in ascending order. */
  removalsBegun(limit: number): Promise<string[]>;
  /** Gives a user a role, who joins unless they are in the group already. For a locked user and group. */
  setRole(id: string, userId: string, role: Exclude<GroupRole, 'owner'>, joining: Joining): Promise<void>;
  /** As `setRole`, with the role of the owner; who had it becomes a manager. */
  handOver(id: string, userId: string, joining: Joining): Promise<void>;
  /** Resolves to false when the user is not in the group. For a locked group, and not for its owner. */
  removeMember(id: string, userId: string): Promise<boolean>;
}
