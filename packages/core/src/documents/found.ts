import type { CollectionPolicy } from '../collections/policies.ts';
import { createScore, type FullTextSearch } from '../criteria/full-text/matching.ts';
import type { SearchText } from '../criteria/full-text/search-text.ts';
import { snippetOf } from '../criteria/full-text/snippet.ts';
import { documentResolver, documentSource, type KnownOfDocument } from '../criteria/names.ts';
import { SCORE } from '../criteria/query.ts';
import type { SearchedObject, SearchResult } from '../criteria/search.ts';
import type { Condition, OrderKey, Query } from '../criteria/syntax.ts';
import type { Resolve } from '../criteria/values.ts';
import { AppError } from '../errors.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';

const isScore = ({ path }: Pick<OrderKey, 'path'>) => path.length === 1 && path[0] === SCORE;

/** Adds a search to a filter. */
export const withSearch = (where: Condition | null, search: FullTextSearch): Condition => {
  const found: Condition = { kind: 'fullText', search };
  return where === null ? found : { kind: 'and', conditions: [found, where] };
};

/** Returns the query with its search as a filter, and with its score to sort by. */
export const bound = (query: Query, search: FullTextSearch): Query => ({
  ...query,
  where: withSearch(query.where, search),
  order: query.order.map((key) => (isScore(key) ? { ...key, score: search } : key)),
});

/** Creates a function that returns a found document as the source of result rows, with its score and snippets. */
export function createFoundSource(search: FullTextSearch): (document: KnownOfDocument) => SearchedObject {
  const score = createScore(search);
  return (document) => {
    const source = documentSource(document);
    const resolve: SearchedObject['resolve'] = (name) =>
      name === SCORE ? score(source.resolve) : source.resolve(name);
    return {
      resolve,
      json: (path) => (isScore({ path }) ? JSON.stringify(resolve(SCORE)) : source.json(path)),
      snippet: (path) => snippetOf(path, search.text, source.resolve),
    };
  };
}

/** A document of a list, with its score if the list is the result of a search. */
export interface FoundBySearch extends DocumentRecord {
  readonly score?: number;
}

/** Returns the values in a document of a list by name, with its score. */
export function foundResolver(document: FoundBySearch): Resolve {
  const resolve = documentResolver(document);
  return (name) => (name === SCORE && document.score !== undefined ? document.score : resolve(name));
}

/** Adds the scores to the documents that a search found. */
export function withScores<Result extends SearchResult<DocumentRecord>>(
  result: Result,
  search: FullTextSearch,
): Omit<Result, 'objects'> & { readonly objects: readonly FoundBySearch[] | null } {
  const score = createScore(search);
  const objects = result.objects?.map((document) => ({ ...document, score: score(documentResolver(document)) ?? 0 }));
  return { ...result, objects: objects ?? null };
}

interface SearchLookUpDeps {
  readonly storage: Stores | Storage;
  policyAt(place: { readonly collection: string }): Promise<CollectionPolicy | null>;
}

/** Creates a function that returns a search with the search index of a collection. */
export function createSearchLookUp({ storage, policyAt }: SearchLookUpDeps) {
  /**
   * @param key of the collection
   * @throws `collection.not_found`, `search.not_enabled`
   */
  return async (key: string, text: SearchText): Promise<FullTextSearch> => {
    const known = (await policyAt({ collection: key }))?.search ?? null;
    // The node that has built the index may have died before it could announce that.
    const isUnsure = known?.state === 'building' && 'searchIndexes' in storage;
    const index = isUnsure ? await storage.searchIndexes.find(key) : known;
    if (index?.state === 'ready') return { index, text };
    if ((await storage.collections.findName(key)) === null) throw new AppError('collection.not_found');
    throw new AppError('search.not_enabled');
  };
}
