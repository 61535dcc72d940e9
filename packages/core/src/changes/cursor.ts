import { AppError } from '../errors.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { FeedPlace, FeedState } from '../ports/storage/changes.ts';

/** Position of a reader in the feed. Opaque to clients. */
export type FeedCursor = ChangeCursor | ListCursor;

/** A cursor in the changes: every change up to `place` has been considered. */
export interface ChangeCursor {
  readonly kind: 'change';
  readonly epoch: string;
  readonly place: FeedPlace;
}

/**
 * A cursor in a first synchronization: the documents of `collection` up to `id`, and all collections before it, have
 * been read.
 */
export interface ListCursor {
  readonly kind: 'list';
  readonly epoch: string;
  /** Horizon at the beginning of the synchronization. The changes from here on follow the lists. */
  readonly start: number;
  /** Key of a collection; empty before the first one. */
  readonly collection: string;
  /** Id of a document, in lower case; empty before the first one. */
  readonly id: string;
}

const RADIX = 36;
/** Number of digits of the largest position. */
const DIGITS = 11;
const ID_LENGTH = 36;
const COLLECTION_LENGTH = 64;
const POSITION = `([0-9a-z]{${DIGITS}})`;
const ID = `([0-9a-f-]{${ID_LENGTH}}| {${ID_LENGTH}})`;
const COLLECTION = `([a-z0-9_ -]{${COLLECTION_LENGTH}})`;
const CHANGE = new RegExp(`^c${POSITION}${ID}(.+)$`);
const LIST = new RegExp(`^l${POSITION}${ID}${COLLECTION}(.+)$`);

/**
 * Returns the text of a cursor before encryption. Its length depends only on the kind, because encryption does not hide
 * the length.
 */
function textOf(cursor: FeedCursor): string {
  const [position, id] = cursor.kind === 'list' ? [cursor.start, cursor.id] : [cursor.place.position, cursor.place.id];
  const place = position.toString(RADIX).padStart(DIGITS, '0') + id.padEnd(ID_LENGTH);
  if (cursor.kind === 'change') return `c${place}${cursor.epoch}`;
  return `l${place}${cursor.collection.padEnd(COLLECTION_LENGTH)}${cursor.epoch}`;
}

export type FeedCursors = ReturnType<typeof createFeedCursors>;

/**
 * Encodes cursors for clients. Positions count the commits of all users, and lists name collections that the client may
 * not read, so both are encrypted.
 */
export function createFeedCursors({ secrets }: { readonly secrets: Pick<Secrets, 'conceal' | 'reveal'> }) {
  return {
    encode: (cursor: FeedCursor): string => secrets.conceal(textOf(cursor)),

    /** @throws `changes.cursor_invalid` */
    parse(given: string): FeedCursor {
      const text = secrets.reveal(given) ?? '';
      const [, position, id, epoch] = CHANGE.exec(text) ?? [];
      if (position !== undefined && id !== undefined && epoch !== undefined) {
        return { kind: 'change', epoch, place: { position: Number.parseInt(position, RADIX), id: id.trimEnd() } };
      }
      const [, start, last, collection, listEpoch] = LIST.exec(text) ?? [];
      if (start === undefined || last === undefined || collection === undefined || listEpoch === undefined) {
        throw new AppError('changes.cursor_invalid', {
          detail: 'send a cursor that the service gave, 0 for everything, or none for the current cursor',
          input: 'since',
        });
      }
      const beginning = { epoch: listEpoch, start: Number.parseInt(start, RADIX) };
      return { kind: 'list', ...beginning, collection: collection.trimEnd(), id: last.trimEnd() };
    },
  };
}

/** Returns the current cursor, followed only by changes that no reader could see yet. */
export const currentCursor = ({ epoch, horizon }: FeedState): ChangeCursor => ({
  kind: 'change',
  epoch,
  place: { position: horizon, id: '' },
});

/** Returns the cursor before everything. */
export const firstCursor = ({ epoch, horizon }: FeedState): ListCursor => ({
  kind: 'list',
  epoch,
  start: horizon,
  collection: '',
  id: '',
});

/** Returns the position from which on changes follow the cursor. */
export const positionAt = (cursor: FeedCursor): number =>
  cursor.kind === 'list' ? cursor.start : cursor.place.position;

/** Returns true if the feed cannot be resumed here, because it has forgotten what followed, or has another history. */
export function isExpired(cursor: FeedCursor, { epoch, oldest, horizon }: FeedState): boolean {
  const position = positionAt(cursor);
  return cursor.epoch !== epoch || position < oldest || position > horizon;
}

/** Returns a negative number if `a` is before `b`, 0 if they are the same place. */
export function comparePlaces(a: FeedPlace, b: FeedPlace): number {
  if (a.position !== b.position) return a.position - b.position;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
