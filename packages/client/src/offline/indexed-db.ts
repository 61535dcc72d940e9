import type { OfflineStore, StoreChange } from './store.ts';

const ENTRIES = 'entries';

const done = (transaction: IDBTransaction, failure: () => unknown) =>
  new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(failure() ?? transaction.error);
  });

const rangeOf = (prefix: string) => IDBKeyRange.bound(prefix, `${prefix}\uffff`);

/** The local store of a page: a database of the browser, which all tabs of the origin share. */
export function indexedDbStore(name: string): OfflineStore {
  let opening: Promise<IDBDatabase> | null = null;
  let isClosed = false;

  function open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(ENTRIES);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        const forget = () => {
          opening = null;
        };
        // Another tab deletes the database, or the browser has closed it: the next call opens it again.
        database.onversionchange = () => {
          database.close();
          forget();
        };
        database.onclose = forget;
        resolve(database);
      };
    });
  }

  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    if (isClosed) throw new TypeError('The store is closed');
    opening ??= open().catch((error) => {
      opening = null;
      throw error;
    });
    return (await opening).transaction(ENTRIES, mode);
  }

  return {
    name,
    async list(prefix) {
      const transaction = await begin('readonly');
      const entries = transaction.objectStore(ENTRIES);
      const [keys, values] = [entries.getAllKeys(rangeOf(prefix)), entries.getAll(rangeOf(prefix))];
      await done(transaction, () => null);
      return keys.result.map((key, at) => [String(key), values.result[at]] as const);
    },
    async update(keys, change) {
      const transaction = await begin('readwrite');
      const entries = transaction.objectStore(ENTRIES);
      let failure: unknown = null;
      const write = (changes: readonly StoreChange[]) => {
        for (const [key, value] of changes) {
          if (value === undefined) entries.delete(key);
          else entries.put(value, key);
        }
      };
      const reads = keys.map((key) => entries.get(key));
      const apply = () => {
        try {
          write(change(reads.map((read) => read.result)));
        } catch (error) {
          failure = error;
          transaction.abort();
        }
      };
      const last = reads.at(-1);
      // Requests of a transaction succeed in their order.
      if (last === undefined) apply();
      else last.onsuccess = apply;
      await done(transaction, () => failure);
    },
    async clear(prefix) {
      const transaction = await begin('readwrite');
      transaction.objectStore(ENTRIES).delete(rangeOf(prefix));
      await done(transaction, () => null);
    },
    close() {
      isClosed = true;
      opening?.then((database) => database.close()).catch(() => undefined);
    },
  };
}
