import { AppError } from '../errors.ts';
import type { FeedPlace, FeedState } from '../ports/storage/changes.ts';
import { isUuid } from '../uuid.ts';

/** Where a reader of the feed goes on. Opaque to clients. */
export type FeedCursor = ChangeCursor | ListCursor;

/** Every change up to `place` has been considered. */
export interface ChangeCursor {
  readonly kind: 'change';
  readonly epoch: string;
  readonly place: FeedPlace;
}

/** In a first synchronization: the documents of `collection` up to `id`, and all collections before it, have been read. */
export interface ListCursor {
  readonly kind: 'list';
  readonly epoch: string;
  /** The horizon when the synchronization began: the changes from here on follow the lists. */
  readonly start: number;
  /** Key of a collection; empty before the first one. */
  readonly collection: string;
  /** Id of a document, in lower case; empty before the first one. */
  readonly id: string;
}

const RADIX = 36;
const POSITION = '(0|[1-9a-z][0-9a-z]{0,10})';
const ID = '([0-9a-f-]{36}|)';
const EPOCH = '([\\w.~-]{1,32})';
const CHANGE = new RegExp(`^c${POSITION}\\.${ID}\\.${EPOCH}$`);
const LIST = new RegExp(`^l${POSITION}\\.([a-z][a-z0-9_-]{0,63}|)\\.${ID}\\.${EPOCH}$`);

export function encodeFeedCursor(cursor: FeedCursor): string {
  if (cursor.kind === 'list') {
    return `l${cursor.start.toString(RADIX)}.${cursor.collection}.${cursor.id}.${cursor.epoch}`;
  }
  return `c${cursor.place.position.toString(RADIX)}.${cursor.place.id}.${cursor.epoch}`;
}

const invalid = () =>
  new AppError('changes.cursor_invalid', {
    detail: 'send a cursor that the service gave, 0 for everything, or none for the current cursor',
    input: 'since',
  });

function positionOf(text: string): number {
  const position = Number.parseInt(text, RADIX);
  if (!Number.isSafeInteger(position)) throw invalid();
  return position;
}

function idOf(text: string): string {
  if (text !== '' && !isUuid(text)) throw invalid();
  return text;
}

/** @throws `changes.cursor_invalid` */
export function parseFeedCursor(text: string): FeedCursor {
  const [, position, id, epoch] = CHANGE.exec(text) ?? [];
  if (position !== undefined && id !== undefined && epoch !== undefined) {
    return { kind: 'change', epoch, place: { position: positionOf(position), id: idOf(id) } };
  }
  const [, start, collection, last, listEpoch] = LIST.exec(text) ?? [];
  if (start === undefined || collection === undefined || last === undefined || listEpoch === undefined) throw invalid();
  return { kind: 'list', epoch: listEpoch, start: positionOf(start), collection, id: idOf(last) };
}

/** The current cursor: only changes that no reader could see yet come after it. */
export const currentCursor = ({ epoch, horizon }: FeedState): ChangeCursor => ({
  kind: 'change',
  epoch,
  place: { position: horizon, id: '' },
});

/** The cursor before everything. */
export const firstCursor = ({ epoch, horizon }: FeedState): ListCursor => ({
  kind: 'list',
  epoch,
  start: horizon,
  collection: '',
  id: '',
});

/** The position from which on changes come after the cursor. */
export const positionAt = (cursor: FeedCursor): number =>
  cursor.kind === 'list' ? cursor.start : cursor.place.position;

/** Whether the feed cannot be resumed here: it has forgotten what followed, or has another history. */
export function isExpired(cursor: FeedCursor, { epoch, oldest, horizon }: FeedState): boolean {
  const position = positionAt(cursor);
  return cursor.epoch !== epoch || position < oldest || position > horizon;
}

/** Negative if `a` is before `b`, 0 if they are the same place. */
export function comparePlaces(a: FeedPlace, b: FeedPlace): number {
  if (a.position !== b.position) return a.position - b.position;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
