import type { Clock } from './ports/clock.ts';
import type { Signal, SignalFeed } from './ports/signals.ts';

/** Lifetime of cached values even without a signal, in milliseconds. */
const LIFETIME_MS = 60_000;

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
      const isTrusted = cached !== null && signals.live && clock.now() - cached.since < LIFETIME_MS;
      return isTrusted && cached !== null ? cached.value : fresh();
    },
    /** Reads the value from the storage. */
    fresh,
    /** Unsubscribes from signals. */
    dispose,
  };
}
