/** The storage methods that the console needs. */
export type PageStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

function attempt<T>(task: () => T): T | null {
  try {
    return task();
  } catch {
    return null;
  }
}

/** Returns a browser storage. If site data is blocked or the storage is full, it is empty and stores nothing. */
export const pageStorage = (name: 'localStorage' | 'sessionStorage'): PageStorage => ({
  getItem: (key) => attempt(() => globalThis[name].getItem(key)),
  setItem: (key, value) => attempt(() => globalThis[name].setItem(key, value)),
  removeItem: (key) => attempt(() => globalThis[name].removeItem(key)),
});
