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
    throw new AppError('input.invalid', { detail: `${name} must be a whole number from ${least}` });
  return number;
}

function cursorOf({ cursor }: Query): string | null {
  if (cursor === undefined) return null;
  if (typeof cursor !== 'string' || !isUuid(cursor)) {
    throw new AppError('input.invalid', { detail: 'cursor must be what "next" was in an earlier answer' });
  }
  return cursor.toLowerCase();
}

/**
 * Reads `page` (from 0), `recordsPerPage` (alias `recordPerPage`, 20 with a page), `skip` and `cursor`.
 *
 * @throws `input.invalid` when one is no whole number in its range
 */
export function pageRequest(query: Query, maxPageSize: number): PageRequest {
  const page = wholeNumber(query, ['page'], 0);
  const perPage = wholeNumber(query, ['recordsPerPage', 'recordPerPage'], 1);
  const skip = wholeNumber(query, ['skip'], 0) ?? 0;
  if (perPage !== null && perPage > maxPageSize) {
    throw new AppError('input.invalid', { detail: `recordsPerPage must be at most ${maxPageSize}` });
  }
  const limit = perPage ?? (page === null ? maxPageSize : DEFAULT_RECORDS_PER_PAGE);
  return { after: cursorOf(query), skip: skip + (page ?? 0) * limit, limit };
}
