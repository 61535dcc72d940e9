import { AppError, isUuid, type UserPage } from '@baobab/core';

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
    throw new AppError('input.invalid', { detail: `${name} must be a whole number from ${least}` });
  return number;
}

/** Positions travel as base64url behind a letter that tells what they are positions of. */
export function encodeCursor(kind: 'i' | 'n', position: string): string {
  return kind + Buffer.from(position, 'utf8').toString('base64url');
}

/** @throws `input.invalid` when the cursor is none of this kind */
function decodeCursor({ cursor }: Query, kind: 'i' | 'n'): string | null {
  if (cursor === undefined) return null;
  const text = typeof cursor === 'string' && cursor.startsWith(kind) ? cursor.slice(1) : '';
  const position = Buffer.from(text, 'base64url').toString('utf8');
  if (position === '' || position.includes('\0') || (kind === 'i' && !isUuid(position))) {
    throw new AppError('input.invalid', {
      detail: 'cursor must be what "next" was in an earlier answer to this request',
    });
  }
  return position;
}

/**
 * Reads `page` (from 0), `recordsPerPage` (alias `recordPerPage`, 20 with a page), `skip` and `cursor`.
 *
 * @throws `input.invalid` when one is no whole number in its range
 */
export function pageRequest(query: Query, maxPageSize: number, cursorKind: 'i' | 'n' = 'i'): PageRequest {
  const page = wholeNumber(query, ['page'], 0);
  const perPage = wholeNumber(query, ['recordsPerPage', 'recordPerPage'], 1);
  const skip = wholeNumber(query, ['skip'], 0) ?? 0;
  if (perPage !== null && perPage > maxPageSize) {
    throw new AppError('input.invalid', { detail: `recordsPerPage must be at most ${maxPageSize}` });
  }
  const limit = perPage ?? (page === null ? maxPageSize : DEFAULT_RECORDS_PER_PAGE);
  return { after: decodeCursor(query, cursorKind), skip: skip + (page ?? 0) * limit, limit };
}

/**
 * Reads the order of a list of users and the page. Without `orderBy` they come in the order in which they signed up.
 *
 * @throws `input.invalid`
 */
export function userPage(query: Query, maxPageSize: number): UserPage {
  const { orderBy = 'signUpDate asc' } = query;
  const [, field, direction = 'asc'] =
    (typeof orderBy === 'string' ? /^\s*(user\.name|signUpDate)(?:\s+(asc|desc))?\s*$/i.exec(orderBy) : null) ?? [];
  if (field === undefined) {
    throw new AppError('input.invalid', { detail: 'orderBy must be user.name or signUpDate, with asc or desc' });
  }
  const by = field.toLowerCase() === 'user.name' ? 'name' : 'signUp';
  const order = { by, descending: direction.toLowerCase() === 'desc' } as const;
  return { order, countOnly: query.count === 'true', ...pageRequest(query, maxPageSize, by === 'name' ? 'n' : 'i') };
}

export const userCursor = ({ order }: UserPage, next: string | null) =>
  next === null ? null : encodeCursor(order.by === 'name' ? 'n' : 'i', next);
