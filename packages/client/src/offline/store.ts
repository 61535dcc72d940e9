import { BaobabError, isBaobabError } from '../errors.ts';
import { randomKey } from '../transport/random.ts';

/** An entry to store. The value `undefined` removes it. */
export type StoreChange = readonly [key: string, value: unknown];

/**
 * Port of the local store: plain JSON values by key. An adapter stores them permanently on the device. Tabs whose
 * stores have the same name share the entries.
 */
export interface OfflineStore {
  readonly name: string;
  /** Returns the entries whose keys begin with `prefix`, ordered by key. */
  list(prefix: string): Promise<readonly (readonly [key: string, value: unknown])[]>;
  /**
   * Calls `change` with the values at `keys`, undefined if there is none, and stores the returned changes atomically.
   * Nothing else is written between the read and the write, not even by another tab. If `change` throws, nothing
   * changes and the call fails with its error. It is called again if the transaction is repeated. Fails with an error
   * named `QuotaExceededError` if the storage is full.
   *
   * Every call fails with `client.store_unavailable` if the store cannot be used. If the first call does, the page
   * continues with a store in memory.
   */
  update(keys: readonly string[], change: (values: readonly unknown[]) => readonly StoreChange[]): Promise<void>;
  /** Removes all entries whose keys begin with `prefix`. */
  clear(prefix: string): Promise<void>;
  close(): void;
}

/** Checks the name, because the class of this error differs between platforms. */
export const isFull = (error: unknown) => (error as { name?: unknown } | null)?.name === 'QuotaExceededError';

/** Returns the error of a call whose store has failed. */
export function storeFailure(cause: unknown): BaobabError {
  if (isBaobabError(cause)) return cause;
  return isFull(cause)
    ? new BaobabError('client.store_full', 'No room on this device', { cause })
    : new BaobabError('client.store_unavailable', 'The store failed', { cause });
}

export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError';
}

export interface MemoryStoreOptions {
  /** Stores of the same name are not connected, unless they are the same object. */
  readonly name?: string;
  /** Maximum total length of keys and values, in characters. */
  readonly maxLength?: number;
}

function lengthOf(entries: ReadonlyMap<string, string>): number {
  let length = 0;
  for (const [key, text] of entries) length += key.length + text.length;
  return length;
}

/** Creates a store in memory, for tests and for apps that only need instant reads. */
export function memoryStore({
  // Tabs do not share it, so they need not wait for each other.
  name = `memory-${randomKey()}`,
  maxLength = Number.POSITIVE_INFINITY,
}: MemoryStoreOptions = {}): OfflineStore {
  let entries = new Map<string, string>();
  const keysOf = (prefix: string) => Array.from(entries.keys()).filter((key) => key.startsWith(prefix));
  const read = (key: string): unknown => {
    const text = entries.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };

  /** Returns the entries with the changes applied. */
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
