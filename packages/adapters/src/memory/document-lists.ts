import {
  createTest,
  type DocumentList,
  type DocumentRecord,
  type DocumentSummary,
  documentResolver,
  summarize,
} from '@baobab/core';
import { createDocumentOrder } from '../document-order.ts';
import { textsOfSummary, within } from './searches.ts';

/** Returns the documents that match the filter. */
export function found(documents: readonly DocumentRecord[], where: DocumentList['where']): readonly DocumentRecord[] {
  if (where === null) return documents;
  const test = createTest(where);
  return documents.filter((document) => test(documentResolver(document)));
}

/** @param documents in ascending order of ids */
export function listed(
  documents: readonly DocumentRecord[],
  { where, order, after, skip, limit, maxBytes }: DocumentList,
): DocumentRecord[] {
  const { compare, placeOf, placeAt } = createDocumentOrder(order);
  const start = after === null ? null : placeAt(after);
  const placed = found(documents, where).map((document) => ({ document, place: placeOf(document) }));
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
