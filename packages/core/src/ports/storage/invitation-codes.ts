import type { InvitedRole } from './group-invitations.ts';
import type { Group, RowPage } from './groups.ts';

/** An invitation to a group for those who have its code. */
export interface InvitationCode {
  /** UUIDv7. */
  readonly id: string;
  readonly groupId: string;
  /** The id of the user who invites. */
  readonly by: string;
  readonly role: InvitedRole;
  /** The address whose user alone can accept, as it was typed; null for anybody. */
  readonly email: string | null;
  /** How many users can still accept. */
  readonly uses: number;
  /** Milliseconds; from then on the code counts as absent. */
  readonly expires: number;
}

/** A code as those see it who have it. */
export interface FoundCode extends Omit<InvitationCode, 'by' | 'groupId'> {
  readonly group: Group;
  /** The name of the user who invites. */
  readonly by: string;
}

/** A code as the owner and the managers of the group see it. */
export interface ListedCode extends Omit<FoundCode, 'group'> {}

/**
 * Codes of invitations to groups. Stored are digests, so that reading the database gives no code. A code goes with its group
 * and with the user who made it. Codes of users who are being removed count as absent.
 */
export interface InvitationCodeStore {
  /** @param digest see `Secrets.fingerprint` */
  add(code: InvitationCode, digest: string): Promise<void>;
  /** @param viewer a user; codes of users who block them count as absent; null for nobody */
  find(digest: string, now: number, viewer: string | null): Promise<FoundCode | null>;
  /** Takes one use from a code, and removes it with the last one. Resolves to false without any. For a locked group. */
  use(id: string, now: number): Promise<boolean>;
  /** The number of codes of a group that have not expired. */
  count(groupId: string, now: number): Promise<number>;
  /** Codes of a group that have not expired, oldest first. */
  list(groupId: string, now: number, page: RowPage): Promise<ListedCode[]>;
  /** Resolves to false when the group has no such code. */
  remove(groupId: string, id: string): Promise<boolean>;
  /** Removes the codes that a user made for a group. */
  removeOf(groupId: string, userId: string): Promise<void>;
  /** Removes up to `limit` expired codes. Resolves to the number removed. */
  removeExpired(now: number, limit: number): Promise<number>;
}
