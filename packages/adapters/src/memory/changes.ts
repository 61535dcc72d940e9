import { randomBytes } from 'node:crypto';
import {
  allows,
  authorAudience,
  type Change,
  type ChangeStore,
  type ChangesWanted,
  compareCodePoints,
  EVERYBODY,
  type FeedEntry,
  type FeedPlace,
  MAX_MARKS,
} from '@baobab/core';
import { rightsOn, toRecord } from './access.ts';
import { addAccessChanges, audiencesOf } from './feed.ts';
import { within } from './lists.ts';
import type { AccessChangeRow, DocumentRow, State } from './state.ts';
import type { Immediate } from './tables.ts';

const EPOCH_BYTES = 8;

const comparePlaces = (a: FeedPlace, b: FeedPlace) => a.position - b.position || compareCodePoints(a.id, b.id);

/** A place in the feed at which a document changed. */
interface Placed {
  readonly place: FeedPlace;
  /** Key of its collection. */
  readonly collection: string;
}

const byPlace = (a: Placed, b: Placed) => comparePlaces(a.place, b.place);

/** Returns the last of those with the same key, in order of their places. */
function lastOfEach(placed: readonly Placed[], keyOf: (place: FeedPlace) => string): Placed[] {
  const last = new Map(placed.toSorted(byPlace).map((one) => [keyOf(one.place), one]));
  return [...last.values()].sort(byPlace);
}

const placeOfAccess = ({ position, document }: AccessChangeRow): FeedPlace => ({ position, id: document });

export function createChangeStore(state: State): Immediate<ChangeStore> {
  const { documents, accessChanges, visibilityMarks, feedStates, feed } = state;
  const epoch = randomBytes(EPOCH_BYTES).toString('hex');
  const nameOf = (collection: string) => state.collections.get(collection)?.name ?? collection;
  const oldest = () => feedStates.get()?.oldest ?? 0;

  /** Returns the places of documents and access changes after `after` and before the horizon. */
  function placesAfter(after: FeedPlace, rows: readonly DocumentRow[], access: readonly AccessChangeRow[]): Placed[] {
    return [
      ...rows.map(({ position, id, collection }) => ({ place: { position, id }, collection })),
      ...access.map((row) => ({ place: placeOfAccess(row), collection: row.collection })),
    ].filter(({ place }) => place.position < feed.horizon && comparePlaces(place, after) > 0);
  }

  /** Returns the start of the next page, given that this one contains `taken` of the `found` changes. */
  function outcome(after: FeedPlace, found: readonly Placed[], taken: readonly unknown[]) {
    const last = found[taken.length - 1];
    if (last !== undefined && taken.length < found.length) return { next: last.place, more: true };
    const { horizon } = feed;
    return { next: after.position < horizon ? { position: horizon, id: '' } : after, more: false };
  }

  function concerns({ scope, openCollections }: ChangesWanted, { audience, collection }: AccessChangeRow): boolean {
    const { everything, owner, principals, followed } = scope;
    if (audience === EVERYBODY) return everything || openCollections.includes(collection);
    if (everything || owner === null) return !everything && principals.includes(audience);
    if (principals.includes(audience) || audience === authorAudience(owner)) return true;
    const [kind, key] = [audience.slice(0, 2), audience.slice(2)];
    return followed && kind === authorAudience('') && state.follows.has(owner, key);
  }

  function changeAt({ place, collection }: Placed, canRead: (row: DocumentRow) => boolean): Change {
    const row = documents.get(place.id);
    if (row === null || !canRead(row)) return { type: 'gone', place, collection: nameOf(collection), id: place.id };
    return { type: 'put', place, document: toRecord(state, row) };
  }

  function entryAt({ place, collection }: Placed, access: readonly string[]): FeedEntry {
    const row = documents.get(place.id);
    const head = { place, collectionKey: collection, collection: nameOf(collection), id: place.id, access };
    if (row === null) return { ...head, isChanged: false, document: null, readers: [] };
    const document = row.position > place.position ? null : toRecord(state, row);
    return { ...head, isChanged: row.position === place.position, document, readers: audiencesOf(row) };
  }

  return {
    state: () => ({ epoch, horizon: feed.horizon, oldest: oldest() }),
    read(wanted) {
      const { collections, scope, openCollections, after, limit, maxBytes } = wanted;
      const isWanted = ({ collection }: { readonly collection: string }) =>
        collections === null || collections.includes(collection);
      const canRead = (row: DocumentRow) =>
        openCollections.includes(row.collection) || allows(rightsOn(state, row, scope), 'read');
      const readable = documents.where((row) => row.position >= after.position && isWanted(row) && canRead(row));
      const departures = accessChanges.where(
        (row) => isWanted(row) && state.collections.has(row.collection) && concerns(wanted, row),
      );
      const found = lastOfEach(placesAfter(after, readable, departures), ({ id }) => id);
      const page = found.slice(0, limit).map((placed) => changeAt(placed, canRead));
      const changes = within(page, maxBytes, (change) => (change.type === 'put' ? [change.document.content] : []));
      return { changes, ...outcome(after, found, changes) };
    },
    readAll({ after, limit, maxBytes }) {
      const access = accessChanges.all();
      const found = lastOfEach(placesAfter(after, documents.all(), access), ({ position, id }) => `${position} ${id}`);
      const accessAt = ({ place }: Placed) =>
        access.filter((row) => comparePlaces(placeOfAccess(row), place) === 0).map(({ audience }) => audience);
      const page = found.slice(0, limit).map((placed) => entryAt(placed, accessAt(placed)));
      const entries = within(page, maxBytes, ({ document }) => (document === null ? [] : [document.content]));
      const marks = visibilityMarks
        .where(({ position }) => position >= after.position)
        .sort((a, b) => a.position - b.position)
        .map(({ recorded: _recorded, ...mark }) => mark);
      const visibility = marks.length > MAX_MARKS ? null : marks;
      return { entries, visibility, ...outcome(after, found, entries) };
    },
    recordAccess(documentId, audiences) {
      const row = documents.get(documentId);
      if (row !== null) addAccessChanges(state, row, audiences);
    },
    markVisibility(marks, now) {
      for (const { audience, collection, reason } of marks) {
        visibilityMarks.set({ audience, collection, reason, position: feed.current(), recorded: now });
      }
    },
    visibilityChange({ since, audiences, collections }) {
      const [first] = visibilityMarks
        .where(({ audience, position }) => position >= since && audiences.includes(audience))
        .filter(({ collection }) => collection === null || collections === null || collections.includes(collection))
        .sort((a, b) => a.position - b.position || Number(a.reason === 'follow') - Number(b.reason === 'follow'));
      if (first === undefined) return null;
      const { recorded: _recorded, ...mark } = first;
      return mark;
    },
    removeBefore(time, limit) {
      const isOld = ({ recorded }: { readonly recorded: number }) => recorded < time;
      const old = [
        ...accessChanges
          .where(isOld)
          .map((row) => ({ ...row, remove: () => accessChanges.delete(accessChanges.keyOf(row)) })),
        ...visibilityMarks
          .where(isOld)
          .map((row) => ({ ...row, remove: () => visibilityMarks.delete(visibilityMarks.keyOf(row)) })),
      ];
      const removed = old.sort((a, b) => a.position - b.position).slice(0, limit);
      for (const { remove } of removed) remove();
      const past = (removed.at(-1)?.position ?? -1) + 1;
      if (past > oldest()) feedStates.set({ oldest: past });
      return removed.length;
    },
  };
}
