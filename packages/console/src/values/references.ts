import { titleOf } from './documents.ts';
import { cellText } from './format.ts';
import type { JsonObject } from './json.ts';

/** Form of the ids of documents. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Members whose references are resolved, at most. */
const MOST = 5;
/** Names that `expand` accepts without quotes. */
const NAME = /^[A-Za-z]\w*$/;

const isId = (value: unknown) => typeof value === 'string' && ID.test(value);

/** Returns the names of members that may refer to other documents. */
export function referringMembers(documents: readonly JsonObject[]): string[] {
  const names = new Set<string>();
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      if (name === 'id' || !NAME.test(name)) continue;
      if (isId(value) || (Array.isArray(value) && value.length > 0 && value.every(isId))) names.add(name);
    }
  }
  return [...names].sort().slice(0, MOST);
}

/** A document that another one refers to. */
export interface Referenced {
  readonly id: string;
  readonly collection: string;
  readonly title: string;
}

function referencedIn(value: unknown): Referenced | null {
  if (typeof value !== 'object' || value === null) return null;
  const document = value as JsonObject;
  const { id, '@class': collection } = document;
  if (typeof id !== 'string' || typeof collection !== 'string') return null;
  const title = titleOf([document]);
  return { id, collection, title: (title === null ? '' : cellText(document[title])) || id };
}

/** Returns the documents in an expanded member; an empty list if it is no reference. */
export function referencesIn(expanded: unknown): readonly Referenced[] {
  const all: readonly unknown[] = Array.isArray(expanded) ? expanded : [expanded];
  return all.map(referencedIn).filter((one) => one !== null);
}
