import type { ExpandedDocument, ExpandedMember, NamedGrant } from '@baobab/core';
import { documentJson } from './document.ts';
import { profileJson } from './profile.ts';

function valueJson({ value }: ExpandedMember): string {
  if (value.kind === 'profile') return profileJson(value.profile);
  return value.kind === 'document' ? expandedJson(value.document) : expandedDocumentsJson(value.documents);
}

/** Returns a document as JSON text, with its expanded documents and profiles. */
export function expandedJson(
  { document, expanded }: ExpandedDocument,
  grants: readonly NamedGrant[] | null = null,
): string {
  if (expanded === null) return documentJson(document, grants);
  const members = expanded.map((member) => `${JSON.stringify(member.name)}:${valueJson(member)}`);
  return `${documentJson(document, grants).slice(0, -1)},"_expanded":{${members.join(',')}}}`;
}

export function expandedDocumentsJson(documents: readonly ExpandedDocument[]): string {
  return `[${documents.map((document) => expandedJson(document)).join(',')}]`;
}
