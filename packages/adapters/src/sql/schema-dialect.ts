import type { CounterSteps } from './document-counters.ts';

/** How the two databases differ. */
export interface Dialect {
  /** 36 characters. */
  readonly uuid: string;
  /** Compared and sorted by code point. */
  readonly text: string;
  /** Integers up to 2^53. */
  readonly integer: string;
  /** The index that finds a document whose collection is unknown. */
  readonly byDocumentId: string;
  /** The index that gives the order of changes, after `on documents`. */
  readonly byPosition: string;
  /** Between 16 and 32 random characters: letters and digits. */
  readonly randomText: string;
  readonly counters: CounterSteps;
}
