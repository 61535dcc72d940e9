import type { Collection } from './collections.ts';

/** A number of stored things, and their size. */
export interface Volume {
  readonly count: number;
  /** Bytes. */
  readonly size: number;
}

/** How much was created on one day (UTC). */
export interface CreatedOnDay {
  /** Days since 1970. */
  readonly day: number;
  readonly users: number;
  readonly documents: number;
  readonly files: number;
}

export interface Measurement {
  readonly users: number;
  /** Sessions used since `activeSince`. */
  readonly sessions: number;
  /** As `CollectionStore.list`. */
  readonly collections: readonly Collection[];
  readonly files: Volume;
  /** Assets with a file count with its size, others with 0. */
  readonly assets: Volume;
  /** Days since `createdSince` on which something was created that still exists, in ascending order. */
  readonly days: readonly CreatedOnDay[];
}

export interface StatisticsStore {
  /**
   * Counts everything that is stored. Reads every document and so takes time in proportion to them, but holds up no other
   * call.
   *
   * @throws `search.too_long`
   */
  measure(since: { readonly activeSince: number; readonly createdSince: number }): Promise<Measurement>;
}
