import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Profile } from '../users/profiles.ts';
import { byteLength } from '../utf8.ts';
import type { Reference } from './references.ts';
import { createTargets, createWanted, type Referring, type TargetsOf } from './targets.ts';

/** Approximate overhead per document or profile in a response, in bytes. */
const SURROUNDINGS = 300;

/** A document with its expanded references. */
export interface ExpandedDocument {
  readonly document: DocumentRecord;
  /** Readable references, in request order; null if none were to be expanded. */
  readonly expanded: readonly ExpandedMember[] | null;
}

type ExpandedValue =
  | { readonly kind: 'profile'; readonly profile: Profile }
  | { readonly kind: 'document'; readonly document: ExpandedDocument }
  | { readonly kind: 'documents'; readonly documents: readonly ExpandedDocument[] };

export interface ExpandedMember {
  readonly name: string;
  readonly value: ExpandedValue;
}

/** An expanded item, with its size in a response, in bytes. */
interface Weighed<T> {
  readonly value: T;
  readonly bytes: number;
}

/** Undefined before it is looked up; null if it cannot be read. */
type Looked<T> = T | null | undefined;

const bytesOf = (texts: readonly (string | null)[]) =>
  texts.reduce((sum, text) => sum + byteLength(text ?? ''), SURROUNDINGS);

/** Items looked up so far; null for those that cannot be read. */
interface Found {
  /** By id. */
  readonly documents: ReadonlyMap<string, DocumentRecord | null>;
  /** By key. */
  readonly profiles: ReadonlyMap<string, Profile | null>;
}

/**
 * Creates a function that expands a document. Its result is undefined if a referenced item has not been looked up.
 * Items referenced by several documents are expanded once.
 */
function createExpander(targetsOf: TargetsOf, { documents, profiles }: Found) {
  const made = new Map<Reference, Map<string, Looked<Weighed<ExpandedDocument>>>>();
  const weighedProfiles = new Map<string, Weighed<ExpandedValue>>();

  function referred(id: string, { inner }: Reference): Looked<Weighed<ExpandedDocument>> {
    const document = documents.get(id);
    if (!document) return document;
    const bytes = bytesOf([document.content]);
    if (inner.length === 0) return { value: { document, expanded: null }, bytes };
    const expanded = expand(document, inner);
    return expanded && { value: expanded.value, bytes: bytes + expanded.bytes };
  }

  function referredOnce(id: string, reference: Reference): Looked<Weighed<ExpandedDocument>> {
    const byId = made.get(reference) ?? new Map<string, Looked<Weighed<ExpandedDocument>>>();
    made.set(reference, byId);
    if (!byId.has(id)) byId.set(id, referred(id, reference));
    return byId.get(id);
  }

  function documentsOf(ids: readonly string[], reference: Reference): Weighed<ExpandedDocument[]> | undefined {
    const value: ExpandedDocument[] = [];
    let bytes = 0;
    for (const id of ids) {
      const one = referredOnce(id, reference);
      if (one === undefined) return undefined;
      if (one === null) continue;
      value.push(one.value);
      bytes += one.bytes;
    }
    return { value, bytes };
  }

  function profileOnce(key: string): Looked<Weighed<ExpandedValue>> {
    const profile = profiles.get(key);
    if (!profile) return profile;
    const weighed: Weighed<ExpandedValue> = weighedProfiles.get(key) ?? {
      value: { kind: 'profile', profile },
      bytes: bytesOf(Object.values(profile.sections)),
    };
    weighedProfiles.set(key, weighed);
    return weighed;
  }

  function targetValue({ reference, target }: Referring): Looked<Weighed<ExpandedValue>> {
    if (target.kind === 'profile') return profileOnce(target.key);
    const shown = documentsOf(target.ids, reference);
    if (shown === undefined) return undefined;
    const { value, bytes } = shown;
    if (target.kind === 'documents') return { value: { kind: 'documents', documents: value }, bytes };
    const [document] = value;
    return document === undefined ? null : { value: { kind: 'document', document }, bytes };
  }

  function expand(document: DocumentRecord, references: readonly Reference[]): Weighed<ExpandedDocument> | undefined {
    const expanded: ExpandedMember[] = [];
    let bytes = 0;
    for (const referring of targetsOf(document, references)) {
      const found = targetValue(referring);
      if (found === undefined) return undefined;
      if (found === null) continue;
      expanded.push({ name: referring.reference.name, value: found.value });
      bytes += found.bytes;
    }
    return { value: { document, expanded }, bytes };
  }

  return expand;
}

export type Expansion = ReturnType<typeof createExpansion>;

/** References of documents, and the items found for them so far. */
export function createExpansion(rows: readonly DocumentRecord[]) {
  const documents = new Map<string, DocumentRecord | null>(rows.map((row) => [row.id, row]));
  const profiles = new Map<string, Profile | null>();
  const targetsOf = createTargets();
  const wantedBy = createWanted(targetsOf, documents);

  return {
    documents,
    profiles,

    /** Returns the items that are yet to be looked up. @throws `expand.limit` */
    missing(shown: readonly DocumentRecord[], references: readonly Reference[]) {
      const { ids, keys } = wantedBy(shown, references);
      return {
        ids: Array.from(ids).filter((id) => !documents.has(id)),
        keys: Array.from(keys).filter((key) => !profiles.has(key)),
      };
    },

    /** Discards items that these documents do not refer to. */
    keepFor(shown: readonly DocumentRecord[], references: readonly Reference[]): void {
      const { ids, keys } = wantedBy(shown, references);
      for (const id of documents.keys()) if (!ids.has(id)) documents.delete(id);
      for (const key of profiles.keys()) if (!keys.has(key)) profiles.delete(key);
    },

    /** Returns the first of the documents with all their references: as many as have been looked up and fit. */
    fitting(
      shown: readonly DocumentRecord[],
      references: readonly Reference[],
      maxBytes: number,
    ): readonly ExpandedDocument[] {
      const expand = createExpander(targetsOf, { documents, profiles });
      const fitting: ExpandedDocument[] = [];
      let bytes = 0;
      for (const document of shown) {
        const expanded = expand(document, references);
        if (expanded === undefined) break;
        bytes += byteLength(document.content) + expanded.bytes;
        // As in every page, the text of the first row may have any length.
        if ((fitting.length === 0 ? expanded.bytes : bytes) > maxBytes) break;
        fitting.push(expanded.value);
      }
      return fitting;
    },
  };
}
