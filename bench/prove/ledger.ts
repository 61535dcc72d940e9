import { createHash } from 'node:crypto';

/** Documents and files of one round, as known to the clients. */
export interface Ledger {
  readonly collection: string;
  /** Documents whose creation was acknowledged, by id. */
  readonly documents: Map<string, KnownDocument>;
  /** Keys of documents whose creation was not answered. Each may exist once. */
  readonly unanswered: Set<string>;
  /** Batches of creations by name; true if acknowledged. */
  readonly batches: Map<string, boolean>;
  /** Pairs of documents that atomic batches change together. */
  readonly pairs: Pair[];
  /** Elements of the shared list; true if the append was acknowledged. */
  readonly appended: Map<string, boolean>;
  /** Id of the document with the shared list. */
  shared: string;
  /** Files whose upload was acknowledged, by id. */
  readonly files: Map<string, KnownFile>;
  /** Number of acknowledged requests. */
  acknowledged: number;
  /** Number of acknowledged writes. Every operation of a batch counts. */
  writes: number;
  /** Number of requests without a response or with status 503. */
  lost: number;
  /** Unexplained responses. */
  readonly odd: string[];
}

/** A document. Every list contains its possible states: one, or several after a request without a response. */
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

/** Returns a content that follows entirely from its key and value, so that a partial write is detected. */
export const contentOf = (key: string, value: number) => ({
  key,
  value,
  text: `${key}/${value} `.repeat(20),
  parts: { list: [value, value + 1, value + 2], end: key },
});

/** Returns the bytes of a file. */
export const bytesOf = (key: string): Buffer => Buffer.from(`${key} `.repeat(150));
