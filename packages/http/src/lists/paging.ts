import { AppError, isUuid, type PageBounds } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { createPauses } from '../requests/pauses.ts';
import { sendPage } from '../responses/envelope.ts';

/** Page of a list that a client requests. */
export interface PageRequest extends PageBounds {
  readonly after: string | null;
  readonly skip: number;
}

/** Limits on the size of a page. */
export interface PageLimits {
  /** Maximum rows of a page. */
  readonly maxPageSize: number;
  /** Maximum bytes of a page's stored rows. A page that would exceed this ends early. */
  readonly maxPageBytes: number;
}

/** Dependencies of routes with pages. */
export interface PagedRoutes {
  readonly pages: PageLimits;
}

/**
 * Size limit of numbered pages, as a multiple of the limit of other pages. A numbered page cannot end early: a larger
 * one is refused.
 */
const NUMBERED = 4;

const DEFAULT_RECORDS_PER_PAGE = 20;

type PageQuery = Readonly<Record<string, unknown>>;

function wholeNumber(name: string, value: unknown, least: number): number | null {
  if (value === undefined) return null;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least))
    throw new AppError('input.invalid', { detail: `${name} must be a whole number from ${least}`, input: name });
  return number;
}

/**
 * Content of a cursor: an id (`i`), sort values and an id (`q`), a number of rows (`o`), or the number of a row (`n`).
 */
type CursorKind = 'i' | 'q' | 'o' | 'n';

/** Encodes a cursor as a letter for its kind and the position in base64url. */
export function encodeCursor(kind: CursorKind, position: string): string {
  return kind + Buffer.from(position, 'utf8').toString('base64url');
}

/** Returns the paging fields for the next page. @param id of the last row of the page */
export const pagingAfter = (more: boolean, id: string | undefined) => ({
  more,
  next: more && id !== undefined ? encodeCursor('i', id) : null,
});

/** Sends one page of a list whose rows have ids. */
export const sendRows = (reply: FastifyReply, rows: readonly { readonly id: string }[], more: boolean) =>
  sendPage(reply, JSON.stringify(rows), pagingAfter(more, rows.at(-1)?.id));

export const invalidCursor = () =>
  new AppError('input.invalid', {
    detail: 'cursor must be the "next" of an earlier response to this request',
    input: 'cursor',
  });

/** Returns the position in a cursor. @throws `input.invalid` if it is not a cursor of this kind */
export function decodeCursor(cursor: unknown, kind: CursorKind): string {
  const text = typeof cursor === 'string' && cursor.startsWith(kind) ? cursor.slice(1) : '';
  const position = Buffer.from(text, 'base64url').toString('utf8');
  if (position === '' || position.includes('\0') || (kind === 'i' && !isUuid(position))) throw invalidCursor();
  return position;
}

/**
 * Reads `page` (from 0), `recordsPerPage` (alias `recordPerPage`; default 20 if only `page` is given) and `skip`.
 *
 * @throws `input.invalid` if one is not an integer in its range
 */
export function pageNumbers(
  query: PageQuery,
  { maxPageSize, maxPageBytes }: PageLimits,
): PageBounds & { readonly skip: number } {
  const page = wholeNumber('page', query.page, 0);
  const perPage =
    query.recordsPerPage === undefined
      ? wholeNumber('recordPerPage', query.recordPerPage, 1)
      : wholeNumber('recordsPerPage', query.recordsPerPage, 1);
  const skip = wholeNumber('skip', query.skip, 0);
  if (perPage !== null && perPage > maxPageSize) {
    throw new AppError('input.invalid', {
      detail: `recordsPerPage must be at most ${maxPageSize}`,
      input: 'recordsPerPage',
    });
  }
  const limit = perPage ?? (page === null ? maxPageSize : DEFAULT_RECORDS_PER_PAGE);
  // A client that addresses pages by number would never request the rows omitted from a shortened page.
  const isNumbered = page !== null || (skip !== null && perPage !== null);
  const maxBytes = isNumbered ? NUMBERED * maxPageBytes : maxPageBytes;
  return { skip: (skip ?? 0) + (page ?? 0) * limit, limit, maxBytes, mayEndEarly: !isNumbered, pause: createPauses() };
}

/** Like `pageNumbers`, with `cursor`. @throws `input.invalid` */
export function pageRequest(query: PageQuery, limits: PageLimits): PageRequest {
  const { cursor } = query;
  return { after: cursor === undefined ? null : decodeCursor(cursor, 'i'), ...pageNumbers(query, limits) };
}

/**
 * Like `pageNumbers`, for a list that continues with cursors only. A client that numbers its pages would read the first
 * page forever.
 *
 * @throws `input.invalid`, also for rows to skip
 */
export function cursorBounds(query: PageQuery, limits: PageLimits): PageBounds {
  const { skip, ...bounds } = pageNumbers(query, limits);
  if (skip === 0) return bounds;
  throw new AppError('input.invalid', {
    detail: 'this list has no numbered pages: send the "next" of the previous response as cursor',
    input: query.page === undefined ? 'skip' : 'page',
  });
}
