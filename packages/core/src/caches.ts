import type { Clock } from './ports/clock.ts';
import type { Signal, SignalFeed } from './ports/signals.ts';

/** A map that drops its least recently used entries when it is full. */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  /** Removes every entry whose value satisfies `matches`. */
  deleteWhere(matches: (value: V) => boolean): void;
  clear(): void;
  readonly size: number;
}

export function createBoundedCache<K, V>(capacity: number): BoundedCache<K, V> {
  // Two generations instead of a strict LRU order: a hit in the young one costs one look-up and moves nothing.
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  const half = Math.max(1, Math.floor(capacity / 2));

  function set(key: K, value: V): void {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) {
        old.delete(key);
        set(key, older);
      }
      return older;
    },
    set(key, value) {
      old.delete(key);
      set(key, value);
    },
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    deleteWhere(matches) {
      for (const generation of [young, old]) {
        for (const [key, value] of generation) if (matches(value)) generation.delete(key);
      }
    },
    clear() {
      young.clear();
      old.clear();
    },
    get size() {
      return young.size + old.size;
    },
  };
}

/** Lifetime of cached values even without a signal, in milliseconds. */
const LIFETIME_MS = 60_000;

/** Returns true if a value read at `since` is still valid: while signals arrive, and for a minute at most. */
export const isFresh = (since: number, now: number, { live }: SignalFeed) =>
  live && now - since < LIFETIME_MS && now >= since;

export interface SignalCacheOptions<T> {
  readonly signals: SignalFeed;
  readonly clock: Clock;
  /** Topics of signals after which the value may have changed. */
  readonly topics: readonly Signal['topic'][];
  read(): Promise<T>;
}

/** Caches a value that every node reads from the storage, until a signal announces a possible change. */
export function createSignalCache<T>({ signals, clock, topics, read }: SignalCacheOptions<T>) {
  let cached: { readonly value: T; readonly since: number } | null = null;
  /** Number of signals. A value read before a signal is not cached after it. */
  let generation = 0;
  const dispose = signals.subscribe({
    topics,
    hear() {
      generation++;
      cached = null;
    },
  });

  async function fresh(): Promise<T> {
    const before = generation;
    const value = await read();
    if (before === generation) cached = { value, since: clock.now() };
    return value;
  }

  return {
    /** Returns the value from memory while signals arrive, otherwise from the storage. */
    async current(): Promise<T> {
      return cached !== null && isFresh(cached.since, clock.now(), signals) ? cached.value : fresh();
    },
    /** Reads the value from the storage. */
    fresh,
    /** Unsubscribes from signals. */
    dispose,
  };
}
