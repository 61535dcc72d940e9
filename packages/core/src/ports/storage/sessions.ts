import type { UserIdentity, UserStatus } from './users.ts';

export interface Session {
  readonly id: string;
  readonly userId: string;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds; recorded coarsely. */
  readonly lastUsed: number;
  /** The device that signed in, when it said so. */
  readonly deviceId: string | null;
}

export interface SessionWithUser {
  readonly session: Session;
  readonly user: UserIdentity & { readonly status: UserStatus };
}

export interface SessionStore {
  /** @throws `user.not_found` when there is no such user */
  add(session: Session): Promise<void>;
  /** Everything that authentication needs, in one read; also when it has expired. */
  find(id: string): Promise<SessionWithUser | null>;
  /** Moves the last use forward, never back. Resolves to false when there is no such session (any more). */
  touch(id: string, at: number): Promise<boolean>;
  /** Names the device on which a session goes on. Resolves to false when there is no such session. */
  setDevice(id: string, deviceId: string): Promise<boolean>;
  /** Resolves to the session that was there, or to null; of concurrent calls exactly one gets it. */
  remove(id: string): Promise<Session | null>;
  /** Ends the sessions of a user, but for `except`. Resolves to their ids. */
  removeOfUser(userId: string, except: string | null): Promise<string[]>;
  /** The sessions of a user, newest first, `limit` at most. */
  list(userId: string, limit: number): Promise<Session[]>;
  /** Removes up to `limit` sessions last used before `moment`, in no order. Resolves to how many there were. */
  removeUnused(moment: number, limit: number): Promise<number>;
}
