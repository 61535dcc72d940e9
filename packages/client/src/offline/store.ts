import { randomKey } from '../transport/random.ts';

/** An entry to store. The value `undefined` removes the entry. */
export type StoreChange = readonly [key: string, value: unknown];

/**
 * The port of the local store: entries of plain JSON by key. An adapter keeps them for as long as the device does. Tabs
 * whose stores have the same name share the entries.
 */
export interface OfflineStore {
  readonly name: string;
  /** The entries whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): Promise<readonly (readonly [key: string, value: unknown])[]>;
  /**
   * Calls `change` with the values at `keys`, undefined where there is none, and stores what it returns: all of it or
   * nothing. Nothing else is stored between the reading and the writing, not even by another tab. When `change` throws,
   * nothing changes and the call fails with what it threw. It is called again if the transaction is repeated. Fails with an error named `QuotaExceededError` when there is
   * no room.
   *
   * Every call fails with `client.store_unavailable` if the store cannot be used. If the first one does, a page goes on
   * with a store in memory.
   */
  update(keys: readonly string[], change: (values: readonly unknown[]) => readonly StoreChange[]): Promise<void>;
  /** Removes all entries whose keys begin with `prefix`. */
  clear(prefix: string): Promise<void>;
  close(): void;
}

/** Errors of this name are of one class in a browser, and of another one elsewhere. */
export const isFull = (error: unknown) => (error as { name?: unknown } | null)?.name === 'QuotaExceededError';

class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError';
}

export interface MemoryStoreOptions {
  /** Stores of the same name are not connected, unless they are the same object. */
  readonly name?: string;
  /** The most characters of keys and values. */
  readonly maxLength?: number;
}

function lengthOf(entries: ReadonlyMap<string, string>): number {
  let length = 0;
  for (const [key, text] of entries) length += key.length + text.length;
  return length;
}

/** A store that lasts as long as the object, for tests and for apps that only want reads at once. */
export function memoryStore({
  // Tabs do not share it, so none of them waits for another one.
  name = `memory-${randomKey()}`,
  maxLength = Number.POSITIVE_INFINITY,
}: MemoryStoreOptions = {}): OfflineStore {
  let entries = new Map<string, string>();
  const keysOf = (prefix: string) => Array.from(entries.keys()).filter((key) => key.startsWith(prefix));
  const read = (key: string): unknown => {
    const text = entries.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };

  /** The entries with the changes. */
  function changed(changes: readonly StoreChange[]): Map<string, string> {
    const next = Number.isFinite(maxLength) ? new Map(entries) : entries;
    for (const [key, value] of changes) {
      if (value === undefined) next.delete(key);
      else next.set(key, JSON.stringify(value));
    }
    return next;
  }

  return {
    name,
    async list(prefix) {
      return keysOf(prefix)
        .sort()
        .map((key) => [key, read(key)] as const);
    },
    async update(keys, change) {
      const next = changed(change(keys.map(read)));
      if (Number.isFinite(maxLength) && lengthOf(next) > maxLength) {
        throw new QuotaExceededError(`The store has room for ${maxLength} characters`);
      }
      entries = next;
    },
    async clear(prefix) {
      for (const key of keysOf(prefix)) entries.delete(key);
    },
    close: () => undefined,
  };
}
