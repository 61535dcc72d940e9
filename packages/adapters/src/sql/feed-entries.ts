import {
  authorAudience,
  type ChangeStore,
  type DocumentRecord,
  type FeedBatch,
  type FeedEntry,
  type FeedPlace,
  type FeedState,
  type SightChange,
  type SightReason,
} from '@baobab/core';
import { readBounded } from './bounded.ts';
import { FIRST_ID, pageSize } from './document-list-statements.ts';
import type { SqlExecutor } from './executor.ts';
import { latestRows, rowsUpToLast, whereToGoOn } from './feed-pages.ts';
import { createFeedPlaces } from './feed-places.ts';
import { earlier, type FeedRow, upTo } from './feed-rows.ts';
import { createFeedState } from './feed-state.ts';
import * as SQL from './feed-statements.ts';

export interface MarkRow {
  readonly audience: string;
  /** Empty: all. */
  readonly key: string;
  readonly reason: SightReason;
  readonly position: number;
}

export const toSightChange = ({ audience, key, reason, position }: MarkRow): SightChange => ({
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

/** Reads the feed for a reader on behalf of many users, inside one snapshot of the database. */
function createBatches(executor: SqlExecutor) {
  const places = createFeedPlaces(executor);

  /** The first changed documents, and those to which access changed. */
  async function changedRows({ after, limit }: Wanted, { horizon }: FeedState) {
    const range = { after, horizon, collections: null };
    const documents = await places.all(range, limit);
    const size = pageSize(limit + 1);
    const from = [after.position, idOf(after), horizon];
    const access = await executor.read<FeedRow>(SQL.anyAccessPlaces(size), from);
    const last = access.length < size ? null : (access.at(-1) ?? null);
    const end = earlier(documents.end, last);
    const rows = [...documents.rows, ...access].filter(upTo(end));
    return { found: latestRows(rows), end };
  }

  /** For each document the audiences to which access changed. */
  async function audiencesOf(after: FeedPlace, last: FeedPlace | undefined): Promise<Map<string, string[]>> {
    const audiences = new Map<string, string[]>();
    if (last === undefined) return audiences;
    const values = [after.position, idOf(after), last.position, last.id];
    for (const { id, audience } of await executor.read<{ id: string; audience: string }>(SQL.ACCESS_BETWEEN, values)) {
      const known = audiences.get(id);
      if (known === undefined) audiences.set(id, [audience]);
      else known.push(audience);
    }
    return audiences;
  }

  async function collectionsOf(rows: readonly FeedRow[]) {
    const ids = JSON.stringify(Array.from(new Set(rows.map(({ collection }) => collection))));
    const named = await executor.read<{ id: string; key: string; name: string }>(SQL.NAMES_OF_COLLECTIONS(executor), [
      ids,
    ]);
    return new Map(named.map((one) => [one.id, one]));
  }

  function readDocuments(rows: readonly FeedRow[], maxBytes: number | undefined): Promise<DocumentRow[]> {
    return readBounded<DocumentRow>(executor, 'read', {
      text: SQL.WITH_READERS(executor),
      values: [JSON.stringify(rows.map(({ id }) => id))],
      columns: SQL.READERS_COLUMNS,
      order: 'place',
      rows: rows.length,
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
      return [toEntry(row, { collection, document: byId.get(row.id), left: audiences.get(row.id) ?? [], state })];
    });
    const sight = await executor.read<MarkRow>(SQL.MARKS_BETWEEN, [after.position, next.position]);
    return { entries, sight: sight.map(toSightChange), next, more };
  };
}

function toEntry(
  { position, id }: FeedRow,
  {
    collection,
    document: found,
    left,
    state,
  }: {
    readonly collection: { readonly key: string; readonly name: string };
    readonly document: DocumentRow | undefined;
    readonly left: readonly string[];
    readonly state: FeedState;
  },
): FeedEntry {
  const head = { place: { position, id }, collectionKey: collection.key, collection: collection.name, id, left };
  if (found === undefined) return { ...head, document: null, readers: [] };
  const { authorId, position: newest, readers: granted, place: _place, ...document } = found;
  const readers = [authorAudience(authorId), ...granted.split(SQL.SEPARATOR).filter((principal) => principal !== '')];
  // A newer state, which follows at its own place: marks that come before it are not in this batch.
  if (newest >= state.horizon) {
    return { ...head, document: null, readers: [], left: left.filter((audience) => !readers.includes(audience)) };
  }
  return { ...head, document, readers };
}

/** The method of a change store that reads the feed for many users. */
export function createFeedEntries(executor: SqlExecutor): Pick<ChangeStore, 'readAll'> {
  return {
    readAll: (wanted) =>
      executor.snapshot(async (snapshot) => {
        const state = await createFeedState(snapshot)();
        return createBatches(snapshot)(wanted, state);
      }),
  };
}
