import { AppError } from '../errors.ts';
import { exceedsBytes } from '../utf8.ts';

/** How large a page may become. */
export interface PageBounds {
  /** Rows at most. */
  readonly limit: number;
  /** Bytes at most of what is stored of its rows, and of the rows that are made of it; the first row may have more. */
  readonly maxBytes: number;
  /**
   * Whether it may end before `limit`, and say that there are more. A page of a number may not: the next number would
   * pass over what it left out.
   */
  readonly mayEndEarly: boolean;
}

/** How much a row is by itself: its texts of any length, in the order of the port. */
export type WeighedTexts<T> = (row: T) => readonly string[];

export interface EndedPage<T> {
  readonly rows: readonly T[];
  /** Whether there are more behind these. */
  readonly more: boolean;
}

export function pageTooLarge({ limit, maxBytes }: PageBounds): AppError {
  const detail = `the ${limit} rows have more than ${maxBytes} bytes; ask for fewer with recordsPerPage, or leave out page and skip and follow "next"`;
  return new AppError('page.too_large', { detail });
}

/**
 * Ends a page of rows that were read up to one behind its end: behind `limit` rows, or behind as many as `maxBytes` has
 * room for.
 *
 * @throws `page.too_large` when it has to end early and may not
 */
export function endPage<T>(found: readonly T[], bounds: PageBounds, textsOf: WeighedTexts<T>): EndedPage<T> {
  const { limit, maxBytes, mayEndEarly } = bounds;
  const isTooLarge = found.length > 1 && exceedsBytes(found.flatMap(textsOf), maxBytes);
  const length = Math.min(limit, isTooLarge ? found.length - 1 : found.length);
  if (isTooLarge && length < limit && !mayEndEarly) throw pageTooLarge(bounds);
  const more = length < found.length;
  return { rows: more ? found.slice(0, length) : found, more };
}
