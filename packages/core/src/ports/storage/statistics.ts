import type { Collection } from './collections.ts';

/** Number and size of stored items. */
export interface Volume {
  readonly count: number;
  /** In bytes. */
  readonly size: number;
}

/** Items created on one day (UTC). */
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
  /** An asset with a file counts with its size, others with 0. */
  readonly assets: Volume;
  /** Days since `createdSince` on which items were created that still exist, in ascending order. */
  readonly days: readonly CreatedOnDay[];
}

interface MeasurementRequest {
  readonly activeSince: number;
  readonly createdSince: number;
  /** Key of a user who is not counted. */
  readonly without: string;
}

export interface StatisticsStore {
  /**
   * Counts everything that is stored. Takes time proportional to the number of users, documents, files and assets, but
   * blocks no other call.
   *
   * @throws `search.too_long`
   */
  measure(request: MeasurementRequest): Promise<Measurement>;
}
