import { queryPath } from './paths.ts';
import type { Collation } from './types.ts';

/** A key of an order. */
export interface SortKey {
  /** Path in the query language. */
  readonly path: string;
  readonly isLower: boolean;
  readonly collation: Collation | null;
  readonly descending: boolean;
}

export interface OrderOptions {
  /** Sorts texts by the rules of this language. Requires a server with PostgreSQL. */
  readonly collate?: Collation;
}

const LOWER = '.toLowerCase()';

/** Returns a key of `orderBy` in the query language. @throws `TypeError` */
export function orderText(path: string, direction: 'asc' | 'desc', { collate }: OrderOptions = {}): string {
  if (direction !== 'asc' && direction !== 'desc') throw new TypeError(`${direction} is not asc or desc`);
  const isLower = path.endsWith(LOWER);
  const field = queryPath(isLower ? path.slice(0, -LOWER.length) : path) + (isLower ? LOWER : '');
  const language = collate === undefined ? '' : ` collate '${collate.replaceAll("'", "''")}'`;
  return `${field}${language} ${direction}`;
}

const KEY = /^(.*?)(\.toLowerCase\(\))?(?: collate '([a-z]+)')? (asc|desc)$/s;

/** Parses what `orderText` returns. */
export function sortKeyOf(text: string): SortKey {
  const [, path = '', lower, language, direction] = KEY.exec(text) ?? [];
  return {
    path,
    isLower: lower !== undefined,
    collation: (language as Collation | undefined) ?? null,
    descending: direction === 'desc',
  };
}
