import type { AccessScope } from '../access.ts';
import { type Actor, blockableViewer } from '../actor.ts';
import { sortValues } from '../criteria/order.ts';
import { pageTooLarge, type SearchResult } from '../criteria/search.ts';
import { AppError } from '../errors.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import type { ListedUser } from '../ports/storage/users.ts';
import { profileFor } from '../users/profiles.ts';
import { exceedsBytes } from '../utf8.ts';
import type { DocumentSearch } from './documents.ts';
import { createExpansion, type ExpandedDocument, type Expansion } from './expansion.ts';
import { foundResolver } from './found.ts';
import type { Reference } from './references.ts';
import { expandLimit } from './targets.ts';

export interface ExpandedReadsDeps {
  /** The storage, or the stores of a transaction. */
  readonly storage: Pick<Stores, 'documents' | 'users'>;
  /** Returns the actor's permissions, apart from `openCollections`. */
  scope(actor: Actor): Promise<AccessScope>;
  /** Returns the keys of the collections whose documents the actor may all read. */
  openCollections(actor: Actor): Promise<readonly string[]>;
  /** Reads of documents without expansion. */
  search(actor: Actor, search: DocumentSearch): Promise<SearchResult<DocumentRecord>>;
}

/** Relations to expand, and the limit for a response. */
export interface ExpandRequest {
  readonly references: readonly Reference[];
  /** Limit for expanded items, in bytes. */
  readonly maxBytes: number;
  /** See `PageBounds`. */
  readonly pause?: () => Promise<void>;
}

/** Returns the references to expand in each pass: those of the documents, then also those of the expanded documents. */
function passesOf(references: readonly Reference[]): ReadonlyArray<readonly Reference[]> {
  const isDeep = references.some(({ inner }) => inner.length > 0);
  return isDeep ? [references.map((reference) => ({ ...reference, inner: [] })), references] : [references];
}

/** Returns the keys up to the one that exceeded the look-up's byte limit. */
function lookedUp<T>(
  keys: readonly string[],
  rows: readonly T[],
  { keyOf, textsOf, maxBytes }: { keyOf(row: T): string; textsOf(row: T): readonly string[]; maxBytes: number },
): readonly string[] {
  const last = rows.at(-1);
  const hasEnded = last !== undefined && rows.length > 1 && exceedsBytes(rows, textsOf, maxBytes);
  return hasEnded ? keys.slice(0, keys.indexOf(keyOf(last)) + 1) : keys;
}

const DOCUMENT = {
  keyOf: ({ id }: DocumentRecord) => id,
  textsOf: ({ content }: DocumentRecord) => [content],
};
const USER = {
  keyOf: ({ key }: ListedUser) => key,
  textsOf: ({ sections }: ListedUser) => Object.values(sections),
};

/** Reads documents with expanded references. */
export function createExpandedReads({ storage, scope, openCollections, search }: ExpandedReadsDeps) {
  async function lookUpDocuments(
    actor: Actor,
    { documents }: Expansion,
    { ids, maxBytes }: { readonly ids: readonly string[]; readonly maxBytes: number },
  ): Promise<void> {
    if (ids.length === 0) return;
    const among = { scope: await scope(actor), openCollections: await openCollections(actor) };
    const rows = await storage.documents.lookUp({ ids, ...among, maxBytes });
    for (const id of lookedUp(ids, rows, { ...DOCUMENT, maxBytes })) documents.set(id, null);
    for (const row of rows) documents.set(row.id, row);
  }

  async function lookUpProfiles(
    actor: Actor,
    { profiles }: Expansion,
    { keys, maxBytes }: { readonly keys: readonly string[]; readonly maxBytes: number },
  ): Promise<void> {
    if (keys.length === 0) return;
    const rows = await storage.users.lookUp({ keys, viewer: blockableViewer(actor), maxBytes });
    for (const key of lookedUp(keys, rows, { ...USER, maxBytes })) profiles.set(key, null);
    for (const row of rows) profiles.set(row.key, profileFor(actor, row));
  }

  /** Expands the first of the documents, as many as fit. @throws `expand.limit` */
  async function expandRows(
    actor: Actor,
    rows: readonly DocumentRecord[],
    { references, maxBytes, pause = async () => undefined }: ExpandRequest,
  ): Promise<readonly ExpandedDocument[]> {
    const expansion = createExpansion(rows);
    let shown: readonly ExpandedDocument[] = rows.map((document) => ({ document, expanded: null }));
    for (const pass of passesOf(references)) {
      const documents = shown.map(({ document }) => document);
      await pause();
      const { ids, keys } = expansion.missing(documents, pass);
      await pause();
      await lookUpDocuments(actor, expansion, { ids, maxBytes });
      await lookUpProfiles(actor, expansion, { keys, maxBytes });
      await pause();
      shown = expansion.fitting(documents, pass, maxBytes);
      if (shown.length === 0 && documents.length > 0) {
        throw expandLimit(`what a document refers to has more than ${maxBytes} bytes`);
      }
      if (shown.length < documents.length) expansion.keepFor(documents.slice(0, shown.length), pass);
    }
    return shown;
  }

  return {
    /** Expands a document that the caller may read. @throws `expand.limit` */
    async expand(actor: Actor, document: DocumentRecord, request: ExpandRequest): Promise<ExpandedDocument> {
      const [expanded] = await expandRows(actor, [document], request);
      return expanded ?? { document, expanded: [] };
    },

    /**
     * Searches as `search`, with expanded references. The query must be one for whole documents. The page ends early if
     * the expanded items do not fit.
     *
     * @throws as `search`, `expand.limit`
     */
    async searchExpanded(
      actor: Actor,
      wanted: DocumentSearch,
      references: readonly Reference[],
    ): Promise<SearchResult<ExpandedDocument>> {
      const { fields, groupBy, order } = wanted.query;
      if (fields !== null || groupBy.length > 0) {
        const detail = 'expand: expected no fields and no groupBy beside it, because only whole documents are expanded';
        throw new AppError('criteria.invalid', { detail, input: 'expand' });
      }
      const found = await search(actor, wanted);
      const rows = found.objects ?? [];
      const documents = await expandRows(actor, rows, { ...wanted, references });
      const last = documents.length < rows.length ? documents.at(-1)?.document : undefined;
      if (last === undefined) return { ...found, objects: documents };
      if (!wanted.mayEndEarly) throw pageTooLarge(wanted);
      const end = { keys: sortValues(order, foundResolver(last)), id: last.id };
      return { objects: documents, rows: [], more: true, end };
    },
  };
}
