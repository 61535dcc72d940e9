/** Number of remembered positions of the database, which cover one minute. */
const REMEMBERED = 300;

interface Sample {
  /** Time before the database was asked, by `performance.now()`. */
  readonly at: number;
  /** Position in the write-ahead log, in bytes, that includes all commits up to that time. */
  readonly position: number;
}

/** Maps positions in the write-ahead log to times. */
export interface Positions {
  add(sample: Sample): void;
  /** Returns the latest time whose commits are all in a log replayed up to `replayed`, or null if unknown. */
  reached(replayed: number): number | null;
}

export function createPositions(): Positions {
  const samples: Sample[] = [];
  return {
    add(sample) {
      // After a failover, the new database may be behind the former one, whose positions are then useless.
      if (sample.position < (samples.at(-1)?.position ?? 0)) samples.length = 0;
      samples.push(sample);
      if (samples.length > REMEMBERED) samples.shift();
    },
    reached: (replayed) => samples.findLast(({ position }) => position <= replayed)?.at ?? null,
  };
}
