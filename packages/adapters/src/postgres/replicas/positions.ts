/** Positions of the database that are remembered: those of a minute. */
const REMEMBERED = 300;

interface Sample {
  /** The time before the database was asked, by `performance.now()`. */
  readonly at: number;
  /** What was committed by then is in the write-ahead log up to this byte. */
  readonly position: number;
}

/** Which time a replica has reached, from the positions of the write-ahead log of the database at known times. */
export interface Positions {
  add(sample: Sample): void;
  /** The latest time whose commits are all in a replica that has replayed the log up to `replayed`; null: unknown. */
  reached(replayed: number): number | null;
}

export function createPositions(): Positions {
  const samples: Sample[] = [];
  return {
    add(sample) {
      // After a failover the new database may be behind the former one: what was known of that is of no use.
      if (sample.position < (samples.at(-1)?.position ?? 0)) samples.length = 0;
      samples.push(sample);
      if (samples.length > REMEMBERED) samples.shift();
    },
    reached: (replayed) => samples.findLast(({ position }) => position <= replayed)?.at ?? null,
  };
}
