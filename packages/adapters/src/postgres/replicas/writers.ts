/**
 * How long the other processes read what a user wrote from the database itself after they were told, in milliseconds.
 * Afterwards they trust a replica that has reached the end of that time.
 */
export const HOLD_MS = 10_000;
/** How long the acknowledgements of a user's writes are covered by one announcement. Half of the time that others hold. */
const COVERED_MS = HOLD_MS / 2;
/** In the place of a user: all anonymous callers. */
const ANONYMOUS = 'anonymous';
/** Users whose writes are remembered. */
const MAX_WRITERS = 50_000;

interface Writer {
  /** What was acknowledged up to this time has to be in a replica that the user reads. Of `performance.now()`. */
  until: number;
  /** When the others were told last. */
  announced: number;
  /** While they are being told. */
  telling: Promise<void> | null;
}

export interface Writers {
  /** The time that a replica must have reached before this user may read it; null: before anonymous callers may. */
  until(userId: string | null): number;
  /** See `Storage.acknowledge`. */
  wrote(userId: string | null): Promise<void> | null;
  /** Another process announces this key of a writer; null: all of them, because announcements may have been missed. */
  told(key: string | null): void;
}

/**
 * Which users have written lately, in this process and in others.
 *
 * @param tell sends every other process the key of a writer; resolves when they know, or no longer trust any cache
 * @param maxLag milliseconds; replicas that are further behind are not read, so older writes need not be remembered
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
