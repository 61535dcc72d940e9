import type { UserWithGroups } from './users.ts';

/** Name and password of a login, as they were when the password was verified. */
export interface VerifiedCredentials {
  /** Key of the name. */
  readonly key: string;
  readonly passwordHash: string;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  /** In milliseconds. */
  readonly created: number;
  /** Milliseconds; not updated on every request. */
  readonly lastUsed: number;
  /** Device that logged in; null if it sent no id. */
  readonly deviceId: string | null;
}

/** Circumstances in which a session began. */
export interface SessionOrigin {
  /** Network of the client, such as `192.0.2.0/24`; null if unknown. */
  readonly network: string | null;
  /** User agent of the client; null if it sent none. */
  readonly agent: string | null;
  /** Second factor of the login, or the passkey that replaces it; null if there was none. */
  readonly factor: 'totp' | 'recovery_code' | 'passkey' | null;
}

/** A session as listed to its user. */
export interface ListedSession extends Session, SessionOrigin {
  /** True for the session of a guest. */
  readonly guest: boolean;
}

export interface SessionWithUser {
  /** True for the session of a guest. */
  readonly guest: boolean;
  readonly session: Session;
  readonly user: UserWithGroups;
}

export interface SessionStore {
  /**
   * @param origin absent: unknown
   * @param loggedIn time of the login, in milliseconds, if it is older than the session
   *
   * @throws `user.not_found` if there is no such user
   */
  add(session: Session, origin?: SessionOrigin, loggedIn?: number): Promise<void>;
  /**
   * Adds a session if its user is active, needs no second factor, and still has these credentials; otherwise resolves
   * to false. A concurrent change of the user takes effect either before, and counts, or after, and then sees the
   * session and can end it.
   */
  begin(session: Session, credentials: VerifiedCredentials, origin?: SessionOrigin): Promise<boolean>;
  /** Returns everything that authentication needs, in one read. Includes expired sessions; null if there is none. */
  find(id: string): Promise<SessionWithUser | null>;
  /** Moves the last use forward, never back. Resolves to false if the session does not exist (any more). */
  touch(id: string, at: number): Promise<boolean>;
  /**
   * Returns the time of the login that began the session; null if there is no such session. Nothing moves it, because
   * the session may have been copied before.
   */
  loggedIn(id: string): Promise<number | null>;
  /** Sets the device of a session. Resolves to false if there is no such session. */
  setDevice(id: string, deviceId: string): Promise<boolean>;
  /**
   * Resolves to the removed session, or to null if there was none. Of concurrent calls exactly one gets the session.
   */
  remove(id: string): Promise<Session | null>;
  /** Ends the sessions of a user, except the session `except`. Resolves to the ids of the ended sessions. */
  removeOfUser(userId: string, except: string | null): Promise<string[]>;
  /** Returns up to `limit` sessions of a user, newest first. */
  list(userId: string, limit: number): Promise<ListedSession[]>;
  /**
   * Returns the sessions of a user above the limit: all but `kept` and the `most - 1` others used last, at most 1,000.
   * To be called while the user is locked.
   */
  surplus(userId: string, kept: string, most: number): Promise<Session[]>;
  /**
   * Removes up to `limit` sessions last used before `moment`, in no particular order. Keeps those of guests, which end
   * with their user. Resolves to the number removed.
   */
  removeUnused(moment: number, limit: number): Promise<number>;
}
