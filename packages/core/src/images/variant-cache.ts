/** Cache of small, recently requested blobs, with a limit for their total size. */
export interface VariantCache {
  get(key: string): Uint8Array | undefined;
  /** Stores the bytes unless they are too large for an entry. Evicts the least recently used entries. */
  set(key: string, bytes: Uint8Array): void;
  /** Returns true if a blob of this size, in bytes, would be cached. */
  takes(size: number): boolean;
}

export interface VariantCacheOptions {
  /** Maximum size of all entries, in bytes. */
  readonly capacity: number;
  /** Maximum size of one entry, in bytes. */
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
