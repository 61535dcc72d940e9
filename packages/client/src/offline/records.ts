import type { NewDocument } from '../documents/operations.ts';
import type { InputProblem } from '../errors.ts';
import type { DocumentFields } from '../wire.ts';

export type Content = { readonly [name: string]: unknown };

export type WriteKind = 'create' | 'update' | 'replace' | 'remove';

/** A failure as it is stored. */
export interface StoredError {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly errors: readonly InputProblem[];
}

/** A write of the user that the service has not acknowledged. */
export interface Write extends NewDocument {
  /** The place in the order of sending. */
  readonly seq: number;
  readonly kind: WriteKind;
  /** The whole content, or the members that an update sets; empty for a removal. */
  readonly content: Content;
  /** What the user saw when making it; null for a new document. */
  readonly from: DocumentFields | null;
  /** The idempotency key. */
  readonly key: string;
  /** The version that it changes; null until what is sent before it has been acknowledged. */
  readonly version: number | null;
  /** When it was first sent, milliseconds; null before that. A write that was sent never changes. */
  readonly sentAt: number | null;
  /** Why the service refused it; null while it may be sent. */
  readonly error: StoredError | null;
}

/** A document in the local store. */
export interface Entry {
  /** The id under which it was stored first: that of the service, or a local one. It never changes. */
  readonly lid: string;
  /** The id at the service; null until it exists there. */
  readonly id: string | null;
  readonly collection: string;
  /** The state at the service, as far as it is known; null where there is none. */
  readonly base: DocumentFields | null;
  /** The listing that brought `base`. */
  readonly listing: number;
  readonly writes: readonly Write[];
}

/** What is stored once for each user. */
export interface Meta {
  /** From where the feed goes on. */
  readonly cursor: string;
  /** Grows each time everything has to be listed again. */
  readonly listing: number;
  /** Whether documents of older listings may not exist any more. */
  readonly isListing: boolean;
  readonly collections: readonly string[];
  /** The number of the next write. */
  readonly seq: number;
  /** Writes that wait. */
  readonly waiting: number;
}

export const NEW_META: Meta = { cursor: '0', listing: 1, isListing: false, collections: [], seq: 1, waiting: 0 };

/** Names that the service owns. */
const OWNED = /^(@|_allow)|^(id|_creation_date|_update_date|_author|_expanded)$/;

export const contentOf = (document: object): Content =>
  Object.fromEntries(Object.entries(document).filter(([name, value]) => !OWNED.test(name) && value !== undefined));

const ownedOf = (document: object) => Object.fromEntries(Object.entries(document).filter(([name]) => OWNED.test(name)));

const dateText = (milliseconds: number) => new Date(milliseconds).toISOString().replace('Z', '+0000');

const HEX = 16;
const TIME_DIGITS = 12;
const LOCAL_ID = /local-([0-9a-f]{12})[0-9a-f]{32}/g;

/** An id that no service has. Later ids are greater, as with those of the service. @param key 32 random digits */
export const localId = (now: number, key: string) => `local-${now.toString(HEX).padStart(TIME_DIGITS, '0')}${key}`;

/** The local ids in a content, wherever they are. */
export const localIdsIn = (content: unknown): readonly string[] => JSON.stringify(content).match(LOCAL_ID) ?? [];

/** The content with ids of the service in place of local ones, as far as they are known. */
export function withServiceIds<T>(content: T, idOf: (lid: string) => string | null): T {
  const text = JSON.stringify(content);
  return text.includes('local-') ? JSON.parse(text.replace(LOCAL_ID, (lid) => idOf(lid) ?? lid)) : content;
}

/** What the service would add to a document that it has not stored yet. */
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
  /** The name of the user. */
  readonly author: string;
  idOf(lid: string): string | null;
}

/** The document after a write; null when there is none. */
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

/** The document as the user sees it: what the service has, and the user's own writes. @param until leaves out later ones */
export function viewOf(entry: Entry, viewer: Viewer, until = Number.POSITIVE_INFINITY): DocumentFields | null {
  let document = entry.base;
  for (const write of entry.writes) if (write.seq < until) document = written(entry, document, write, viewer);
  return document;
}

/** The document as the user saw it right after a write, whatever has become of it at the service. */
export const madeBy = (entry: Entry, write: Write, viewer: Viewer): DocumentFields | null =>
  written(entry, write.from, write, viewer);

/** Whether the entry holds neither a document nor waiting writes. Keep it if it had a local id, so that the id still resolves. */
export const isEmpty = ({ base, writes }: Entry) => base === null && writes.length === 0;

const isSame = (a: DocumentFields, b: DocumentFields) =>
  a['@version'] === b['@version'] && a._author === b._author && a.id === b.id;

/** The entry with a state of the service, unless it knows a newer one. */
export function withBase(entry: Entry, base: DocumentFields | null, listing: number): Entry {
  const { base: known } = entry;
  if (known === null || base === null) return { ...entry, base, listing };
  if (entry.listing === listing && known['@version'] > base['@version']) return entry;
  return { ...entry, base: isSame(known, base) ? known : base, listing };
}

/** The entry, with the state at the service as the object that is known already if it is the same. */
export const withKnownBase = (entry: Entry, { base }: Entry): Entry =>
  base !== null && entry.base !== null && isSame(base, entry.base) ? { ...entry, base } : entry;
