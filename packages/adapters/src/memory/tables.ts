import { compareCodePoints } from '@baobab/core';

/** Creates the record of the changes of the current transaction. Outside a transaction, nothing is recorded. */
export function createJournal() {
  let steps: Array<() => void> | null = null;
  return {
    begin(): void {
      steps = [];
    },
    /** @param undo reverts a change */
    record: (undo: () => void) => void steps?.push(undo),
    commit(): void {
      steps = null;
    },
    rollback(): void {
      const undone = steps?.toReversed() ?? [];
      steps = null;
      for (const undo of undone) undo();
    },
  };
}

type Change<V> = Partial<V> | ((row: V) => Partial<V>);

/** Values that a row must have in some columns, or a test. */
type Match<V> = Partial<V> | ((row: V) => boolean);

export interface Table<V> {
  /** @param key the columns of the key, in their order */
  get(...key: readonly string[]): V | null;
  has(...key: readonly string[]): boolean;
  /** Adds a row, or replaces the one with its key. */
  set(row: V): void;
  /** Changes the row with this key. Returns null if there is none. */
  update(key: string, change: Change<V>): V | null;
  /** Changes all matching rows, and returns them. */
  updateAll(match: Match<V>, change: Change<V>): V[];
  delete(...key: readonly string[]): boolean;
  /** Returns all rows in ascending order of their keys. */
  all(): V[];
  /** Returns the matching rows in ascending order of their keys, at most `limit`. */
  where(match: Match<V>, limit?: number): V[];
  /** Returns the first matching row; null if there is none. */
  first(match: Match<V>): V | null;
  /** Removes the first matching rows, at most `limit`, and returns them. */
  remove(match: Match<V>, limit?: number): V[];
  /** Returns the key of a row as one text. */
  keyOf(row: V): string;
}

const SEPARATOR = ' ';

/**
 * Stores copies of rows by the columns of their key. They are frozen, so returning them is safe.
 *
 * @param check called before a row is stored, to reject one whose references are invalid
 */
export function createTable<V extends object>(
  journal: ReturnType<typeof createJournal>,
  columns: readonly (keyof V)[],
  check: (row: V) => void = () => undefined,
): Table<V> {
  let rows = new Map<string, V>();
  let greatest = '';
  let isSorted = true;
  const keyOf = (row: V) => columns.map((column) => row[column] ?? '').join(SEPARATOR);

  function put(key: string, row: V | undefined): void {
    if (row === undefined) {
      rows.delete(key);
      return;
    }
    if (!rows.has(key)) {
      // Most ids are ordered by time, so rows usually arrive in order.
      if (compareCodePoints(key, greatest) < 0) isSorted = false;
      else greatest = key;
    }
    rows.set(key, row);
  }

  function change(key: string, row: V | undefined): void {
    const before = rows.get(key);
    put(key, row);
    journal.record(() => put(key, before));
  }

  function all(): V[] {
    if (!isSorted) rows = new Map([...rows].sort(([a], [b]) => compareCodePoints(a, b)));
    isSorted = true;
    return [...rows.values()];
  }

  function set(row: V): V {
    check(row);
    const stored = Object.freeze({ ...row });
    change(keyOf(stored), stored);
    return stored;
  }

  function remove(key: string): boolean {
    const existed = rows.has(key);
    if (existed) change(key, undefined);
    return existed;
  }

  const update = (row: V, changed: Change<V>) =>
    set({ ...row, ...(typeof changed === 'function' ? changed(row) : changed) });

  function where(match: Match<V>, limit?: number): V[] {
    const wanted = Object.entries(match) as [keyof V, unknown][];
    const matches = (row: V) => wanted.every(([column, value]) => row[column] === value);
    return all()
      .filter(typeof match === 'function' ? match : matches)
      .slice(0, limit);
  }

  return {
    get: (...key) => rows.get(key.join(SEPARATOR)) ?? null,
    has: (...key) => rows.has(key.join(SEPARATOR)),
    set,
    update(key, changed) {
      const row = rows.get(key);
      return row === undefined ? null : update(row, changed);
    },
    updateAll: (match, changed) => where(match).map((row) => update(row, changed)),
    delete: (...key) => remove(key.join(SEPARATOR)),
    all,
    where,
    first: (match) => where(match)[0] ?? null,
    remove(match, limit) {
      const removed = where(match, limit);
      for (const row of removed) remove(keyOf(row));
      return removed;
    },
    keyOf,
  };
}

/** A store whose methods return immediately. `createMemoryStorage` makes them asynchronous. */
export type Immediate<Store> = {
  readonly [Method in keyof Store]: Store[Method] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};
