import {
  createComparator,
  createTest,
  type DocumentList,
  type DocumentRecord,
  type DocumentSummary,
  documentColumn,
  documentResolver,
  type ListPosition,
  type OrderKey,
  sortValues,
  summarize,
} from '@baobab/core';
import { textsOfSummary, within } from './searches.ts';

const isCreation = ({ path }: OrderKey) =>
  path.length === 1 && (documentColumn(path[0]) === 'id' || documentColumn(path[0]) === 'created');

/** The order of creation is the order of the ids; the id is unique, so later keys have no effect. */
function keysOf(order: readonly OrderKey[]): OrderKey[] {
  const at = order.findIndex(isCreation);
  const key = order[at];
  return key === undefined ? [...order] : [...order.slice(0, at), { ...key, path: ['id'] }];
}

function positionIn(order: readonly OrderKey[], { keys, id }: ListPosition): ListPosition {
  return { id, keys: order.map((key, at) => (isCreation(key) ? id : (keys[at] ?? null))) };
}

/** The documents for which the condition holds. */
export function found(documents: readonly DocumentRecord[], where: DocumentList['where']): readonly DocumentRecord[] {
  if (where === null) return documents;
  const test = createTest(where);
  return documents.filter((document) => test(documentResolver(document)));
}

/** @param documents by ascending id */
export function listed(
  documents: readonly DocumentRecord[],
  { where, order, after, skip, limit, maxBytes }: DocumentList,
): DocumentRecord[] {
  const keys = keysOf(order);
  const compare = createComparator(keys);
  const start = after === null ? null : positionIn(keys, after);
  const placed = found(documents, where).map((document) => ({
    document,
    place: { keys: sortValues(keys, documentResolver(document)), id: document.id },
  }));
  const page = placed
    .filter(({ place }) => start === null || compare(place, start) > 0)
    .sort((a, b) => compare(a.place, b.place))
    .slice(skip, skip + limit)
    .map(({ document }) => document);
  return within(page, maxBytes, ({ content }) => [content]);
}

export function summarized(documents: readonly DocumentRecord[], summary: DocumentSummary) {
  const { where, skip, limit, maxBytes } = summary;
  const rows = summarize(found(documents, where).map(documentResolver), summary).slice(skip, skip + limit);
  return within(rows, maxBytes, textsOfSummary);
}
