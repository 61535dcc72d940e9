import { BaobabError } from '../errors.ts';
import { attempt } from '../session/storage.ts';
import { isFull, type OfflineStore, type StoreChange } from './store.ts';

const ENTRIES = 'entries';
/** Timeout for opening the database, in milliseconds. It usually takes a few; a failed attempt is repeated once. */
const OPEN_MS = 1_500;
/** Timeout for a transaction, including the wait for transactions of other tabs, in milliseconds. */
const TRANSACTION_MS = 30_000;

/** Fails a call without a retry. All other failures come from the browser. */
class Final {
  readonly failure: unknown;

  constructor(failure: unknown) {
    this.failure = failure;
  }
}

const unavailable = (cause?: unknown) =>
  new BaobabError('client.store_unavailable', 'The browser cannot store data: reload the page', {
    cause,
  });

function write(entries: IDBObjectStore, changes: readonly StoreChange[]): void {
  for (const [key, value] of changes) {
    if (value === undefined) entries.delete(key);
    else entries.put(value, key);
  }
}

const rangeOf = (prefix: string) => IDBKeyRange.bound(prefix, `${prefix}\uffff`);

/** @param onLost called when the connection is no longer usable */
const connect = (name: string, onLost: () => void) =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject();
    }, OPEN_MS);
    request.onupgradeneeded = () => request.result.createObjectStore(ENTRIES);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      clearTimeout(timer);
      const database = request.result;
      // Another tab deletes the database, or the browser has closed it. The next call opens it again.
      database.onversionchange = database.onclose = onLost;
      // An open connection would prevent other tabs from deleting the database.
      if (isLate) database.close();
      resolve(database);
    };
  });

/**
 * Makes requests. Returns the function that reads their results after the transaction completes. `abort` rolls
 * everything back and fails the attempt with its argument.
 */
type Work<T> = (entries: IDBObjectStore, abort: (failure: unknown) => void) => () => T;

const transact = <T>(database: IDBDatabase, mode: IDBTransactionMode, work: Work<T>) =>
  new Promise<T>((resolve, reject) => {
    const transaction = database.transaction(ENTRIES, mode);
    let isCommitting = false;
    const fail = (failure: unknown) => {
      clearInterval(timer);
      reject(failure);
    };
    const timer = setInterval(() => {
      if (isCommitting) fail(new Final(unavailable()));
      // Throws if it is being committed. Its completion event may be delayed, for example in a page that was frozen.
      isCommitting = attempt(() => transaction.abort()) === null;
      if (!isCommitting) fail(null);
    }, TRANSACTION_MS);
    transaction.onabort = () => fail(transaction.error);
    const result = work(transaction.objectStore(ENTRIES), (failure) => {
      fail(failure);
      // Throws if the browser has already aborted it.
      attempt(() => transaction.abort());
    });
    transaction.oncomplete = () => {
      clearInterval(timer);
      resolve(result());
    };
  });

/** Creates a local store in IndexedDB, which all tabs of the origin share. */
export function indexedDbStore(name: string): OfflineStore {
  let opening: Promise<IDBDatabase> | null = null;
  let isClosed = false;

  function forget(lost: Promise<IDBDatabase>): void {
    if (opening === lost) opening = null;
    lost.then((database) => database.close()).catch(() => undefined);
  }

  /** Retries once on a new connection, unless the first attempt may have been committed. */
  async function run<T>(mode: IDBTransactionMode, work: Work<T>, isRepeated = false): Promise<T> {
    if (isClosed) throw new BaobabError('client.store_closed', 'The store is closed');
    const opened: Promise<IDBDatabase> = opening ?? connect(name, () => forget(opened));
    opening = opened;
    try {
      return await transact(await opened, mode, work);
    } catch (error) {
      if (error instanceof Final) throw error.failure;
      forget(opened);
      if (isFull(error)) throw error;
      if (isRepeated) throw unavailable(error);
      return run(mode, work, true);
    }
  }

  return {
    name,
    list: (prefix) =>
      run('readonly', (entries) => {
        const [keys, values] = [entries.getAllKeys(rangeOf(prefix)), entries.getAll(rangeOf(prefix))];
        return () => keys.result.map((key, at) => [String(key), values.result[at]] as const);
      }),
    update: (keys, change) =>
      run('readwrite', (entries, abort) => {
        const reads = keys.map((key) => entries.get(key));
        const apply = () => {
          let isChanged = false;
          try {
            const changes = change(reads.map((read) => read.result));
            isChanged = true;
            write(entries, changes);
          } catch (error) {
            abort(isChanged ? error : new Final(error));
          }
        };
        const last = reads.at(-1);
        // Requests of a transaction succeed in order.
        if (last === undefined) apply();
        else last.onsuccess = apply;
        return () => undefined;
      }),
    clear: (prefix) =>
      run('readwrite', (entries) => {
        entries.delete(rangeOf(prefix));
        return () => undefined;
      }),
    close() {
      isClosed = true;
      if (opening !== null) forget(opening);
    },
  };
}
