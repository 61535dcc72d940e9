/** How long is waited for the server. Milliseconds. */
export interface PostgresLimits {
  /** Until the server gives up a statement by itself. */
  readonly statement: number;
  /**
   * Without a word while an answer is due, until the connection is given up. More than `statement`, which a server that
   * hangs or cannot be reached does not keep.
   */
  readonly silence: number;
  /** For a connection, until the request is refused. */
  readonly waiting: number;
}

/** Together less than the limit of a request, see `docs/operations.md`. */
export const DEFAULT_LIMITS: PostgresLimits = { statement: 30_000, silence: 31_000, waiting: 15_000 };
