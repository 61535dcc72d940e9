/** Maximum waits for the server, in milliseconds. */
export interface PostgresLimits {
  /** Time until the server cancels a statement. */
  readonly statement: number;
  /**
   * Time without any data while an answer is due, until the connection counts as lost. Longer than `statement`, which
   * a server that hangs or is unreachable cannot enforce.
   */
  readonly silence: number;
  /** Time to wait for a free connection, until the request is refused. */
  readonly waiting: number;
}

/** Connections of the pool of a process. */
export const DEFAULT_CONNECTIONS = 10;

/** Their sum is less than the time limit of a request, see `docs/limits.md`. */
export const DEFAULT_LIMITS: PostgresLimits = { statement: 30_000, silence: 31_000, waiting: 15_000 };
