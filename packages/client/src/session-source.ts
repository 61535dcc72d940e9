/** A login that lasts. */
export interface Session {
  /** Proves the session. Whoever has it can act as the user. */
  readonly token: string;
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly roles: readonly string[];
  };
}

/** The session as the transport sees it. */
export interface SessionSource {
  /** Resolves when the stored session has been read. */
  readonly ready: Promise<void>;
  current(): Session | null;
  /** To be called when the service refuses a session. Resolves to whether its user has another session now. */
  ended(session: Session): Promise<boolean>;
}
