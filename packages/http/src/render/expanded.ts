import { type ExpandedDocument, type ExpandedMember, type NamedGrant, removeJsonAt } from '@baobab/core';
import { documentJson } from './document.ts';
import { profileJson } from './profile.ts';

const EXPANDED = '_expanded';

function valueJson({ value }: ExpandedMember): string {
  if (value.kind === 'profile') return profileJson(value.profile);
  return value.kind === 'document' ? expandedJson(value.document) : expandedDocumentsJson(value.documents);
}

/**
 * A document as JSON text, with what it refers to. Documents of earlier versions may have a member of the same name in
 * their content: it is left out.
 */
export function expandedJson(
  { document, expanded }: ExpandedDocument,
  grants: readonly NamedGrant[] | null = null,
): string {
  if (expanded === null) return documentJson(document, grants);
  const { content: stored } = document;
  const content = (stored.includes(`"${EXPANDED}"`) && removeJsonAt(stored, [EXPANDED])) || stored;
  const members = expanded.map((member) => `${JSON.stringify(member.name)}:${valueJson(member)}`);
  return `${documentJson({ ...document, content }, grants).slice(0, -1)},"${EXPANDED}":{${members.join(',')}}}`;
}

export function expandedDocumentsJson(documents: readonly ExpandedDocument[]): string {
  return `[${documents.map((document) => expandedJson(document)).join(',')}]`;
}
