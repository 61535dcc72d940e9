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
  sufficientRights,
} from '@baobab/core';
import { isFollowing, rightsOn, toRecord } from './document-rows.ts';
import { type AccessChangeRow, accessChangeKey, visibilityMarkKey } from './feed-rows.ts';
import { within } from './searches.ts';
import type { DocumentRow, State } from './state.ts';

const EPOCH_BYTES = 8;

const comparePlaces = (a: FeedPlace, b: FeedPlace) => a.position - b.position || compareCodePoints(a.id, b.id);

/** A place in the feed at which a document changed. */
interface Placed {
  readonly place: FeedPlace;
  /** Key of its collection. */
  readonly collection: string;
}

/** Returns the greatest place of each document, in order. */
function latestOf(placed: readonly Placed[]): Placed[] {
  const latest = new Map(placed.toSorted((a, b) => comparePlaces(a.place, b.place)).map((one) => [one.place.id, one]));
  return Array.from(latest.values()).sort((a, b) => comparePlaces(a.place, b.place));
}

/** Returns distinct places, in order. */
function eachPlaceOf(placed: readonly Placed[]): Placed[] {
  const all = new Map(placed.map((one) => [`${one.place.position} ${one.place.id}`, one]));
  return Array.from(all.values()).sort((a, b) => comparePlaces(a.place, b.place));
}

const placeOf = ({ position, id }: DocumentRow): Placed['place'] => ({ position, id });
const placeOfAccess = ({ position, document }: AccessChangeRow): Placed['place'] => ({ position, id: document });

