import { EVERYBODY } from '../access.ts';
import type { VisibilityMark } from '../ports/storage/changes.ts';
import type { CollectionRules } from '../ports/storage/collections.ts';
import type { Stores } from '../ports/storage/storage.ts';

type AllRules = ReadonlyMap<string, Pick<CollectionRules, 'parent'>>;

/** Returns the collections whose documents may inherit permissions from those of a collection, directly or not. */
export function inheritorsOf(rules: AllRules, key: string, found = new Set<string>()): ReadonlySet<string> {
  for (const [child, { parent }] of rules) {
    if (parent === null || child === key || (parent.collection ?? key) !== key || found.has(child)) continue;
    inheritorsOf(rules, child, found.add(child));
  }
  return found;
}

const marksFor = (collections: Iterable<string>): VisibilityMark[] =>
  Array.from(collections, (collection) => ({ audience: EVERYBODY, collection, reason: 'rules' }));

/** Returns marks that permissions on documents that inherit from those of a collection change, for everyone. */
export async function inheritorMarks(
  { collections }: Pick<Stores, 'collections'>,
  key: string,
): Promise<VisibilityMark[]> {
  return marksFor(inheritorsOf(await collections.rules(), key));
}

/** Marks, before many documents are removed, the collections in which rules depend on the document. */
export async function markRuled(
  { collections, changes }: Pick<Stores, 'collections' | 'changes'>,
  now: number,
): Promise<void> {
  const isByDocument = ({ read, parent }: CollectionRules) =>
    parent !== null || read.some(({ condition }) => condition !== null);
  const rules = Array.from(await collections.rules());
  await changes.markVisibility(marksFor(rules.flatMap(([key, rule]) => (isByDocument(rule) ? [key] : []))), now);
}
