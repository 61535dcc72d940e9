import type { Actor, DocumentPath, Documents } from '@baobab/core';
import { expandOf } from '../criteria.ts';
import type { RawQuery } from '../list-body.ts';
import { documentJson } from '../render/document.ts';
import { expandedJson } from '../render/expanded.ts';

export interface DocumentRead {
  readonly path: DocumentPath;
  /** `withAcl` and `expand` */
  readonly query: RawQuery;
  /** Maximum bytes of the expanded references. */
  readonly maxBytes: number;
}

/** Returns one document as JSON text, with its grants and expanded references if the query requests them. */
export async function readJson(
  documents: Documents,
  actor: Actor,
  { path, query, maxBytes }: DocumentRead,
): Promise<string> {
  const references = expandOf(query);
  const isWithGrants = query.withAcl === 'true';
  const { document, grants } = isWithGrants
    ? await documents.readWithGrants(actor, path)
    : { document: await documents.read(actor, path), grants: null };
  if (references === null) return documentJson(document, grants);
  return expandedJson(await documents.expand(actor, document, { references, maxBytes }), grants);
}
