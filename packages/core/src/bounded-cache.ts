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
