import type { NewDocument } from '../documents/operations.ts';
import type { InputProblem } from '../errors.ts';
import type { DocumentFields } from '../wire.ts';

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
  /** The id under which it was first stored: the server's, or a local one. It never changes. */
  readonly lid: string;
  /** Id on the server; null until the document exists there. */
  readonly id: string | null;
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

/** Names reserved for the server. */
const OWNED = /^(@|_allow)|^(id|_creation_date|_update_date|_author|_expanded)$/;

export const contentOf = (document: object): Content =>
  Object.fromEntries(Object.entries(document).filter(([name, value]) => !OWNED.test(name) && value !== undefined));

const ownedOf = (document: object) => Object.fromEntries(Object.entries(document).filter(([name]) => OWNED.test(name)));

const dateText = (milliseconds: number) => new Date(milliseconds).toISOString().replace('Z', '+0000');

const HEX = 16;
const TIME_DIGITS = 12;
const LOCAL_ID = /local-([0-9a-f]{12})[0-9a-f]{32}/g;

/**
 * Returns an id that cannot exist on a server. Ids are ascending, like those of the server. @param key 32 random digits
 */
export const localId = (now: number, key: string) => `local-${now.toString(HEX).padStart(TIME_DIGITS, '0')}${key}`;

/** Returns the local ids at any depth of a content. */
export const localIdsIn = (content: unknown): readonly string[] => JSON.stringify(content).match(LOCAL_ID) ?? [];

/** Replaces known local ids in a content by ids of the server. */
export function withServiceIds<T>(content: T, idOf: (lid: string) => string | null): T {
  const text = JSON.stringify(content);
  return text.includes('local-') ? JSON.parse(text.replace(LOCAL_ID, (lid) => idOf(lid) ?? lid)) : content;
}

/** Returns the fields that the server would add to a document that is not stored there yet. */
function fieldsOf({ lid, id, collection }: Entry, author: string): DocumentFields {
  const known = id ?? lid;
  const time = dateText(Number.parseInt(lid.slice('local-'.length, 'local-'.length + TIME_DIGITS), HEX) || 0);
  return {
    id: known,
    '@ID': known,
    '@rid': `#${known}`,
    '@version': 0,
    '@class': collection,
    _creation_date: time,
    _update_date: time,
    _author: author,
  };
}

interface Viewer {
  /** Name of the user. */
  readonly author: string;
  idOf(lid: string): string | null;
}

/** Returns the document after a write; null if there is none. */
function written(entry: Entry, document: DocumentFields | null, write: Write, viewer: Viewer): DocumentFields | null {
  const content = withServiceIds(write.content, viewer.idOf);
  switch (write.kind) {
    case 'remove':
      return null;
    case 'create':
      return { ...content, ...fieldsOf(entry, viewer.author) };
    case 'replace':
      return document && ({ ...ownedOf(document), ...content } as DocumentFields);
    default:
      return document && { ...document, ...content };
  }
}

/**
 * Returns the document as the user sees it: the server's state with the user's own writes. @param until excludes later
 * writes
 */
export function viewOf(entry: Entry, viewer: Viewer, until = Number.POSITIVE_INFINITY): DocumentFields | null {
  let document = entry.base;
  for (const write of entry.writes) if (write.seq < until) document = written(entry, document, write, viewer);
  return document;
}

/** Returns the document as the user saw it right after a write, regardless of its state on the server. */
export const madeBy = (entry: Entry, write: Write, viewer: Viewer): DocumentFields | null =>
  written(entry, write.from, write, viewer);

/**
 * Returns true if the entry has neither a document nor waiting writes. Keep it if it had a local id, so that the id
 * still resolves.
 */
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
