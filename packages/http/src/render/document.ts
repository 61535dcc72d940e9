import { type DocumentRecord, grantMembers, type NamedGrant, type WrittenDocument, wireDate } from '@baobab/core';

/**
 * Returns a document as JSON text: the server's own fields, then the stored content, which is never parsed in between.
 * Collection names need no escaping; user names may.
 *
 * @param document without content and author for callers who may not read it
 * @param grants included if given
 */
export function documentJson(document: WrittenDocument, grants: readonly NamedGrant[] | null = null): string {
  const { id, collection, author, version, created, updated, content } = document;
  const creation = wireDate(created);
  const update = updated === created ? creation : wireDate(updated);
  const own =
    `{"id":"${id}","@ID":"${id}","@rid":"#${id}","@version":${version},"@class":"${collection}",` +
    `"_creation_date":"${creation}","_update_date":"${update}"`;
  if (content === null) return `${own}}`;
  const ofAuthor = `${own},"_author":${JSON.stringify(author)}`;
  const shown = grants === null ? ofAuthor : `${ofAuthor},${JSON.stringify(grantMembers(grants)).slice(1, -1)}`;
  return content === '{}' ? `${shown}}` : `${shown},${content.slice(1)}`;
}

export function documentsJson(documents: readonly DocumentRecord[]): string {
  return `[${documents.map((document) => documentJson(document)).join(',')}]`;
}
