import type { InvitedRole } from './group-invitations.ts';
import type { Group, RowPage } from './groups.ts';

/** An invitation to a group for anyone who has its code. */
export interface InvitationCode {
  /** UUIDv7. */
  readonly id: string;
  readonly groupId: string;
  /** Id of the inviting user. */
  readonly by: string;
  readonly role: InvitedRole;
  /** Address of the only user who can accept, as typed; null for anyone. */
  readonly email: string | null;
  /** Number of users who can still accept; 0 once it is used up. */
  readonly uses: number;
  /** Expiry, in milliseconds. From then on the code counts as absent. */
  readonly expires: number;
}

/** A code as shown to a user who has it. */
export interface FoundCode extends Omit<InvitationCode, 'by' | 'groupId'> {
  readonly group: Group;
  /** Name of the inviting user. */
  readonly by: string;
}

/** A code as shown to the owner and the managers of the group. */
export interface ListedCode extends Omit<FoundCode, 'group'> {}

/** Removal of a member by others. */
export interface MemberRemoval {
  readonly groupId: string;
  readonly userId: string;
  /** In milliseconds. */
  readonly removed: number;
}

/** Maximum lifetime of a code, in milliseconds. */
export const MAX_CODE_LIFETIME_MS = 365 * 24 * 3_600_000;

/** Time for which a code that is used up can be found, in milliseconds, so that its last user can repeat the call. */
export const KEPT_CODE_MS = 24 * 3_600_000;

/**
 * Group invitation codes. Only digests are stored, so read access to the database reveals no code. A code is removed
 * with its group and with the user who created it. Codes of users who are suspended or being removed are not found.
 */
export interface InvitationCodeStore {
  /** @param digest see `Secrets.fingerprint` */
  add(code: InvitationCode, digest: string): Promise<void>;
  /**
   * Also finds codes that are used up.
   *
   * @param viewer a user; codes of users who block them count as absent; null for anonymous callers
   */
  find(digest: string, now: number, viewer: string | null): Promise<FoundCode | null>;
  /**
   * Uses a code once. With the last use it expires after `KEPT_CODE_MS`, or earlier. Resolves to false if there are no
   * uses left. For a locked group.
   */
  use(id: string, now: number): Promise<boolean>;
  /** Returns the number of a group's unexpired codes with uses left. */
  count(groupId: string, now: number): Promise<number>;
  /** Returns a group's unexpired codes with uses left, oldest first. */
  list(groupId: string, now: number, page: RowPage): Promise<ListedCode[]>;
  /** Resolves to false if the group has no such code with uses left. */
  remove(groupId: string, id: string): Promise<boolean>;
  /** Removes the codes that a user created for a group. */
  removeOf(groupId: string, userId: string): Promise<void>;
  /** Removes the codes that the owner of a group created for it. For a locked group. */
  removeOfOwner(groupId: string): Promise<void>;
  /** Removes all codes that a user created. */
  removeAllOf(userId: string): Promise<void>;
  /**
   * Remembers that a member was removed, instead of an earlier removal, for `MAX_CODE_LIFETIME_MS`: codes created until
   * then do not admit them. Removed with the group and the user. For a locked group.
   */
  recordRemoval(removal: MemberRemoval): Promise<void>;
  /** Returns the time of the last recorded removal of a user from a group; null if there is none. */
  lastRemoval(groupId: string, userId: string): Promise<number | null>;
}
