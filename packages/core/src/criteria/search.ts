import { planOf, projected, type Source, summaryJson } from './answer.ts';
import { type EndedPage, endPage, type PageBounds, pageTooLarge, type WeighedTexts } from './page.ts';
import type { SummaryRequest, SummaryValue } from './summary.ts';
import type { Condition, ListPosition, OrderKey, Query, SortValue } from './syntax.ts';

/** The query for everything, as it is, in the order of the ids. */
export const EVERY_OBJECT: Query = Object.freeze({ where: null, order: [], fields: null, groupBy: [] });

/** A query, and which part of its answer is wanted. */
export interface SearchPage extends PageBounds {
  readonly query: Query;
  /** Where the page before ended; null from the beginning. */
  readonly after: ListPosition | null;
  /** How many to pass over from there. */
  readonly skip: number;
}

export interface SearchResult<T> {
  /** The objects as they are; null when rows were asked for. */
  readonly objects: readonly T[] | null;
  /** JSON objects with the members that were asked for; empty when none were. */
  readonly rows: readonly string[];
  /** Whether there are more behind these. */
  readonly more: boolean;
  /** Where the page ended, when there are more; null when only their number tells where to go on. */
  readonly end: ListPosition | null;
}

/** What a search is in. */
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
  /** The texts of an object that may have any length. */
  readonly texts: WeighedTexts<T>;
  /** The values that an object is sorted by. */
  keys(order: readonly OrderKey[], object: T): readonly SortValue[];
}

/** The first rows of a page, as many as there is room for. @throws `criteria.invalid` when there is none for the first */
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
 * Answers one page of a query.
 *
 * @throws `criteria.invalid` for fields and an order that do not go with a grouping, and for fields that make too much
 *   of one row; `page.too_large`
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
