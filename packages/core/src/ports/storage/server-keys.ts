import type { UserIdentity, UserStatus } from './users.ts';

/** A key with which a server calls, instead of a user. */
export interface ServerKey {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** The administrator who made it, and who owns what it creates. */
  readonly ownerId: string;
  /** Milliseconds. */
  readonly created: number;
  /** When it ends, milliseconds; null for never. */
  readonly expires: number | null;
  /** Milliseconds, at most a minute late; null before the first use. */
  readonly lastUsed: number | null;
}

export interface NewServerKey extends Omit<ServerKey, 'lastUsed'> {
  /** The digest of the key itself. */
  readonly digest: string;
}

/** A key with its owner as they are now. */
export interface ServerKeyWithOwner extends ServerKey {
  readonly owner: UserIdentity & { readonly status: UserStatus };
}

/** A use of a key. */
export interface ServerKeyUse {
  readonly id: string;
  readonly at: number;
  /** It is recorded only if the last recorded use was not after this. */
  readonly since: number;
}

/** The keys of servers. A key is removed together with its owner, and with its role. */
export interface ServerKeyStore {
  /**
   * Resolves to false when there are already `most` keys.
   *
   * @throws `user.not_found`, `role.not_found` when there is no such owner or role
   */
  add(key: NewServerKey, most: number): Promise<boolean>;
  find(id: string): Promise<ServerKeyWithOwner | null>;
  /** Everything that authentication needs, in one read. Also returns expired keys; null when there is none. */
  findByDigest(digest: string): Promise<ServerKeyWithOwner | null>;
  /** Every key, oldest first. */
  list(): Promise<ServerKeyWithOwner[]>;
  /** Records a use, if none was recorded lately. */
  touch(use: ServerKeyUse): Promise<void>;
  /** Resolves to the removed key, or to null when there was none. */
  remove(id: string): Promise<ServerKey | null>;
}
