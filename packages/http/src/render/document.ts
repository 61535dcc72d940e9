import {
  type Change,
  type ExpandedDocument,
  type ExpandedMember,
  type FoundBySearch,
  grantMembers,
  type NamedGrant,
  shownAuthor,
  type WrittenDocument,
  wireDate,
} from '@baobab/core';
import { profileJson } from './profile.ts';

/**
 * Returns a document as JSON text: the server's own fields, then the stored content, which is never parsed in between.
 * Collection names need no escaping; user names may.
 *
 * @param document without content and user names for callers who may not read it
 * @param grants included if given
 */
export function documentJson(document: WrittenDocument, grants: readonly NamedGrant[] | null = null): string {
  const { id, collection, author, updatedBy, version, created, updated, content } = document;
  const creation = wireDate(created);
  const update = updated === created ? creation : wireDate(updated);
  const own =
    `{"id":"${id}","@ID":"${id}","@rid":"#${id}","@version":${version},"@class":"${collection}",` +
    `"_creation_date":"${creation}","_update_date":"${update}"`;
  if (content === null) return `${own}}`;
  const by = JSON.stringify(author && shownAuthor(author));
  const ofAuthor = `${own},"_author":${by},"_updated_by":${updatedBy === author ? by : JSON.stringify(updatedBy)}`;
  const shown = grants === null ? ofAuthor : `${ofAuthor},${JSON.stringify(grantMembers(grants)).slice(1, -1)}`;
  return content === '{}' ? `${shown}}` : `${shown},${content.slice(1)}`;
}

/** Returns a document of a list, with its score if it is the result of a search. */
function foundJson(document: FoundBySearch): string {
  const text = documentJson(document);
  return document.score === undefined ? text : `${text.slice(0, -1)},"_score":${document.score}}`;
}

export function documentsJson(documents: readonly FoundBySearch[]): string {
  return `[${documents.map(foundJson).join(',')}]`;
}

function valueJson({ value }: ExpandedMember): string {
  if (value.kind === 'profile') return profileJson(value.profile);
  return value.kind === 'document' ? expandedJson(value.document) : expandedDocumentsJson(value.documents);
}

/** Returns a document as JSON text, with its expanded documents and profiles. */
export function expandedJson(
  { document, expanded }: ExpandedDocument,
  grants: readonly NamedGrant[] | null = null,
): string {
  const own = grants === null ? foundJson(document) : documentJson(document, grants);
  if (expanded === null) return own;
  const members = expanded.map((member) => `${JSON.stringify(member.name)}:${valueJson(member)}`);
  return `${own.slice(0, -1)},"_expanded":{${members.join(',')}}}`;
}

export function expandedDocumentsJson(documents: readonly ExpandedDocument[]): string {
  return `[${documents.map((document) => expandedJson(document)).join(',')}]`;
}

/** Returns a change as JSON text. Collection names need no escaping. */
export function changeJson(change: Change): string {
  if (change.type === 'gone') return `{"type":"gone","collection":"${change.collection}","id":"${change.id}"}`;
  const { collection, id, version } = change.document;
  return `{"type":"put","collection":"${collection}","id":"${id}","version":${version},"document":${documentJson(change.document)}}`;
}

export const changesJson = (changes: readonly Change[]) => `[${changes.map(changeJson).join(',')}]`;
