import {
  authorAudience,
  type ChangeStore,
  type DocumentRecord,
  EVERYBODY,
  type FeedBatch,
  type FeedEntry,
  type FeedPlace,
  type FeedState,
  MAX_MARKS,
  type VisibilityChange,
  type VisibilityReason,
} from '@baobab/core';
import { FIRST_ID } from '../lists/document-list-statements.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { pageSize, readBounded } from '../statements/pages.ts';
import { createFeedPlaces } from './feed-places.ts';
import { comparePlaces, earlier, type FeedRow, rowsUpToLast, upTo, whereToGoOn } from './feed-rows.ts';
import { createFeedState } from './feed-state.ts';
import * as SQL from './feed-statements.ts';

export interface MarkRow {
  readonly audience: string;
  /** Empty for all. */
  readonly key: string;
  readonly reason: VisibilityReason;
  readonly position: number;
}

export const toVisibilityChange = ({ audience, key, reason, position }: MarkRow): VisibilityChange => ({
  audience,
  collection: key === '' ? null : key,
  reason,
  position,
});

interface DocumentRow extends DocumentRecord {
  readonly authorId: string;
  readonly position: number;
  readonly readers: string;
  readonly place: number;
}

const textsOf = ({ content, readers }: DocumentRow) => [content, readers];

type Wanted = Parameters<ChangeStore['readAll']>[0];

const idOf = ({ id }: FeedPlace) => (id === '' ? FIRST_ID : id);
const nameOf = ({ position, id }: FeedPlace) => `${position} ${id}`;
const distinct = <Value>(values: Iterable<Value>): Value[] => Array.from(new Set(values));

/** Reads the feed for many users at a time, in one snapshot of the database. */
function createBatches(executor: SqlExecutor) {
  const places = createFeedPlaces(executor);

  /** Returns the first changed documents, and those with changed access. */
  async function changedRows({ after, limit }: Wanted, { horizon }: FeedState) {
    const range = { after, horizon, collections: null };
    const documents = await places.all(range, limit);
    const size = pageSize(limit + 1);
    const from = [after.position, idOf(after), horizon];
    const access = await executor.read<FeedRow>(SQL.anyAccessPlaces(size), from);
    const last = access.length < size ? null : (access.at(-1) ?? null);
    const end = earlier(documents.end, last);
    const byPlace = new Map([...access, ...documents.rows].map((row) => [nameOf(row), row]));
    return { found: Array.from(byPlace.values()).filter(upTo(end)).sort(comparePlaces), end };
  }

  /** Returns the audiences with changed access for each place. */
  async function audiencesOf(after: FeedPlace, last: FeedPlace | undefined): Promise<Map<string, string[]>> {
    const audiences = new Map<string, string[]>();
    if (last === undefined) return audiences;
    const values = [after.position, idOf(after), last.position, last.id];
    const rows = await executor.read<FeedPlace & { audience: string }>(SQL.ACCESS_BETWEEN, values);
    for (const { audience, ...place } of rows) {
      const known = audiences.get(nameOf(place));
      if (known === undefined) audiences.set(nameOf(place), [audience]);
      else known.push(audience);
    }
    return audiences;
  }

  async function collectionsOf(rows: readonly FeedRow[]) {
    const ids = JSON.stringify(distinct(rows.map(({ collection }) => collection)));
    const named = await executor.read<{ id: string; key: string; name: string }>(SQL.NAMES_OF_COLLECTIONS(executor), [
      ids,
    ]);
    return new Map(named.map((one) => [one.id, one]));
  }

  function readDocuments(rows: readonly FeedRow[], maxBytes: number | undefined): Promise<DocumentRow[]> {
    const ids = distinct(rows.map(({ id }) => id));
    return readBounded<DocumentRow>(executor, 'read', {
      text: SQL.WITH_READERS(executor),
      values: [JSON.stringify(ids)],
      columns: SQL.READERS_COLUMNS,
      order: 'place',
      maxBytes,
    });
  }

  return async function read(wanted: Wanted, state: FeedState): Promise<FeedBatch> {
    const { after, limit, maxBytes } = wanted;
    const { found, end } = await changedRows(wanted, state);
    const page = found.slice(0, limit);
    const documents = (await readDocuments(page, maxBytes)).toSorted((a, b) => a.place - b.place);
    const taken = rowsUpToLast(page, documents, { maxBytes, textsOf });
    const { next, more } = whereToGoOn({ after, horizon: state.horizon }, { found, taken: taken.length, end });
    const [audiences, collections] = [await audiencesOf(after, taken.at(-1)), await collectionsOf(taken)];
    const byId = new Map(documents.map((document) => [document.id, document]));
    const entries = taken.flatMap((row) => {
      const collection = collections.get(row.collection);
      if (collection === undefined) return [];
      return [toEntry(row, { collection, document: byId.get(row.id), access: audiences.get(nameOf(row)) ?? [] })];
    });
    const marks = await executor.read<MarkRow>(SQL.MARKS_FROM, [after.position]);
    return { entries, visibility: marks.length > MAX_MARKS ? null : marks.map(toVisibilityChange), next, more };
  };
}

function toEntry(
  { position, id }: FeedRow,
  {
    collection,
    document: found,
    access,
  }: {
    readonly collection: { readonly key: string; readonly name: string };
    readonly document: DocumentRow | undefined;
    readonly access: readonly string[];
  },
): FeedEntry {
  const head = { place: { position, id }, collectionKey: collection.key, collection: collection.name, id, access };
  if (found === undefined) return { ...head, isChanged: false, document: null, readers: [] };
  const { authorId, position: newest, readers: granted, place: _place, ...document } = found;
  const principals = granted.split(SQL.SEPARATOR).filter((principal) => principal !== '');
  const readers = [EVERYBODY, authorAudience(authorId), ...principals];
  return { ...head, isChanged: newest === position, document: newest > position ? null : document, readers };
}

/** Creates the method of a change store that reads the feed for many users. */
export function createFeedEntries(executor: SqlExecutor): Pick<ChangeStore, 'readAll'> {
  return {
    readAll: (wanted) =>
      executor.snapshot(async (snapshot) => {
        const state = await createFeedState(snapshot)();
        return createBatches(snapshot)(wanted, state);
      }),
  };
}
