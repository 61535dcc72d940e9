import type { Collection, Sizes, Stored } from './peer.ts';

/** Content of a document: about one kilobyte of JSON. */
export interface Content {
  readonly title: string;
  readonly n: number;
  /** Indexed. */
  readonly category: string;
  /** Not indexed. */
  readonly shade: string;
  readonly price: number;
  readonly tags: readonly string[];
  readonly place: { readonly lat: number; readonly lon: number; readonly city: string };
  readonly text: string;
}

/** Number of categories and of shades. Each has an equal share of every author's documents. */
const VALUES = 50;
/** Values used by the lists. */
export const CATEGORIES = Array.from({ length: VALUES }, (_, i) => `c${i}`);
export const SHADES = Array.from({ length: VALUES }, (_, i) => `s${i}`);

const TEXT = 'Sphinx of black quartz, judge my vow. '.repeat(20);

/** Even documents belong to the caller, odd ones to another user. */
export const isCallers = (n: number) => n % 2 === 0;

export function contentOf(n: number): Content {
  const half = Math.floor(n / 2);
  return {
    title: `Document ${n}`,
    n,
    category: `c${half % VALUES}`,
    shade: `s${Math.floor(half / 3) % VALUES}`,
    price: 12.5,
    tags: ['first', 'second', 'third'],
    place: { lat: 41.9028, lon: 12.4964, city: 'Rome' },
    text: TEXT,
  };
}

/** Content of an upload. ASCII, because Lua scripts of wrk contain it. */
export const UPLOAD = 'All human beings are born free and equal in dignity and rights.\n'.repeat(16_384);

export interface Row extends Stored {
  readonly collection: Collection;
  readonly isCallers: boolean;
  /** Creation time in milliseconds, unique within a collection. */
  readonly created: number;
  readonly content: Content;
}

const BEGAN = 1_750_000_000_000;

/** Returns the documents of a collection, oldest first, for peers whose tables are filled directly. */
export function* rowsOf(collection: Collection, sizes: Sizes, id: (n: number) => string): Generator<Row> {
  for (let n = 0; n < sizes[collection]; n++)
    yield { collection, id: id(n), n, isCallers: isCallers(n), created: BEGAN + n * 10, content: contentOf(n) };
}

/** Returns the caller's documents, which were stored in the order of their numbers, newest first. */
export const newestOf = (count: number, id: (n: number) => string): Stored[] =>
  Array.from({ length: count }, (_, i) => count - 1 - i)
    .filter(isCallers)
    .map((n) => ({ id: id(n), n }));
