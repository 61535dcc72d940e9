import { planOf, projected, type Source, summaryJson } from './answer.ts';
import { type EndedPage, endPage, type PageBounds, pageTooLarge, type WeighedTexts } from './page.ts';
import type { SummaryRequest, SummaryValue } from './summary.ts';
import type { Condition, ListPosition, OrderKey, Query, SortValue } from './syntax.ts';

/** Query for all objects, unprojected, in id order. */
export const EVERY_OBJECT: Query = Object.freeze({ where: null, order: [], fields: null, groupBy: [] });

/** A query with the requested page of its result. */
export interface SearchPage extends PageBounds {
  readonly query: Query;
  /** Cursor at the end of the previous page; null from the beginning. */
  readonly after: ListPosition | null;
  /** Number of objects to skip from there. */
  readonly skip: number;
}

export interface SearchResult<T> {
  /** The objects themselves; null if rows were requested. */
  readonly objects: readonly T[] | null;
  /** JSON objects with the requested members; empty if objects were requested. */
  readonly rows: readonly string[];
  /** True if more rows follow. */
  readonly more: boolean;
  /** End of the page, if more follow; null if the next page can only be requested by number. */
  readonly end: ListPosition | null;
}

/** The searched store. */
export interface SearchTarget<T extends { readonly id: string }> {
  list(list: {
    readonly where: Condition | null;
    readonly order: readonly OrderKey[];
    readonly after: ListPosition | null;
    readonly skip: number;
    readonly limit: number;
    readonly maxBytes: number;
  }): Promise<readonly T[]>;
  summarize(
    summary: SummaryRequest & {
      readonly where: Condition | null;
      readonly skip: number;
      readonly limit: number;
      readonly maxBytes: number;
    },
  ): Promise<readonly (readonly SummaryValue[])[]>;
  source(object: T): Source;
  /** Returns the texts of unlimited length in an object. */
  readonly texts: WeighedTexts<T>;
  /** Returns the sort values of an object. */
  keys(order: readonly OrderKey[], object: T): readonly SortValue[];
}

/** Returns the rows that fit into the page. @throws `criteria.invalid` if the first one alone is too large */
function rowsWithin<T>(
  { rows, more }: EndedPage<T>,
  bounds: PageBounds,
  make: (row: T) => string,
): { readonly made: readonly string[]; readonly more: boolean } {
  const made: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = make(row);
    length += text.length;
    if (length > bounds.maxBytes && made.length > 0) {
      if (!bounds.mayEndEarly) throw pageTooLarge(bounds);
      return { made, more: true };
    }
    made.push(text);
  }
  return { made, more };
}

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

const textsOfSummary = (row: readonly SummaryValue[]) => row.filter((value) => typeof value === 'string');

/**
 * Computes one page of the result of a query.
 *
 * @throws `criteria.invalid` if `fields` or `orderBy` cannot be combined with the grouping, or if `fields` makes one
 * row too large; `page.too_large`
 */
export async function search<T extends { readonly id: string }>(
  { query, after, skip, ...bounds }: SearchPage,
  target: SearchTarget<T>,
): Promise<SearchResult<T>> {
  const plan = planOf(query);
  const { where, order } = query;
  const { maxBytes } = bounds;
  const limit = bounds.limit + 1;
  if (plan.kind === 'summary') {
    const { groupBy, aggregates, order: by, members } = plan;
    const found = await target.summarize({ groupBy, aggregates, order: by, where, skip, limit, maxBytes });
    const page = endPage(found, bounds, textsOfSummary);
    const { made, more } = rowsWithin(page, bounds, (row) =>
      summaryJson(members, row, maxBytes + lengthOf(textsOfSummary(row))),
    );
    return { objects: null, rows: made, more, end: null };
  }
  const page = endPage(await target.list({ where, order, after, skip, limit, maxBytes }), bounds, target.texts);
  const positionOf = (last: T | undefined) =>
    last === undefined ? null : { keys: target.keys(order, last), id: last.id };
  if (plan.kind === 'objects') {
    return { objects: page.rows, rows: [], more: page.more, end: page.more ? positionOf(page.rows.at(-1)) : null };
  }
  const { made, more } = rowsWithin(page, bounds, (row) =>
    projected(plan.fields, target.source(row), maxBytes + lengthOf(target.texts(row))),
  );
  return { objects: null, rows: made, more, end: more ? positionOf(page.rows[made.length - 1]) : null };
}