export function createChangeStore(state: State, epoch = randomBytes(EPOCH_BYTES).toString('hex')): ChangeStore {
  const nameOf = (collection: string) => state.collections.get(collection)?.name ?? collection;

  /** Returns a test for places after `after` and before the horizon. */
  const isNew = (after: FeedPlace) => (place: FeedPlace) =>
    place.position < state.feed.horizon && comparePlaces(place, after) > 0;

  /** Returns the start of the next page, given that this one contains `taken` of the `found` changes. */
  function outcome(after: FeedPlace, found: readonly Placed[], taken: readonly unknown[]) {
    const last = found[taken.length - 1];
    if (last !== undefined && taken.length < found.length) return { next: last.place, more: true };
    const { horizon } = state.feed;
    return { next: after.position < horizon ? { position: horizon, id: '' } : after, more: false };
  }

  function concerns({ scope, openCollections }: ChangesWanted, { audience, collection }: AccessChangeRow): boolean {
    const { everything, owner, principals, followed } = scope;
    if (audience === EVERYBODY) return everything || openCollections.includes(collection);
    if (everything || owner === null) return !everything && principals.includes(audience);
    if (principals.includes(audience) || audience === authorAudience(owner)) return true;
    const [kind, key] = [audience.slice(0, 2), audience.slice(2)];
    return followed && kind === authorAudience('') && isFollowing(state, owner, key);
  }

  function changeAt(place: FeedPlace, collection: string, canRead: (row: DocumentRow) => boolean): Change {
    const row = state.documents.get(place.id);
    if (row === undefined || !canRead(row)) {
      return { type: 'gone', place, collection: nameOf(collection), id: place.id };
    }
    return { type: 'put', place, document: toRecord(state, row) };
  }

  function entryAt({ place, collection }: Placed, access: readonly string[]): FeedEntry {
    const row = state.documents.get(place.id);
    const head = { place, collectionKey: collection, collection: nameOf(collection), id: place.id, access };
    if (row === undefined) return { ...head, isChanged: false, document: null, readers: [] };
    const granted = Array.from(row.grants).filter(([, rights]) => (rights & sufficientRights('read')) !== 0);
    const readers = [EVERYBODY, authorAudience(row.authorId), ...granted.map(([principal]) => principal)];
    const document = row.position > place.position ? null : toRecord(state, row);
    return { ...head, isChanged: row.position === place.position, document, readers };
  }

  const oldest = () => state.feedStates.get('')?.oldest ?? 0;

  return {
    async state() {
      return { epoch, horizon: state.feed.horizon, oldest: oldest() };
    },
    async read(wanted) {
      const { collections, scope, openCollections, after, limit, maxBytes } = wanted;
      const isWanted = (collection: string) => collections === null || collections.includes(collection);
      const canRead = (row: DocumentRow) =>
        openCollections.includes(row.collection) || allows(rightsOn(state, row, scope), 'read');
      const documents = state.documents.values().filter((row) => isWanted(row.collection) && canRead(row));
      const departures = state.accessChanges
        .values()
        .filter((row) => isWanted(row.collection) && state.collections.get(row.collection) && concerns(wanted, row));
      const isLater = isNew(after);
      const found = latestOf(
        [
          ...documents.map((row) => ({ place: placeOf(row), collection: row.collection })),
          ...departures.map((row) => ({ place: placeOfAccess(row), collection: row.collection })),
        ].filter(({ place }) => isLater(place)),
      );
      const page = found.slice(0, limit).map(({ place, collection }) => changeAt(place, collection, canRead));
      const changes = within(page, maxBytes, (change) => (change.type === 'put' ? [change.document.content] : []));
      return { changes, ...outcome(after, found, changes) };
    },
    async readAll({ after, limit, maxBytes }) {
      const isLater = isNew(after);
      const access = state.accessChanges.values().filter((row) => isLater(placeOfAccess(row)));
      const found = eachPlaceOf(
        [
          ...state.documents.values().map((row) => ({ place: placeOf(row), collection: row.collection })),
          ...access.map((row) => ({ place: placeOfAccess(row), collection: row.collection })),
        ].filter(({ place }) => isLater(place)),
      );
      const audiencesOf = ({ place }: Placed) =>
        access.filter((row) => comparePlaces(placeOfAccess(row), place) === 0).map(({ audience }) => audience);
      const page = found.slice(0, limit).map((placed) => entryAt(placed, audiencesOf(placed)));
      const entries = within(page, maxBytes, ({ document }) => (document === null ? [] : [document.content]));
      const { next, more } = outcome(after, found, entries);
      const visibility = state.visibilityMarks
        .values()
        .filter(({ position }) => position >= after.position)
        .sort((a, b) => a.position - b.position)
        .map(({ recorded: _recorded, ...mark }) => mark);
      return { entries, visibility: visibility.length > MAX_MARKS ? null : visibility, next, more };
    },
    async markVisibility({ audience, collection, reason }, now) {
      state.visibilityMarks.set({ audience, collection, reason, position: state.feed.current(), recorded: now });
    },
    async visibilityChange({ since, audiences, collections }) {
      const [first] = state.visibilityMarks
        .values()
        .filter(({ audience, position }) => position >= since && audiences.includes(audience))
        .filter(({ collection }) => collection === null || collections === null || collections.includes(collection))
        .sort((a, b) => a.position - b.position || Number(a.reason === 'follow') - Number(b.reason === 'follow'));
      if (first === undefined) return null;
      const { recorded: _recorded, ...mark } = first;
      return mark;
    },
    async removeBefore(time, limit) {
      const removals = [
        ...state.accessChanges
          .values()
          .map((row) => ({ ...row, remove: () => state.accessChanges.delete(accessChangeKey(row)) })),
        ...state.visibilityMarks
          .values()
          .map((row) => ({ ...row, remove: () => state.visibilityMarks.delete(visibilityMarkKey(row)) })),
      ];
      const old = removals
        .filter(({ recorded }) => recorded < time)
        .sort((a, b) => a.position - b.position)
        .slice(0, limit);
      for (const { remove } of old) remove();
      const past = (old.at(-1)?.position ?? -1) + 1;
      if (past > oldest()) state.feedStates.set({ key: '', oldest: past });
      return old.length;
    },
  };
}
