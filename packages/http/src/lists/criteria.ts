import { createHash } from 'node:crypto';
import {
  AppError,
  type Condition,
  EVERY_OBJECT,
  elementsOf,
  isStorable,
  isSummary,
  isUuid,
  membersOf,
  type ParsedJson,
  parseExpand,
  type Query,
  type QueryParser,
  type QueryText,
  type Reference,
  type SearchPage,
  type SearchResult,
  type SortValue,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonBody } from '../requests/bodies.ts';
import { type RawQuery, textOf } from '../requests/target.ts';
import { sendData, sendPage } from '../responses/envelope.ts';
import { decodeCursor, encodeCursor, invalidCursor, type PagedRoutes, type PageLimits, pageNumbers } from './paging.ts';

/** Maximum body of a list request, in bytes. */
export const MAX_LIST_BODY = 2 ** 20;

/** Returns the text of a parameter as in a query string. Numbers and lists retain the text that the client wrote. */
const writtenIn = ({ text, value }: ParsedJson): string => (typeof value === 'string' ? value : text);

/** Returns the values of `params` as in a query string. @throws `input.invalid` */
export function paramTexts(params: ParsedJson | undefined): readonly string[] {
  if (params === undefined) return [];
  const elements = elementsOf(params);
  if (elements === null) throw new AppError('input.invalid', { detail: 'params must be an array', input: 'params' });
  for (const element of elements) {
    if (element.value === null || (typeof element.value === 'object' && elementsOf(element) === null)) {
      const detail = 'params must be texts, numbers, booleans or arrays';
      throw new AppError('input.invalid', { detail, input: 'params' });
    }
  }
  return elements.map(writtenIn);
}

/** Returns the parameters of a list, from the query string or from the validated JSON body of `POST …/query`. */
export function listQuery(request: FastifyRequest): RawQuery {
  if (request.method !== 'POST') return request.query as RawQuery;
  const members = membersOf(jsonBody(request)) ?? new Map<string, ParsedJson>();
  return Object.fromEntries(
    Array.from(members, ([name, part]) => [name, elementsOf(part)?.map(writtenIn) ?? writtenIn(part)]),
  );
}

/** Parameters that turn a list into a query with criteria. */
const PARTS = ['where', 'orderBy', 'fields', 'groupBy'] as const;
const PARAMS = ['params', 'params[]'] as const;
const SEARCH = 'search';
const CRITERIA = [...PARTS, ...PARAMS, SEARCH] as const;

function paramsOf(query: RawQuery): string[] {
  const [plain, alias] = PARAMS.map((name) => query[name]);
  if (plain !== undefined && alias !== undefined) {
    throw new AppError('input.invalid', {
      detail: 'params and params[] are the same: use one of them',
      input: 'params',
    });
  }
  return [plain ?? alias ?? []].flat().map(String);
}

/**
 * Returns the criteria of a request as the client wrote them, or null if it has only paging parameters.
 *
 * @throws `input.invalid`
 */
export function criteriaText(query: RawQuery): QueryText | null {
  if (!CRITERIA.some((name) => query[name] !== undefined)) return null;
  const [where = null, orderBy = null, fields = null, groupBy = null] = PARTS.map((name) => textOf(query, name));
  const search = textOf(query, SEARCH);
  return { where, orderBy, fields, groupBy, params: paramsOf(query), ...(search !== null && { search }) };
}

/** Returns the query of a request, with its filter and its search. @throws `input.invalid`, `criteria.invalid`, `search.invalid` */
export function queryIn(query: RawQuery, parseQuery: QueryParser): Query {
  const text = criteriaText(query);
  return text === null ? EVERY_OBJECT : parseQuery(text);
}

/** Returns the filter of a stream, or null. @throws `input.invalid`, `criteria.invalid`, `search.unsupported` */
export function conditionIn(query: RawQuery, parseQuery: QueryParser): Condition | null {
  if (query[SEARCH] !== undefined) {
    const detail = 'changes cannot be searched: filter them with where, or list again after each of them';
    throw new AppError('search.unsupported', { detail, input: SEARCH });
  }
  const text = criteriaText(query);
  return text === null ? null : parseQuery(text).where;
}

/**
 * Returns the references to expand, or null.
 *
 * @throws `input.invalid`, `criteria.invalid`
 */
export function expandOf(query: RawQuery): readonly Reference[] | null {
  const text = textOf(query, 'expand');
  const references = text === null ? [] : parseExpand(text);
  return references.length === 0 ? null : references;
}

/** Returns a fingerprint of the query. Cursors contain it, so that they work with the same query only. */
function tagOf(query: Query): string {
  const order = [
    query.order,
    isSummary(query) ? [query.fields, query.groupBy] : null,
    ...(query.search ? [query.search] : []),
  ];
  return createHash('sha256').update(JSON.stringify(order)).digest('base64url').slice(0, 12);
}

/**
 * Maximum length of a cursor, in characters, so that it fits into any URL. Longer cursors contain a row number instead.
 */
const MAX_CURSOR_LENGTH = 1500;

/** Converts a sort value for a cursor: an empty array represents values that are not scalars. */
const shownKey = (key: SortValue) => (typeof key === 'object' && key !== null ? [] : key);

function keyOf(value: unknown): SortValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && isStorable(value)) return value;
  if (Array.isArray(value) && value.length === 0) return { rank: 'other' };
  throw invalidCursor();
}

