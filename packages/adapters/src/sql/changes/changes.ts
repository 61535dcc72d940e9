import {
  type Change,
  type ChangeStore,
  type ChangesPage,
  type ChangesWanted,
  type DocumentRecord,
  isByDocument,
} from '@baobab/core';
import { createPositionedLookUps, type PositionedDocument } from '../documents/document-look-ups.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { createFeedEntries, type MarkRow, toVisibilityChange } from './feed-entries.ts';
import { createFeedPlaces, type NamedFeedRow } from './feed-places.ts';
import { recordAccess } from './feed-records.ts';
import { earlier, type FeedRow, latestRows, rowsUpToLast, upTo, whereToGoOn } from './feed-rows.ts';
import { createFeedState } from './feed-state.ts';
import * as SQL from './feed-statements.ts';

const textsOf = ({ content }: DocumentRecord) => [content];

export function createChangeStore(executor: SqlExecutor): ChangeStore {
  const state = createFeedState(executor);
  const places = createFeedPlaces(executor);
  const lookUp = createPositionedLookUps(executor);

  /**
   * Reads a page. Documents are read last, with the rights at that moment. Those that became unreadable since the
   * places were read are not in the page, and the reader is notified at a later place. The same applies to versions
   * newer than the horizon, since a reader with another snapshot may still have to report the previous version.
   */
  async function read(wanted: ChangesWanted): Promise<ChangesPage> {
    const { collections, scope, openCollections, after, limit, maxBytes } = wanted;
    const { horizon } = await state();
    if (after.position >= horizon) return { changes: [], next: after, more: false };
    const range = { after, horizon, collections };
    // The look-up decides which of the changed documents are readable if that depends on the document.
    const byDocument = Array.from(scope.rules ?? []).flatMap(([key, access]) => (isByDocument(access) ? [key] : []));
    const candidates = [...openCollections, ...byDocument];
    const documents = await places.readable(range, { scope, openCollections: candidates, limit });
    const access = await places.gainedOrLost(range, { scope, openCollections, limit });
    const end = earlier(documents.end, access.end);
    const found = latestRows([...documents.rows, ...access.rows].filter(upTo(end)));
    const page = found.slice(0, limit);
    const ids = page.map(({ id }) => id);
    const readable =
      ids.length === 0
        ? []
        : await lookUp({ ids, scope, openCollections, ...(maxBytes !== undefined && { maxBytes }) });
    const taken = rowsUpToLast(page, readable, { maxBytes, textsOf });
    const changes = changesAt(taken, { readable, horizon }, new Map(access.rows.map((row) => [row.id, row])));
    return { changes, ...whereToGoOn({ after, horizon }, { found, taken: taken.length, end }) };
  }

  return {
    state,
    read,
    ...createFeedEntries(executor),
    recordAccess: (documentId, audiences) => recordAccess(executor, documentId, audiences),
    async markVisibility(marks, now) {
      const rows = marks.map(({ audience, collection, reason }) => [audience, collection ?? '', reason]);
      for (const row of rows.toSorted()) {
        await executor.change(SQL.MARK(executor), [...row, now]);
      }
    },
    async visibilityChange({ since, audiences, collections }) {
      const values = [since, JSON.stringify(audiences)];
      const [first] =
        collections === null
          ? await executor.read<MarkRow>(SQL.FIRST_MARK(executor), values)
          : await executor.read<MarkRow>(SQL.FIRST_MARK_IN(executor), [...values, JSON.stringify(collections)]);
      return first === undefined ? null : toVisibilityChange(first);
    },
    removeBefore: (time, limit) =>
      executor.atomic(async (transaction) => {
        let removed = 0;
        let oldest = 0;
        for (const remove of SQL.REMOVE_OLD) {
          const rows = await transaction.write<{ position: number }>(remove, [time, limit - removed]);
          removed += rows.length;
          for (const { position } of rows) oldest = Math.max(oldest, position + 1);
        }
        if (removed > 0) await transaction.change(SQL.RAISE_OLDEST, [oldest]);
        return removed;
      }),
  };
}

/** Returns the changes at these places: readable documents, and others that the reader lost. */
function changesAt(
  rows: readonly FeedRow[],
  { readable, horizon }: { readonly readable: readonly PositionedDocument[]; readonly horizon: number },
  lost: ReadonlyMap<string, NamedFeedRow>,
): Change[] {
  const documents = new Map(readable.map((document) => [document.id, document]));
  return rows.flatMap(({ position, id }): Change[] => {
    const place = { position, id };
    const found = documents.get(id);
    if (found !== undefined) {
      const { position: newest, ...document } = found;
      return newest < horizon ? [{ type: 'put', place, document }] : [];
    }
    const collection = lost.get(id)?.name ?? null;
    return collection === null ? [] : [{ type: 'gone', place, collection, id }];
  });
}
