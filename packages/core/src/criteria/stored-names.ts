import type { JsonValue } from '../json-text.ts';
import { readJsonAt } from '../json-tree.ts';
import { shownAuthor, wireDate } from '../wire.ts';
import { plainPath, sortValueFor } from './order.ts';
import type { SearchedObject } from './search.ts';
import type { OrderKey, SortValue } from './syntax.ts';
import { type Resolve, valueAt } from './values.ts';

/** Columns of a file or an asset. */
export type StoredColumn =
  | 'id'
  | 'name'
  | 'fileName'
  | 'contentType'
  | 'size'
  | 'author'
  | 'created'
  /** Collection and id of the document that a file belongs to. */
  | 'document'
  /** JSON data attached by the client. */
  | 'data';

const COMMON: readonly (readonly [string, StoredColumn])[] = [
  ['id', 'id'],
  ['fileName', 'fileName'],
  ['contentType', 'contentType'],
  ['contentLength', 'size'],
  ['_author', 'author'],
  ['_creation_date', 'created'],
];
const FILE_COLUMNS: ReadonlyMap<string, StoredColumn> = new Map([
  ...COMMON,
  ['attachedData', 'data'],
  ['document', 'document'],
]);
const ASSET_COLUMNS: ReadonlyMap<string, StoredColumn> = new Map([...COMMON, ['name', 'name'], ['meta', 'data']]);

/** Returns the column of a name in a file; null if it is not one. */
export const fileColumn = (name: string): StoredColumn | null => FILE_COLUMNS.get(name) ?? null;
/** Returns the column of a name in an asset; null if it is not one. */
export const assetColumn = (name: string): StoredColumn | null => ASSET_COLUMNS.get(name) ?? null;

/** Values by column. `data` is canonical JSON, `created` is in milliseconds. */
type StoredValues = Readonly<Record<StoredColumn, string | number | null>>;

export interface StoredNames {
  column(name: string): StoredColumn | null;
  values: StoredValues;
}

/** Returns the values of a file or an asset by name. */
export function storedResolver({ column, values }: StoredNames): Resolve {
  let data: JsonValue | undefined;
  return (name) => {
    const known = column(name);
    if (known === null) return undefined;
    const value = values[known];
    if (known === 'author' && value !== null) return shownAuthor(String(value));
    if (known === 'created') return wireDate(Number(value));
    if (known !== 'data') return value;
    data ??= JSON.parse(String(value)) as JsonValue;
    return data;
  };
}

/** Returns a file or an asset as the source of result rows. */
export function storedSource(names: StoredNames): SearchedObject {
  const resolve = storedResolver(names);
  return {
    resolve,
    json(path) {
      const [first, ...steps] = path;
      if (names.column(first) === 'data') return readJsonAt(String(names.values.data), steps);
      return JSON.stringify(valueAt(path, resolve)) ?? null;
    },
  };
}

/** Returns true if a key sorts by creation, which is the order of the ids. */
export function isStoredId(key: OrderKey): boolean {
  const [first, ...steps] = plainPath(key) ?? [];
  return steps.length === 0 && (first === 'id' || first === '_creation_date');
}

/** Returns the sort values of a file or an asset. */
export function storedSortValues(order: readonly OrderKey[], names: StoredNames): SortValue[] {
  const resolve = storedResolver(names);
  return order.map((key) => (isStoredId(key) ? names.values.id : sortValueFor(key, resolve)));
}