/** Parses a cursor of this query. @throws `input.invalid` for a cursor of another query */
function partsOf(text: string, query: Query): unknown[] {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    throw invalidCursor();
  }
  if (!Array.isArray(parts) || parts[0] !== tagOf(query)) throw invalidCursor();
  return parts.slice(1);
}

function rowsOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidCursor();
}

/** A page with its `offset`, the number of rows before it. */
export interface NumberedPage extends SearchPage {
  readonly passed: number;
}

/** Returns the page after the row with these sort values and id. @throws `input.invalid` */
function behindPosition(page: NumberedPage, text: string): NumberedPage {
  const [keys, id, passed, ...rest] = partsOf(text, page.query);
  if (typeof id !== 'string' || !isUuid(id) || rest.length > 0) throw invalidCursor();
  if (!Array.isArray(keys) || keys.length !== page.query.order.length) throw invalidCursor();
  return { ...page, after: { keys: keys.map(keyOf), id: id.toLowerCase() }, passed: rowsOf(passed) };
}

/** Returns the page after this number of rows. @throws `input.invalid` */
function behindRows(page: NumberedPage, text: string): NumberedPage {
  const [rows, ...rest] = partsOf(text, page.query);
  if (rest.length > 0) throw invalidCursor();
  return { ...page, skip: page.skip + rowsOf(rows) };
}

/**
 * Reads the requested page of a query's result. A cursor identifies a row by its id (`i`) or by its sort values and id
 * (`q`). If rows have no ids or the values are too long for a URL, it contains a row number (`o`).
 *
 * @throws `input.invalid` also for a cursor from a list with another order
 */
export function searchPage(raw: RawQuery, query: Query, limits: PageLimits): NumberedPage {
  const page = { query, after: null, ...pageNumbers(raw, limits), passed: 0 };
  const { cursor } = raw;
  if (cursor === undefined) return page;
  if (typeof cursor === 'string' && cursor.startsWith('o')) return behindRows(page, decodeCursor(cursor, 'o'));
  if (isSummary(query)) throw invalidCursor();
  if (query.order.length > 0) return behindPosition(page, decodeCursor(cursor, 'q'));
  return { ...page, after: { keys: [], id: decodeCursor(cursor, 'i').toLowerCase() } };
}

/** Returns the cursor of the next page, or null on the last page. */
export function searchCursor(
  { query, skip, passed }: NumberedPage,
  { more, end, objects, rows: made }: SearchResult<unknown>,
): string | null {
  if (!more) return null;
  if (end !== null && query.order.length === 0) return encodeCursor('i', end.id);
  const rows = passed + skip + (objects ?? made).length;
  const position = end === null ? null : JSON.stringify([tagOf(query), end.keys.map(shownKey), end.id, rows]);
  if (position !== null && Buffer.byteLength(position) <= MAX_CURSOR_LENGTH) return encodeCursor('q', position);
  return encodeCursor('o', JSON.stringify([tagOf(query), rows]));
}

/** True if the request wants the number of rows on all pages. @throws `input.invalid` */
function wantsTotal({ total }: { readonly total?: unknown }): boolean {
  if (total === undefined || total === 'false') return false;
  if (total === 'true') return true;
  throw new AppError('input.invalid', { detail: 'total: expected true or false', input: 'total' });
}

/** Dependencies of routes with lists that accept criteria. */
export interface ListRoutes extends PagedRoutes {
  readonly parseQuery: QueryParser;
}

interface SearchedList<T> extends ListRoutes {
  /** Returns the number of objects that match the filter and the search of a query. */
  count(query: Query): Promise<number>;
  search(page: SearchPage): Promise<SearchResult<T>>;
  /** Converts objects to a JSON array. */
  render(objects: readonly T[]): string;
}

/** Returns one page, with the number of objects on all pages if requested. The length of a single page is that number. */
async function pageWithTotal<T>(
  page: NumberedPage,
  isTotalWanted: boolean,
  { search, count }: Pick<SearchedList<T>, 'search' | 'count'>,
): Promise<{ readonly found: SearchResult<T>; readonly total: number | null }> {
  if (!isTotalWanted) return { found: await search(page), total: null };
  const { query, after, skip } = page;
  // Counting all objects is cheap enough not to wait for the page, which may make it unnecessary.
  const isQuick = query.where === null && query.search === undefined;
  const [found, quick] = await Promise.all([search(page), isQuick ? count(query) : null]);
  const rows = after === null && skip === 0 && !found.more ? found.objects?.length : null;
  return { found, total: rows ?? quick ?? (await count(query)) };
}

/** Sends the requested page of a list, or with `count=true` the number of its rows. */
export async function answerSearch<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { render, parseQuery, pages, ...list }: SearchedList<T>,
): Promise<FastifyReply> {
  request.server.unread.assertRoom(request);
  const raw = listQuery(request);
  const query = queryIn(raw, parseQuery);
  if (raw.count === 'true') return sendData(reply, [{ count: await list.count(query) }]);
  const page = searchPage(raw, query, pages);
  const { found, total } = await pageWithTotal(page, wantsTotal(raw), list);
  const data = found.objects === null ? `[${found.rows.join(',')}]` : render(found.objects);
  return sendPage(reply, data, { more: found.more, next: searchCursor(page, found), total });
}
