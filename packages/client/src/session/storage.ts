import type { ClientOptions, SessionStorage } from '../options.ts';

/** Timeout for reading from a storage, in milliseconds. */
const READ_MS = 3_000;

/**
 * The app's storage. It never fails: without usable storage it is empty, and written values last as long as the client.
 */
export interface Kept {
  /** True if the tabs of the browser share it; null if unknown. */
  readonly isShared: boolean | null;
  /** Returns the value, immediately if the storage is synchronous. */
  read(key: string): string | null | Promise<string | null>;
  /** Stores the value; null removes it. */
  write(key: string, value: string | null): void;
}

/** Resolves to null if the storage fails or does not answer in time. */
const bounded = (reading: Promise<string | null>) =>
  new Promise<string | null>((resolve) => {
    const end = (value: string | null) => {
      clearTimeout(timer);
      resolve(value);
    };
    const timer = setTimeout(end, READ_MS, null);
    reading.then(end, () => end(null));
  });

/** Returns null if the task throws. */
export function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}

/** Opens a storage. Browsers may throw on access to it, for example in sandboxed frames or if site data is blocked. */
export function openStorage(option: ClientOptions['storage']): Kept {
  const storage = attempt<SessionStorage | null | undefined>(() =>
    typeof option === 'string' ? globalThis[option] : typeof option === 'function' ? option() : option,
  );
  return {
    // In Node, reading `localStorage` prints a warning.
    isShared: typeof document === 'object' && attempt(() => storage === localStorage),
    read(key) {
      const found = attempt(() => storage?.getItem(key) ?? null);
      // A promise may come from another frame, so `instanceof` is not reliable.
      return found && typeof found !== 'string' ? bounded(found) : found;
    },
    write(key, value) {
      const store = async () => (value === null ? storage?.removeItem(key) : storage?.setItem(key, value));
      store().catch(() => undefined);
    },
  };
}
