import { AppError, isUuid } from '@baobab/core';

/** Which part of a list a client asks for. */
export interface PageRequest {
  readonly after: string | null;
  readonly skip: number;
  readonly limit: number;
}

const DEFAULT_RECORDS_PER_PAGE = 20;

type Query = Readonly<Record<string, unknown>>;

function wholeNumber(query: Query, names: readonly string[], least: number): number | null {
  const name = names.find((candidate) => query[candidate] !== undefined);
  if (name === undefined) return null;
  const value = query[name];
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least))
    throw new AppError('input.invalid', { detail: `${name} must be a whole number from ${least}`, input: name });
  return number;
}

/** What a cursor is a position of: an id, values and an id, a number of rows. */
type CursorKind = 'i' | 'q' | 'o';

/** Positions travel as base64url behind a letter that tells what they are positions of. */
export function encodeCursor(kind: CursorKind, position: string): string {
  return kind + Buffer.from(position, 'utf8').toString('base64url');
}

export const invalidCursor = () =>
  new AppError('input.invalid', {
    detail: 'cursor must be what "next" was in an earlier answer to this request',
    input: 'cursor',
  });

/** @throws `input.invalid` when the cursor is none of this kind */
export function decodeCursor(cursor: unknown, kind: CursorKind): string {
  const text = typeof cursor === 'string' && cursor.startsWith(kind) ? cursor.slice(1) : '';
  const position = Buffer.from(text, 'base64url').toString('utf8');
  if (position === '' || position.includes('\0') || (kind === 'i' && !isUuid(position))) throw invalidCursor();
  return position;
}

/**
 * Reads `page` (from 0), `recordsPerPage` (alias `recordPerPage`, 20 with a page) and `skip`.
 *
 * @throws `input.invalid` when one is no whole number in its range
 */
export function pageNumbers(query: Query, maxPageSize: number): { readonly skip: number; readonly limit: number } {
  const page = wholeNumber(query, ['page'], 0);
  const perPage = wholeNumber(query, ['recordsPerPage', 'recordPerPage'], 1);
  const skip = wholeNumber(query, ['skip'], 0) ?? 0;
  if (perPage !== null && perPage > maxPageSize) {
    throw new AppError('input.invalid', {
      detail: `recordsPerPage must be at most ${maxPageSize}`,
      input: 'recordsPerPage',
    });
  }
  const limit = perPage ?? (page === null ? maxPageSize : DEFAULT_RECORDS_PER_PAGE);
  return { skip: skip + (page ?? 0) * limit, limit };
}

/** As `pageNumbers`, with `cursor`. @throws `input.invalid` */
export function pageRequest(query: Query, maxPageSize: number): PageRequest {
  const { skip, limit } = pageNumbers(query, maxPageSize);
  const { cursor } = query;
  return { after: cursor === undefined ? null : decodeCursor(cursor, 'i'), skip, limit };
}
