import {
  type Condition,
  createComparator,
  createTest,
  type ListPosition,
  type OrderKey,
  type Resolve,
  type SortValue,
  type SummaryRequest,
  summarize,
} from '@baobab/core';

/** Access to the fields of objects. */
export interface ObjectView<T> {
  resolve(object: T): Resolve;
  keys(order: readonly OrderKey[], object: T): readonly SortValue[];
  /** Returns the texts of unlimited length. */
  texts(object: T): readonly string[];
}

/** Returns the objects that match the filter. */
export function found<T>(objects: readonly T[], where: Condition | null, { resolve }: ObjectView<T>): readonly T[] {
  if (where === null) return objects;
  const test = createTest(where);
  return objects.filter((object) => test(resolve(object)));
}

/** Returns as many rows as `maxBytes` allows, as described in the ports. */
export function within<T>(
  rows: readonly T[],
  maxBytes: number | undefined,
  textsOf: (row: T) => readonly string[],
): T[] {
  const read: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (read.length > 1 && bytes > (maxBytes ?? Number.POSITIVE_INFINITY)) break;
    read.push(row);
    for (const text of textsOf(row)) bytes += Buffer.byteLength(text);
  }
  return read;
}

/** Returns the texts in a row of a summary. */
export const textsOfSummary = (row: readonly unknown[]) => row.filter((value) => typeof value === 'string');

export interface PageOptions {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  readonly after: ListPosition | null;
  readonly skip: number;
  readonly limit: number;
  readonly maxBytes?: number;
}

/** Returns a page of the objects, in the requested order. */
export function pageOf<T extends { readonly id: string }>(
  objects: readonly T[],
  { where, order, after, skip, limit, maxBytes }: PageOptions,
  view: ObjectView<T>,
): T[] {
  const compare = createComparator(order);
  const page = found(objects, where, view)
    .map((object) => ({ object, id: object.id, keys: view.keys(order, object) }))
    .filter((place) => after === null || compare(place, after) > 0)
    .sort(compare)
    .slice(skip, skip + limit)
    .map(({ object }) => object);
  return within(page, maxBytes, view.texts);
}

export interface SummaryOptions extends SummaryRequest {
  readonly where: Condition | null;
  readonly skip: number;
  readonly limit: number;
  readonly maxBytes?: number;
}

/** Returns the requested rows of a summary. */
export function summaryOf<T>(objects: readonly T[], wish: SummaryOptions, view: ObjectView<T>) {
  const { where, skip, limit, maxBytes } = wish;
  const rows = summarize(found(objects, where, view).map(view.resolve), wish).slice(skip, skip + limit);
  return within(rows, maxBytes, textsOfSummary);
}
