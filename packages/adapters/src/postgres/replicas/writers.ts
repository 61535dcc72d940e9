/**
 * Time for which other processes read a user's data from the database after an announcement, in milliseconds.
 * Afterwards they trust a replica that has reached the end of that time.
 */
export const HOLD_MS = 10_000;
/**
 * Time for which one announcement covers the acknowledgements of a user's writes: half of the time that others hold.
 */
const COVERED_MS = HOLD_MS / 2;
/** Key of all anonymous callers, in place of a user. */
const ANONYMOUS = 'anonymous';
/** Maximum number of users whose writes are remembered. */
const MAX_WRITERS = 50_000;

interface Writer {
  /** Time that a replica must have reached for this user, by `performance.now()`. */
  until: number;
  /** Time of the last announcement. */
  announced: number;
  /** Pending announcement. */
  telling: Promise<void> | null;
}

export interface Writers {
  /** Returns the time that a replica must have reached before this user (null: anonymous callers) may read it. */
  until(userId: string | null): number;
  /** See `Storage.acknowledge`. */
  wrote(userId: string | null): Promise<void> | null;
  /**
   * Handles another process's announcement of a writer's key. Null means all writers, because announcements may have
   * been missed.
   */
  told(key: string | null): void;
}

/**
 * Records the users who have recently written, in this process or another.
 *
 * @param tell sends the key of a writer to every other process; resolves when they have it, or no longer trust any
 * cache
 * @param maxLag in milliseconds; older writes are forgotten, since replicas that are further behind are not read
 */
export function createWriters(
  tell: (key: string) => Promise<void>,
  maxLag: number,
  now: () => number = () => performance.now(),
): Writers {
  const writers = new Map<string, Writer>();
  let everybody = now() + HOLD_MS;

  function forgetOld(): void {
    const oldest = now() - maxLag;
    for (const [id, { until, telling }] of writers) if (until < oldest && telling === null) writers.delete(id);
    if (writers.size < MAX_WRITERS) return;
    writers.clear();
    everybody = now() + HOLD_MS;
  }

  function writerOf(key: string): Writer {
    let writer = writers.get(key);
    if (writer === undefined) {
      if (writers.size >= MAX_WRITERS) forgetOld();
      writer = { until: Number.NEGATIVE_INFINITY, announced: Number.NEGATIVE_INFINITY, telling: null };
      writers.set(key, writer);
    }
    return writer;
  }

  async function announce(key: string, writer: Writer): Promise<void> {
    const begun = now();
    try {
      await tell(key);
      writer.announced = begun;
    } finally {
      writer.telling = null;
    }
  }

  return {
    until(userId) {
      const own = writers.get(userId ?? ANONYMOUS);
      return own === undefined ? everybody : Math.max(everybody, own.until);
    },
    wrote(userId) {
      const key = userId ?? ANONYMOUS;
      const writer = writerOf(key);
      writer.until = Math.max(writer.until, now());
      if (now() - writer.announced < COVERED_MS) return null;
      writer.telling ??= announce(key, writer);
      return writer.telling;
    },
    told(key) {
      const until = now() + HOLD_MS;
      if (key === null) everybody = until;
      else writerOf(key).until = until;
    },
  };
}
