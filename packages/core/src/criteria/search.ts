import { AppError } from '../errors.ts';
import { exceedsBytes } from '../utf8.ts';
import { operandValue } from './evaluate.ts';
import type { SnippetPart } from './full-text/snippet.ts';
import { pathText } from './operands.ts';
import { plainPath } from './order.ts';
import type { ListPage, SummaryPage, SummaryRow } from './pages.ts';
import type { SummaryOrderKey, SummaryValue } from './summary.ts';
import type { Aggregate, Field, ListPosition, OrderKey, Path, Query, Snippet, SortValue } from './syntax.ts';
import type { Resolve } from './values.ts';

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
  /** Called between parts of the work; lets other requests proceed. */
  readonly pause?: () => Promise<void>;
}

/** Returns the texts of unlimited length in a row, in port order, which determine its size. */
type WeighedTexts<T> = (row: T) => readonly string[];

interface EndedPage<T> {
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
function endPage<T>(found: readonly T[], bounds: PageBounds, textsOf: WeighedTexts<T>): EndedPage<T> {
  const { limit, maxBytes, mayEndEarly } = bounds;
  const isTooLarge = found.length > 1 && exceedsBytes(found, textsOf, maxBytes);
  const length = Math.min(limit, isTooLarge ? found.length - 1 : found.length);
  if (isTooLarge && length < limit && !mayEndEarly) throw pageTooLarge(bounds);
  const more = length < found.length;
  return { rows: more ? found.slice(0, length) : found, more };
}

/** A searched object: its values by name, and their stored JSON text. */
export interface SearchedObject {
  readonly resolve: Resolve;
  /** Returns the JSON text of the value at a path; null if it is absent. */
  json(path: Path): string | null;
  /** Returns the part of a text around the hits of the search; null if there is no text. Absent without a search. */
  snippet?(path: Path): readonly SnippetPart[] | null;
}

/** A member of a row that is not an aggregate. */
type RowField = Field | Snippet;

/** True if a query returns groups or aggregates instead of objects. */
export const isSummary = ({ fields, groupBy }: Pick<Query, 'fields' | 'groupBy'>) =>
  groupBy.length > 0 || (fields ?? []).some(({ kind }) => kind === 'aggregate');

/** Returns the value of a member of a row, as JSON text. Numbers and key order are as stored. */
function memberJson(field: RowField, source: SearchedObject): string {
  if (field.kind === 'snippet') return JSON.stringify(source.snippet?.(field.path) ?? null);
  const { operand } = field;
  if (operand.kind === 'path') return source.json(operand.path) ?? 'null';
  return JSON.stringify(operandValue(operand, source.resolve) ?? null);
}

/**
 * Returns a JSON object. Stops as soon as it is too long, to bound memory.
 *
 * @throws `criteria.invalid` if it would have more than `most` characters
 */
function object<T extends { readonly as: string }>(members: readonly T[], json: (member: T) => string, most: number) {
  const parts: string[] = [];
  let length = 0;
  for (const member of members) {
    const part = `${JSON.stringify(member.as)}:${json(member)}`;
    length += part.length;
    if (length > most) throw wrong(`fields: one row would have more than ${most} bytes; name fewer`);
    parts.push(part);
  }
  return `{${parts.join(',')}}`;
}

/**
 * Returns a JSON object with the requested members, in their order. Absent values are null.
 *
 * @throws `criteria.invalid` if it would have more than `most` characters
 */
function projected(fields: readonly RowField[], source: SearchedObject, most: number): string {
  return object(fields, (field) => memberJson(field, source), most);
}

/** A member of a summary row, with its index in the group values followed by the aggregates. */
interface SummaryMember {
  readonly as: string;
  readonly column: number;
}

/** Execution plan of a query. */
type Plan =
  | { readonly kind: 'objects' }
  | { readonly kind: 'rows'; readonly fields: readonly RowField[] }
  | {
      readonly kind: 'summary';
      readonly groupBy: readonly Path[];
      readonly aggregates: readonly Aggregate[];
      readonly order: readonly SummaryOrderKey[];
      readonly members: readonly SummaryMember[];
    };

const wrong = (detail: string) => new AppError('criteria.invalid', { detail });
const same = (a: Path, b: Path) => JSON.stringify(a) === JSON.stringify(b);

/** Returns the index of a path in `groupBy`; -1 if it is not there. */
const groupOf = (path: Path, groupBy: readonly Path[]) => groupBy.findIndex((group) => same(group, path));

function summaryOrder(order: readonly OrderKey[], groupBy: readonly Path[], members: readonly SummaryMember[]) {
  return order.map((key): SummaryOrderKey => {
    const { descending } = key;
    const path = plainPath(key);
    if (path === null) throw wrong('orderBy: groups are sorted without toLowerCase() and collate');
    const named = path.length === 1 ? members.find(({ as }) => as === path[0])?.column : undefined;
    const column = named ?? groupOf(path, groupBy);
    if (column === -1) throw wrong('orderBy: expected names of fields or of groupBy when objects are grouped');
    return { column, descending };
  });
}

/** @throws `criteria.invalid` if `fields` or `orderBy` cannot be combined with the grouping */
function planOf({ fields, groupBy, order }: Query): Plan {
  const wanted =
    fields ?? groupBy.map((path): Field => ({ kind: 'field', operand: { kind: 'path', path }, as: pathText(path) }));
  const aggregates = wanted.filter((field) => field.kind === 'aggregate');
  if (groupBy.length === 0 && aggregates.length === 0) {
    return fields === null
      ? { kind: 'objects' }
      : { kind: 'rows', fields: wanted.filter((field) => field.kind !== 'aggregate') };
  }
  const members = wanted.map((field): SummaryMember => {
    if (field.kind === 'aggregate') return { as: field.as, column: groupBy.length + aggregates.indexOf(field) };
    const path = field.kind === 'field' && field.operand.kind === 'path' ? field.operand.path : null;
    const column = path === null ? -1 : groupOf(path, groupBy);
    if (column === -1) throw wrong('fields: expected aggregates and names of groupBy when objects are grouped');
    return { as: field.as, column };
  });
  return { kind: 'summary', groupBy, aggregates, members, order: summaryOrder(order, groupBy, members) };
}

/** Returns a summary row as a JSON object with the requested members. @throws `criteria.invalid` as `projected` */
function summaryJson(members: readonly SummaryMember[], row: readonly SortValue[], most: number): string {
  return object(members, ({ column }) => JSON.stringify(row[column] ?? null), most);
}

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
  list(list: ListPage): Promise<readonly T[]>;
  summarize(summary: SummaryPage): Promise<readonly SummaryRow[]>;
  source(object: T): SearchedObject;
  /** Returns the texts of unlimited length in an object. */
  readonly texts: WeighedTexts<T>;
  /** Returns the sort values of an object. */
  keys(order: readonly OrderKey[], object: T): readonly SortValue[];
}

/** Returns the rows that fit into the page. @throws `criteria.invalid` if the first one alone is too large */
async function rowsWithin<T>(
  { rows, more }: EndedPage<T>,
  bounds: PageBounds,
  make: (row: T) => string,
): Promise<{ readonly made: readonly string[]; readonly more: boolean }> {
  const made: string[] = [];
  let length = 0;
  for (const row of rows) {
    await bounds.pause?.();
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
    const { made, more } = await rowsWithin(page, bounds, (row) =>
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
  const { made, more } = await rowsWithin(page, bounds, (row) =>
    projected(plan.fields, target.source(row), maxBytes + lengthOf(target.texts(row))),
  );
  return { objects: null, rows: made, more, end: more ? positionOf(page.rows[made.length - 1]) : null };
}
