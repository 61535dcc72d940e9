import { AppError } from '../errors.ts';
import { exceedsBytes } from '../utf8.ts';

/** Limits of a page. */
export interface PageBounds {
  /** Maximum number of rows. */
  readonly limit: number;
  /** Limit for the stored texts of its rows, and for the result rows, each in bytes. The first row may exceed it. */
  readonly maxBytes: number;
  /**
   * True if the page may end before `limit` and report that more rows follow. False for a page requested by number,
   * because the next number would skip the omitted rows.
   */
  readonly mayEndEarly: boolean;
}

/** Returns the texts of unlimited length in a row, in port order, which determine its size. */
export type WeighedTexts<T> = (row: T) => readonly string[];

export interface EndedPage<T> {
  readonly rows: readonly T[];
  /** True if more rows follow. */
  readonly more: boolean;
}

export function pageTooLarge({ limit, maxBytes }: PageBounds): AppError {
  const detail = `the ${limit} rows have more than ${maxBytes} bytes; ask for fewer with recordsPerPage, or leave out page and skip and follow "next"`;
  return new AppError('page.too_large', { detail });
}

/**
 * Cuts the rows read, with one beyond the end, to a page: to `limit` rows, or to as many as fit into `maxBytes`.
 *
 * @throws `page.too_large` if it would have to end early and must not
 */
export function endPage<T>(found: readonly T[], bounds: PageBounds, textsOf: WeighedTexts<T>): EndedPage<T> {
  const { limit, maxBytes, mayEndEarly } = bounds;
  const isTooLarge = found.length > 1 && exceedsBytes(found, textsOf, maxBytes);
  const length = Math.min(limit, isTooLarge ? found.length - 1 : found.length);
  if (isTooLarge && length < limit && !mayEndEarly) throw pageTooLarge(bounds);
  const more = length < found.length;
  return { rows: more ? found.slice(0, length) : found, more };
}
