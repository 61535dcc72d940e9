/** Small blobs that were requested recently, with a limit for their total size. */
export interface VariantCache {
  get(key: string): Uint8Array | undefined;
  /** Stores the bytes unless they are larger than a cache entry may be; evicts the least recently used. */
  set(key: string, bytes: Uint8Array): void;
  /** Whether a blob of this size (bytes) would be cached. */
  takes(size: number): boolean;
}

export interface VariantCacheOptions {
  /** Maximum size of all entries, bytes. */
  readonly capacity: number;
  /** Maximum size of one entry, bytes. */
  readonly largest: number;
}

export function createVariantCache({ capacity, largest }: VariantCacheOptions): VariantCache {
  // A Map iterates in insertion order, so the first entry is the least recently used.
  const entries = new Map<string, Uint8Array>();
  let held = 0;

  function drop(key: string): void {
    held -= entries.get(key)?.length ?? 0;
    entries.delete(key);
  }

  return {
    takes: (size) => size <= largest,
    get(key) {
      const bytes = entries.get(key);
      if (bytes !== undefined) {
        entries.delete(key);
        entries.set(key, bytes);
      }
      return bytes;
    },
    set(key, bytes) {
      if (bytes.length > largest) return;
      drop(key);
      entries.set(key, bytes);
      held += bytes.length;
      for (const oldest of entries.keys()) {
        if (held <= capacity) break;
        drop(oldest);
      }
    },
  };
}
