import type { Clock } from './ports/clock.ts';
import type { Signal, SignalFeed } from './ports/signals.ts';

/** Cached values expire after this time even without a signal. Milliseconds. */
const LIFETIME_MS = 60_000;

export interface SignalCacheOptions<T> {
  readonly signals: SignalFeed;
  readonly clock: Clock;
  /** The signals that say that the value may have changed. */
  readonly topics: readonly Signal['topic'][];
  read(): Promise<T>;
}

/** Caches a value that every node reads from the storage, until a signal says that it may have changed. */
export function createSignalCache<T>({ signals, clock, topics, read }: SignalCacheOptions<T>) {
  let cached: { readonly value: T; readonly since: number } | null = null;
  /** Counts signals: a value that was read before a signal is not cached after it. */
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
    /** From memory while signals arrive, otherwise read from the storage. */
    async current(): Promise<T> {
      const isTrusted = cached !== null && signals.live && clock.now() - cached.since < LIFETIME_MS;
      return isTrusted && cached !== null ? cached.value : fresh();
    },
    /** Read from the storage. */
    fresh,
    /** Ends the subscription to signals. */
    dispose,
  };
}
