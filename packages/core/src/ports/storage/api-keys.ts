import type { UserIdentity, UserStatus } from './users.ts';

/** An API key, with which a server calls instead of a user. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** Id of the administrator who created it, and who owns what it creates. */
  readonly ownerId: string;
  /** In milliseconds. */
  readonly created: number;
  /** Expiry, in milliseconds; null for never. */
  readonly expires: number | null;
  /** Milliseconds, at most a minute late; null before the first use. */
  readonly lastUsed: number | null;
}

export interface NewApiKey extends Omit<ApiKey, 'lastUsed'> {
  /** Digest of the key itself. */
  readonly digest: string;
}

/** A key with the current state of its owner. */
export interface ApiKeyWithOwner extends ApiKey {
  readonly owner: UserIdentity & { readonly status: UserStatus };
}

/** A use of a key. */
export interface ApiKeyUse {
  readonly id: string;
  readonly at: number;
  /** The use is recorded only if the last recorded one was not after this time. */
  readonly since: number;
}

/** API keys. A key is removed together with its owner or its role. */
export interface ApiKeyStore {
  /**
   * Resolves to false if there are already `most` keys.
   *
   * @throws `user.not_found`, `role.not_found` if there is no such owner or role
   */
  add(key: NewApiKey, most: number): Promise<boolean>;
  find(id: string): Promise<ApiKeyWithOwner | null>;
  /** Returns everything that authentication needs, in one read. Includes expired keys; null if there is none. */
  findByDigest(digest: string): Promise<ApiKeyWithOwner | null>;
  /** Returns all keys, oldest first. */
  list(): Promise<ApiKeyWithOwner[]>;
  /** Records a use, unless one was recorded recently. */
  touch(use: ApiKeyUse): Promise<void>;
  /** Resolves to the removed key, or to null if there was none. */
  remove(id: string): Promise<ApiKey | null>;
}
