/** A logged-in session. */
export interface Session {
  /** Bearer token of the session. Anyone who has it can act as the user. */
  readonly token: string;
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly roles: readonly string[];
  };
}

/** The session, as used by the transport. */
export interface SessionSource {
  /** Resolves when the stored session is loaded. */
  readonly ready: Promise<void>;
  current(): Session | null;
  /** Must be called when the server answers a call with the token of a new session, in place of the call's. */
  replaced(session: Session, token: string): void;
  /** Must be called when the server rejects a session. Resolves to true if its user has another session now. */
  ended(session: Session): Promise<boolean>;
}
