import type { UserWithGroups } from './users.ts';

/** The name and password with which somebody logs in, as they were when the password was verified. */
export interface VerifiedCredentials {
  /** The key of the name. */
  readonly key: string;
  readonly passwordHash: string;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  /** Milliseconds. */
  readonly created: number;
  /** Milliseconds; not updated on every request. */
  readonly lastUsed: number;
  /** The device that logged in; null when it sent no id. */
  readonly deviceId: string | null;
}

/** Where a session began, and how. */
export interface SessionOrigin {
  /** The network of the client, such as `192.0.2.0/24`; null where it is not known. */
  readonly network: string | null;
  /** What the client calls itself; null when it says nothing. */
  readonly agent: string | null;
  /** The second factor of the login, or the passkey that replaces it; null without one. */
  readonly factor: 'totp' | 'recovery_code' | 'passkey' | null;
}

/** What decides about the end of a session, beside its last use. */
export interface SessionTerms {
  /** When somebody last logged in to the session: when it began, or at the last `logIn`. Milliseconds. */
  readonly loggedIn: number;
  /** Whether it is the session of a guest. */
  readonly guest: boolean;
}

/** A session in the list that its user sees. */
export interface ListedSession extends Session, SessionOrigin, SessionTerms {}

export interface SessionWithUser extends SessionTerms {
  readonly session: Session;
  readonly user: UserWithGroups;
}

export interface SessionStore {
  /**
   * @param origin absent: not known
   * @throws `user.not_found` when there is no such user
   */
  add(session: Session, origin?: SessionOrigin): Promise<void>;
  /**
   * Adds a session if its user is active, needs no second factor, and still has these credentials; otherwise resolves to
   * false. A concurrent change
   * of the user comes either before, and counts, or after: then it sees the session and can end it.
   */
  begin(session: Session, credentials: VerifiedCredentials, origin?: SessionOrigin): Promise<boolean>;
  /** Everything that authentication needs, in one read. Also returns expired sessions; null when there is none. */
  find(id: string): Promise<SessionWithUser | null>;
  /** Moves the last use forward, never back. Resolves to false when there is no such session (any more). */
  touch(id: string, at: number): Promise<boolean>;
  /** When somebody last logged in to the session: when it began, or at the last `logIn`. Null when there is none. */
  loggedIn(id: string): Promise<number | null>;
  /** Records a login that continues the session; this is also a use. Resolves to false when there is no such session. */
  logIn(id: string, at: number): Promise<boolean>;
  /** Sets the device of a session. Resolves to false when there is no such session. */
  setDevice(id: string, deviceId: string): Promise<boolean>;
  /** Resolves to the removed session, or to null when there was none; of concurrent calls exactly one gets the session. */
  remove(id: string): Promise<Session | null>;
  /** Ends the sessions of a user, except the session `except`. Resolves to the ids of the ended ones. */
  removeOfUser(userId: string, except: string | null): Promise<string[]>;
  /** The sessions of a user, newest first, at most `limit`. */
  list(userId: string, limit: number): Promise<ListedSession[]>;
  /**
   * The sessions of a user that are too many: all but `kept` and the `most - 1` others that were used last; at most 1,000
   * of them. To be called while the user is locked.
   */
  surplus(userId: string, kept: string, most: number): Promise<Session[]>;
  /**
   * Removes up to `limit` sessions last used before `moment`, in no order, except those of guests, which end with their
   * user. Resolves to the number removed.
   */
  removeUnused(moment: number, limit: number): Promise<number>;
}
