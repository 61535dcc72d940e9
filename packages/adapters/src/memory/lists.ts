import {
  type Condition,
  createComparator,
  createTest,
  type ListPage,
  type ListPosition,
  type OrderKey,
  type Resolve,
  type RowPage,
  type SortValue,
  type SummaryPage,
  summarize,
} from '@baobab/core';

/** Access to the fields of objects. */
export interface ObjectView<T> {
  resolve(object: T): Resolve;
  /** Returns an order of objects. `placeAt` converts the position in a request to that order. */
  order(keys: readonly OrderKey[]): {
    compare(a: ListPosition, b: ListPosition): number;
    placeOf(object: T): ListPosition;
    placeAt(position: ListPosition): ListPosition;
  };
  /** Returns the texts of unlimited length. */
  texts(object: T): readonly string[];
}

/** Returns the order by the values of objects, then by their ids. */
export const orderBy =
  <T extends { readonly id: string }>(valuesOf: (keys: readonly OrderKey[], object: T) => readonly SortValue[]) =>
  (keys: readonly OrderKey[]) => ({
    compare: createComparator(keys),
    placeOf: (object: T): ListPosition => ({ id: object.id, keys: valuesOf(keys, object) }),
    placeAt: (position: ListPosition) => position,
  });

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

/**
 * Returns a page of the objects, in the requested order.
 *
 * @param objects in ascending order of ids
 */
export function pageOf<T extends { readonly id: string }>(
  objects: readonly T[],
  { where, order, after, skip, limit, maxBytes }: ListPage,
  view: ObjectView<T>,
): T[] {
  const { compare, placeOf, placeAt } = view.order(order);
  const start = after === null ? null : placeAt(after);
  let matching = found(objects, where, view);
  if (start !== null) matching = matching.filter((object) => compare(placeOf(object), start) > 0);
  if (order.length > 0) {
    const placed = matching.map((object) => ({ object, place: placeOf(object) }));
    matching = placed.sort((a, b) => compare(a.place, b.place)).map(({ object }) => object);
  }
  return within(matching.slice(skip, skip + limit), maxBytes, view.texts);
}

/** Returns the requested rows of a summary. */
export function summaryOf<T>(objects: readonly T[], wanted: SummaryPage, view: ObjectView<T>) {
  const { where, skip, limit, maxBytes } = wanted;
  const rows = summarize(found(objects, where, view).map(view.resolve), wanted).slice(skip, skip + limit);
  return within(rows, maxBytes, (row) => row.filter((value) => typeof value === 'string'));
}

/** Returns a page of rows that are in ascending order of this column. */
export function rowPageOf<Row>(rows: readonly Row[], column: keyof Row, { after, skip, limit }: RowPage): Row[] {
  return rows.filter((row) => after === null || String(row[column]) > after).slice(skip, skip + limit);
}
