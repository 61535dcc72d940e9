import type { QueryParser } from '@baobab/core';
import { criteriaText, type NumberedPage, searchPage } from '@baobab/http/format';
import type { Config } from '../config.ts';

/** Options of a list, named as in requests. */
export interface ListOptions {
  readonly where?: string;
  readonly orderBy?: string;
  readonly fields?: string;
  readonly groupBy?: string;
  readonly params?: readonly string[];
  readonly page?: string;
  readonly recordsPerPage?: string;
  readonly skip?: string;
  readonly cursor?: string;
  readonly count?: boolean;
}

const EVERYTHING = { where: null, orderBy: null, fields: null, groupBy: null, params: [] };

/** Returns the requested page of a list. @throws `criteria.invalid`, `input.invalid` */
export function pageOf({ count: _, ...options }: ListOptions, parse: QueryParser, config: Config): NumberedPage {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return searchPage(given, parse(criteriaText(given) ?? EVERYTHING), config);
}

/** Returns a page of a list as JSON text. */
export const pageJson = (rows: readonly string[], more: boolean, next: string | null): string =>
  `{"data":[${rows.join(',')}],"more":${more},"next":${JSON.stringify(next)}}`;

/** Tells people how to get the next page. */
export const moreLine = (next: string | null): string => (next === null ? '' : `\nMore: --cursor ${next}`);

export const countLine = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
