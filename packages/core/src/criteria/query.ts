import { createBoundedCache } from '../bounded-cache.ts';
import { parseGroups, parseOrder, parseProjection } from './clauses.ts';
import { createParams, type Params } from './params.ts';
import type { QueryPart } from './problem.ts';
import { createReader } from './reader.ts';
import type { Query } from './syntax.ts';
import { parseCondition } from './where.ts';

/** The parts of a query as the client wrote them; null for absent ones. */
export interface QueryText extends Readonly<Record<QueryPart, string | null>> {
  /** The value of each `?`, first those of `where`, then those of `fields`. */
  readonly params: readonly string[];
}

/** Null for an absent or empty part. */
function parsePart<T>(part: QueryPart, text: string | null, parse: (reader: ReturnType<typeof createReader>) => T) {
  if (text === null) return null;
  const reader = createReader(part, text);
  return reader.peek().kind === 'end' ? null : parse(reader);
}

/**
 * Parses a query. An empty part counts as absent.
 *
 * @param now milliseconds: the value of `sysdate()`
 * @throws `criteria.invalid` with the part, the position and what was expected there
 */
export const parseQuery = (text: QueryText, now: number): Query => parse(text, () => now);

function parse({ where, orderBy, fields, groupBy, params: values }: QueryText, now: () => number): Query {
  const params: Params = createParams(values);
  const query = {
    where: parsePart('where', where, (reader) => parseCondition({ reader, params, now })),
    order: parsePart('orderBy', orderBy, parseOrder) ?? [],
    fields: parsePart('fields', fields, (reader) => parseProjection({ reader, params, now })),
    groupBy: parsePart('groupBy', groupBy, parseGroups) ?? [],
  };
  params.finish();
  return query;
}

/** Parses queries with the current time as `sysdate()`. @throws `criteria.invalid` */
export type QueryParser = (text: QueryText) => Query;

/** How many queries are kept, and the length of their texts, in UTF-16 units. */
const MOST_KEPT = 300;
const LONGEST_KEPT = 1_000;

/**
 * Keeps the queries that came last, except for those with `sysdate()`. A query that comes again is the same object, so that
 * what others derive from it can be kept too.
 */
export function createQueryParser({ clock }: { readonly clock: { now(): number } }): QueryParser {
  const kept = createBoundedCache<string, Query>(MOST_KEPT);
  return (text) => {
    const { where, orderBy, fields, groupBy, params } = text;
    const key = JSON.stringify([where, orderBy, fields, groupBy, params]);
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
