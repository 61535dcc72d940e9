import { createHash } from 'node:crypto';

/** What clients know of the documents and files of one round. */
export interface Ledger {
  readonly collection: string;
  /** By id; those whose creation was acknowledged. */
  readonly documents: Map<string, KnownDocument>;
  /** Keys of documents whose creation was not answered: each may exist once. */
  readonly unanswered: Set<string>;
  /** Batches of creations by their names: whether they were acknowledged. */
  readonly batches: Map<string, boolean>;
  /** Pairs of documents that atomic batches change together. */
  readonly pairs: Pair[];
  /** Elements of the shared list: whether the append was acknowledged. */
  readonly appended: Map<string, boolean>;
  /** The document with the shared list. */
  shared: string;
  /** By id; those whose upload was acknowledged. */
  readonly files: Map<string, KnownFile>;
  /** Acknowledged requests. */
  acknowledged: number;
  /** Acknowledged writes: every operation of a batch counts. */
  writes: number;
  /** Requests without an answer, and those answered 503. */
  lost: number;
  /** Answers that nothing explains. */
  readonly odd: string[];
}

/** Every list holds the states that are possible: one, or several after a request without an answer. */
export interface KnownDocument {
  readonly key: string;
  values: readonly number[];
  exists: readonly boolean[];
  granted: readonly boolean[];
}

export interface Pair {
  readonly ids: readonly [string, string];
  values: readonly number[];
}

interface KnownFile {
  readonly sha256: string;
  exists: readonly boolean[];
}

export const createLedger = (collection: string): Ledger => ({
  collection,
  documents: new Map(),
  unanswered: new Set(),
  batches: new Map(),
  pairs: [],
  appended: new Map(),
  shared: '',
  files: new Map(),
  acknowledged: 0,
  writes: 0,
  lost: 0,
  odd: [],
});

export const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A document whose every part follows from its key and its value: a half one is recognized. */
export const contentOf = (key: string, value: number) => ({
  key,
  value,
  text: `${key}/${value} `.repeat(20),
  parts: { list: [value, value + 1, value + 2], end: key },
});

/** The bytes of a file. */
export const bytesOf = (key: string): Buffer => Buffer.from(`${key} `.repeat(150));
