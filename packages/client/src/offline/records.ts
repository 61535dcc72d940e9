import type { Changes } from '../documents/changes.ts';
import type { NewDocument } from '../documents/operations.ts';
import type { InputProblem } from '../errors.ts';
import type { DocumentFields } from '../wire.ts';
import { withChanges } from './operators.ts';

export type Content = { readonly [name: string]: unknown };

export type WriteKind = 'create' | 'update' | 'replace' | 'remove';

/** An error in its stored form. */
export interface StoredError {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly errors: readonly InputProblem[];
}

/** A write that the server has not acknowledged. */
export interface Write extends NewDocument {
  /** Position in the order of sending. */
  readonly seq: number;
  readonly kind: WriteKind;
  /** The full content, or the members that an update sets; empty for a removal. */
  readonly content: Content;
  /** Changes of an update that the server computes, such as `increment(1)`. */
  readonly changes?: Changes;
  /** The document that the user saw when writing; null for a new document. */
  readonly from: DocumentFields | null;
  /** Idempotency key. */
  readonly key: string;
  /** The version that it changes; null until all earlier writes are acknowledged. */
  readonly version: number | null;
  /** Time of the first attempt, in milliseconds; null before it. Once sent, a write never changes. */
  readonly sentAt: number | null;
  /** Reason for which the server refused it; null while it may be sent. */
  readonly error: StoredError | null;
}

/** A document in the local store. */
export interface Entry {
  readonly id: string;
  readonly collection: string;
  /** Last known state on the server; null if there is none. */
  readonly base: DocumentFields | null;
  /** Number of the listing that delivered `base`. */
  readonly listing: number;
  readonly writes: readonly Write[];
}

/** Data stored once per user. */
export interface Meta {
  /** Cursor from which the feed resumes. */
  readonly cursor: string;
  /** Number of the current listing; grows each time everything is listed again. */
  readonly listing: number;
  /** True if documents of older listings may no longer exist. */
  readonly isListing: boolean;
  readonly collections: readonly string[];
  /** Number of the next write. */
  readonly seq: number;
  /** Number of waiting writes. */
  readonly waiting: number;
}

export const NEW_META: Meta = { cursor: '0', listing: 1, isListing: false, collections: [], seq: 1, waiting: 0 };

/** Returns the change that lists everything again. */
export const listAgain = ({ listing }: Meta): Partial<Meta> => ({
  cursor: NEW_META.cursor,
  listing: listing + 1,
  isListing: true,
});

/**
 * Returns the listing number for a state that did not come from the feed. A listing that has not begun yet delivers it
 * again, unless the document was removed in the meantime.
 */
export const listingOf = ({ cursor, listing }: Meta) => (cursor === NEW_META.cursor ? listing - 1 : listing);

/** Names reserved for the server. */
const OWNED = /^(@|_allow)|^(id|_creation_date|_update_date|_author|_updated_by|_expanded)$/;

export const contentOf = (document: object): Content =>
  Object.fromEntries(Object.entries(document).filter(([name, value]) => !OWNED.test(name) && value !== undefined));

const ownedOf = (document: object) => Object.fromEntries(Object.entries(document).filter(([name]) => OWNED.test(name)));

const dateText = (milliseconds: number) => new Date(milliseconds).toISOString().replace('Z', '+0000');

const HEX = 16;
const TIME_DIGITS = 12;

/** Returns a UUID of version 7. @param random 32 random digits */
export function newId(now: number, random: string): string {
  const time = now.toString(HEX).padStart(TIME_DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}

const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, TIME_DIGITS), HEX);

/** Returns the fields that the server would add to a document that is not stored there yet. */
function fieldsOf({ id, collection }: Entry, author: string): DocumentFields {
  const time = dateText(timeOf(id));
  return {
    id,
    '@ID': id,
    '@rid': `#${id}`,
    '@version': 0,
    '@class': collection,
    _creation_date: time,
    _update_date: time,
    _author: author,
    _updated_by: author,
  };
}

/** Returns the document after a write; null if there is none. */
function written(
  entry: Entry,
  document: DocumentFields | null,
  { kind, content, changes }: Write,
  author: string,
): DocumentFields | null {
  switch (kind) {
    case 'remove':
      return null;
    case 'create':
      return { ...content, ...fieldsOf(entry, author) };
    case 'replace':
      return document && ({ ...ownedOf(document), ...content } as DocumentFields);
    default:
      return document && withChanges({ ...document, ...content }, changes);
  }
}

/** Returns the document as the user sees it: the server's state with the user's own writes. @param author their name */
export const viewOf = (entry: Entry, author: string): DocumentFields | null =>
  entry.writes.reduce((document, write) => written(entry, document, write, author), entry.base);

/** Returns the document as the user saw it right after a write, regardless of its state on the server. */
export const madeBy = (entry: Entry, write: Write, author: string): DocumentFields | null =>
  written(entry, write.from, write, author);

/**
 * Returns true for an update that only has changes computed by the server. It merges with those of other users, so it
 * never conflicts.
 */
export const isMerging = ({ kind, content, changes }: Write) =>
  kind === 'update' && changes !== undefined && Object.keys(content).length === 0;

/** Returns true if the entry has neither a document nor waiting writes. */
export const isEmpty = ({ base, writes }: Entry) => base === null && writes.length === 0;

const isSame = (a: DocumentFields, b: DocumentFields) =>
  a['@version'] === b['@version'] && a._author === b._author && a.id === b.id;

/** Returns the entry with a state of the server, unless it has a newer one. */
export function withBase(entry: Entry, base: DocumentFields | null, listing: number): Entry {
  const { base: known } = entry;
  if (known === null || base === null) return { ...entry, base, listing };
  if (entry.listing === listing && known['@version'] > base['@version']) return entry;
  return { ...entry, base: isSame(known, base) ? known : base, listing };
}

/** Returns the entry with the already known object as its server state, if both are the same. */
export const withKnownBase = (entry: Entry, { base }: Entry): Entry =>
  base !== null && entry.base !== null && isSame(base, entry.base) ? { ...entry, base } : entry;
