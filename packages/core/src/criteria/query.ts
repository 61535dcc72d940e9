import { createBoundedCache } from '../caches.ts';
import { AppError } from '../errors.ts';
import { parseGroups, parseOrder, parseProjection } from './clauses.ts';
import { parseSearchText } from './full-text/search-text.ts';
import { createParams, type Params } from './params.ts';
import type { QueryPart } from './problem.ts';
import { createReader } from './reader.ts';
import { isSummary } from './search.ts';
import type { OrderKey, Query } from './syntax.ts';
import { parseCondition } from './where.ts';

/** Parts of a query as written by the client; null for absent ones. */
export interface QueryText extends Readonly<Record<QueryPart, string | null>> {
  /** A full-text search; absent without one. */
  readonly search?: string;
  /** Values for each `?`, first those of `where`, then those of `fields`. */
  readonly params: readonly string[];
}

/** Parses a part; null if it is absent or empty. */
function parsePart<T>(part: QueryPart, text: string | null, parse: (reader: ReturnType<typeof createReader>) => T) {
  if (text === null) return null;
  const reader = createReader(part, text);
  return reader.peek().kind === 'end' ? null : parse(reader);
}

/**
 * Parses a query. An empty part counts as absent.
 *
 * @param now value of `sysdate()`, in milliseconds
 * @throws `criteria.invalid` with the part, the position and what was expected there, `search.invalid`
 */
export const parseQuery = (text: QueryText, now: number): Query => parse(text, () => now);

/** Name of the score of a search. */
export const SCORE = '_score';
const BEST_FIRST: readonly OrderKey[] = Object.freeze([{ path: [SCORE], descending: true }]);

/** Adds a search, whose best hits come first unless there is another order. */
function withSearch(query: Query, text: string): Query {
  const isOrdered = query.order.length > 0 || isSummary(query);
  return { ...query, order: isOrdered ? query.order : BEST_FIRST, search: parseSearchText(text) };
}

function parse({ where, orderBy, fields, groupBy, search, params: values }: QueryText, now: () => number): Query {
  const params: Params = createParams(values);
  const query = {
    where: parsePart('where', where, (reader) => parseCondition({ reader, params, now })),
    order: parsePart('orderBy', orderBy, parseOrder) ?? [],
    fields: parsePart('fields', fields, (reader) => parseProjection({ reader, params, now })),
    groupBy: parsePart('groupBy', groupBy, parseGroups) ?? [],
  };
  params.finish();
  if (search !== undefined) return withSearch(query, search);
  const snippet = query.fields?.find(({ kind }) => kind === 'snippet');
  if (snippet === undefined) return query;
  throw new AppError('criteria.invalid', { detail: 'fields: snippet(…) needs a search', input: 'fields' });
}

/** Parses queries with the current time as `sysdate()`. @throws `criteria.invalid` */
export type QueryParser = (text: QueryText) => Query;

/** Maximum number of cached queries, and of the length of their texts in UTF-16 units. */
const MOST_KEPT = 300;
const LONGEST_KEPT = 1_000;

/**
 * Caches recent queries, except for those with `sysdate()`. A repeated query is the same object, so that derived data
 * can be cached too.
 */
export function createQueryParser({ clock }: { readonly clock: { now(): number } }): QueryParser {
  const kept = createBoundedCache<string, Query>(MOST_KEPT);
  return (text) => {
    const { where, orderBy, fields, groupBy, params, search } = text;
    const key = JSON.stringify([where, orderBy, fields, groupBy, params, search]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    let isTimeless = true;
    const query = parse(text, () => {
      isTimeless = false;
      return clock.now();
    });
    if (isTimeless && key.length <= LONGEST_KEPT) kept.set(key, query);
    return query;
  };
}
