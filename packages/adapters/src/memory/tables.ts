import { compareCodePoints } from '@baobab/core';

/** Records changes, to undo them in reverse order on rollback. */
export interface Journal {
  record(undo: () => void): void;
}

export interface Table<V> {
  get(key: string): V | undefined;
  set(value: V): void;
  delete(key: string): boolean;
  /** Returns all values in ascending order of their keys. */
  values(): V[];
  /** Returns the values with `entry` in an index, in ascending order of their keys. */
  where(index: string, entry: string): V[];
}

export interface TableOptions<V> {
  readonly journal: Journal;
  readonly key: (value: V) => string;
  /** By name: returns the index entry of a value, or null if the index does not contain it. */
  readonly indexes?: Readonly<Record<string, (value: V) => string | null>>;
}

/** Stores rows by key, with indexes. Values are frozen, so returning them is safe. */
export function createTable<V extends object>({ journal, key, indexes = {} }: TableOptions<V>): Table<V> {
  const rows = new Map<string, V>();
  const order = createSortedKeys();
  const indexed = new Map(Object.keys(indexes).map((name) => [name, new Map<string, SortedKeys>()]));

  function entries(name: string, entry: string): SortedKeys | undefined {
    return indexed.get(name)?.get(entry);
  }

  function index(value: V, change: 'add' | 'remove'): void {
    const id = key(value);
    for (const [name, entryOf] of Object.entries(indexes)) {
      const entry = entryOf(value);
      if (entry === null) continue;
      let keys = entries(name, entry);
      if (keys === undefined) {
        keys = createSortedKeys();
        indexed.get(name)?.set(entry, keys);
      }
      keys[change](id);
    }
  }

  function put(id: string, value: V | undefined): void {
    const before = rows.get(id);
    if (before !== undefined) index(before, 'remove');
    if (value === undefined) {
      rows.delete(id);
      order.remove(id);
      return;
    }
    rows.set(id, value);
    order.add(id);
    index(value, 'add');
  }

  function change(id: string, value: V | undefined): void {
    const before = rows.get(id);
    put(id, value);
    journal.record(() => put(id, before));
  }

  const resolve = (keys: readonly string[]) => keys.flatMap((id) => rows.get(id) ?? []);

  return {
    get: (id) => rows.get(id),
    set: (value) => change(key(value), Object.freeze(value)),
    delete(id) {
      const existed = rows.has(id);
      if (existed) change(id, undefined);
      return existed;
    },
    values: () => resolve(order.list()),
    where: (name, entry) => resolve(entries(name, entry)?.list() ?? []),
  };
}

interface SortedKeys {
  add(key: string): void;
  remove(key: string): void;
  list(): readonly string[];
}

function createSortedKeys(): SortedKeys {
  const keys: string[] = [];

  /** Returns the index of `key`, or its insertion point. */
  function position(key: string): number {
    const last = keys.at(-1);
    if (last === undefined || compareCodePoints(last, key) < 0) return keys.length; // ids are mostly ascending
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareCodePoints(keys[middle] as string, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(key) {
      const at = position(key);
      if (keys[at] !== key) keys.splice(at, 0, key);
    },
    remove(key) {
      const at = position(key);
      if (keys[at] === key) keys.splice(at, 1);
    },
    list: () => keys.slice(),
  };
}
