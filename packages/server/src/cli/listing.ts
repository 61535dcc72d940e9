import type { QueryParser } from '@baobab/core';
import { criteriaText, type NumberedPage, searchPage } from '@baobab/http/format';
import type { Config } from '../config.ts';

/** The options of a list, with the names that requests use. */
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

/** The page of a list that the options ask for. @throws `criteria.invalid`, `input.invalid` */
export function pageOf({ count: _, ...options }: ListOptions, parse: QueryParser, config: Config): NumberedPage {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return searchPage(given, parse(criteriaText(given) ?? EVERYTHING), config);
}

/** A page of a list as JSON text. */
export const pageJson = (rows: readonly string[], more: boolean, next: string | null): string =>
  `{"data":[${rows.join(',')}],"more":${more},"next":${JSON.stringify(next)}}`;

/** How people get the next page. */
export const moreLine = (next: string | null): string => (next === null ? '' : `\nMore: --cursor ${next}`);

export const countLine = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
