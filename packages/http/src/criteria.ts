import { createHash } from 'node:crypto';
import {
  AppError,
  isStorable,
  isUuid,
  type Query,
  type QueryText,
  type SearchPage,
  type SearchResult,
  type SortValue,
} from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { sendPage } from './envelope.ts';
import { decodeCursor, encodeCursor, invalidCursor, pageNumbers } from './paging.ts';

type RawQuery = Readonly<Record<string, unknown>>;

/** What makes a list one with criteria. */
const PARTS = ['where', 'orderBy', 'fields', 'groupBy'] as const;
const PARAMS = ['params', 'params[]'] as const;

function textOf(query: RawQuery, name: (typeof PARTS)[number]): string | null {
  const value = query[name];
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  throw new AppError('input.invalid', { detail: `${name} must be given once`, input: name });
}

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

/** The parts of a query as the client wrote them; null when there is nothing but pages. @throws `input.invalid` */
export function criteriaText(query: RawQuery): QueryText | null {
  if (PARTS.every((name) => query[name] === undefined) && PARAMS.every((name) => query[name] === undefined))
    return null;
  const [where = null, orderBy = null, fields = null, groupBy = null] = PARTS.map((name) => textOf(query, name));
  return { where, orderBy, fields, groupBy, params: paramsOf(query) };
}

const isSummary = ({ fields, groupBy }: Query) =>
  groupBy.length > 0 || (fields ?? []).some(({ kind }) => kind === 'aggregate');

/** What a cursor has to have in common with the query that it is used in. */
function tagOf(query: Query): string {
  const order = [query.order, isSummary(query) ? [query.fields, query.groupBy] : null];
  return createHash('sha256').update(JSON.stringify(order)).digest('base64url').slice(0, 12);
}

/** A longer one would not fit into a URL everywhere: the number of rows takes its place. */
const MAX_CURSOR_LENGTH = 1500;

/** A value in a cursor: an empty array for what is no scalar. */
const shownKey = (key: SortValue) => (typeof key === 'object' && key !== null ? [] : key);

function keyOf(value: unknown): SortValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && isStorable(value)) return value;
  if (Array.isArray(value) && value.length === 0) return { rank: 'other' };
  throw invalidCursor();
}

/** The members of a cursor that was made for this order. */
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

/** A page, and how many rows there are before the position that it begins behind. */
export interface NumberedPage extends SearchPage {
  readonly passed: number;
}

/** Behind values and an id. */
function behindPosition(page: NumberedPage, text: string): NumberedPage {
  const [keys, id, passed, ...rest] = partsOf(text, page.query);
  if (typeof id !== 'string' || !isUuid(id) || rest.length > 0) throw invalidCursor();
  if (!Array.isArray(keys) || keys.length !== page.query.order.length) throw invalidCursor();
  return { ...page, after: { keys: keys.map(keyOf), id: id.toLowerCase() }, passed: rowsOf(passed) };
}

/** Behind so many rows. */
function behindRows(page: NumberedPage, text: string): NumberedPage {
  const [rows, ...rest] = partsOf(text, page.query);
  if (rest.length > 0) throw invalidCursor();
  return { ...page, skip: page.skip + rowsOf(rows) };
}

/**
 * Reads which part of the answer to a query is wanted. Cursors are positions in its order: behind an id (`i`), behind
 * values and an id (`q`), or behind so many rows (`o`) where there are no ids or the values are too long for a URL.
 *
 * @throws `input.invalid` also for a cursor from a list with another order
 */
export function searchPage(raw: RawQuery, query: Query, maxPageSize: number): NumberedPage {
  const page = { query, after: null, ...pageNumbers(raw, maxPageSize), passed: 0 };
  const { cursor } = raw;
  if (cursor === undefined) return page;
  if (typeof cursor === 'string' && cursor.startsWith('o')) return behindRows(page, decodeCursor(cursor, 'o'));
  if (isSummary(query)) throw invalidCursor();
  if (query.order.length > 0) return behindPosition(page, decodeCursor(cursor, 'q'));
  return { ...page, after: { keys: [], id: decodeCursor(cursor, 'i').toLowerCase() } };
}

/** The cursor of the page behind this one; null when there is none. */
function searchCursor(
  { query, skip, limit, passed }: NumberedPage,
  { more, end }: { readonly more: boolean; readonly end: SearchPage['after'] },
): string | null {
  if (!more) return null;
  if (end !== null && query.order.length === 0) return encodeCursor('i', end.id);
  const rows = passed + skip + limit;
  const position = end === null ? null : JSON.stringify([tagOf(query), end.keys.map(shownKey), end.id, rows]);
  if (position !== null && Buffer.byteLength(position) <= MAX_CURSOR_LENGTH) return encodeCursor('q', position);
  return encodeCursor('o', JSON.stringify([tagOf(query), rows]));
}

export interface FoundPage<T> {
  readonly page: NumberedPage;
  readonly found: SearchResult<T>;
  /** Objects as a JSON array. */
  readonly render: (objects: readonly T[]) => string;
}

/** Answers with one page of a search. */
export function sendFound<T>(reply: FastifyReply, { page, found, render }: FoundPage<T>): FastifyReply {
  const data = found.objects === null ? `[${found.rows.join(',')}]` : render(found.objects);
  return sendPage(reply, data, { more: found.more, next: searchCursor(page, found) });
}
