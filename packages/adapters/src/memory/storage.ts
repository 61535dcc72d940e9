import { type Announcer, AppError, type DocumentStore, type Signal, type Storage, type Stores } from '@baobab/core';
import { createLocalSignals } from '../signals.ts';
import { createState } from './state.ts';
import { createStores } from './stores.ts';

type Call = () => unknown;

/** Returns stores whose methods run inside `around`. */
function wrapped<S extends object>(stores: S, around: (call: Call) => Promise<unknown>) {
  const wrapStore = (store: object) =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]) => [name, (...args: unknown[]) => around(() => method(...args))]),
    );
  return Object.fromEntries(Object.entries(stores).map(([name, store]) => [name, wrapStore(store)]));
}

/** Delays by a turn of the event loop, so that calls of one turn count as concurrent, as in a real database. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Storage in the memory of this process, for tests and experiments. */
export function createMemoryStorage(): Storage {
  let closed = false;
  /** Resolves after the end of all transactions that have begun. */
  let last: Promise<void> = Promise.resolve();
  let running = 0;

  const state = createState();
  const { feed, journal } = state;
  const stores = createStores(state);
  const signals = createLocalSignals();

  function assertOpen(): void {
    if (closed) throw new AppError('storage.unavailable', { detail: 'the database is closed' });
  }

  /** Runs `work` after all earlier calls and before all later ones. */
  function inTurn<T>(work: () => Promise<T>, ready?: Promise<void>): Promise<T> {
    running++;
    const result = Promise.all([last, ready])
      .then(() => {
        assertOpen();
        return work();
      })
      .finally(() => {
        running--;
      });
    last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  function endOfFeedPosition(): void {
    if (feed.end()) signals.deliver({ topic: 'changes', key: '' });
  }

  async function single(call: Call): Promise<unknown> {
    try {
      return call();
    } finally {
      endOfFeedPosition();
    }
  }

  /**
   * Calls outside a transaction wait for those that began earlier, so that partial results are never visible. All
   * wait in one queue, so a sequence of transactions cannot starve a reader.
   */
  async function outside(call: Call): Promise<unknown> {
    assertOpen();
    return running === 0 ? single(call) : inTurn(() => single(call));
  }

  /** As in a real database, a transaction executes nothing after an error, even if the caller swallows it. */
  function createTransaction() {
    let failed = false;
    let refusal: { readonly reason: unknown } | null = null;
    const announced: Signal[] = [];

    function assertUnharmed(): void {
      if (failed)
        throw new AppError('storage.unavailable', { detail: 'an earlier statement of the transaction failed' });
    }

    const announcer: Announcer = {
      announce: async (signal) => void announced.push({ ...signal }),
    };
    const inside = wrapped({ ...stores, announcer }, async (call) => {
      assertUnharmed();
      try {
        return await call();
      } catch (error) {
        if (refusal?.reason !== error) failed = true;
        throw error;
      }
    }) as unknown as Stores;
    /** An error of the caller's `change` is not one of the storage. */
    const edit: DocumentStore['edit'] = (address, scope, { change, ...conditions }) =>
      inside.documents.edit(address, scope, {
        ...conditions,
        change(...args) {
          try {
            return change(...args);
          } catch (reason) {
            refusal = { reason };
            throw reason;
          }
        },
      });
    return { stores: { ...inside, documents: { ...inside.documents, edit } }, announced, assertUnharmed };
  }

  async function attempt<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    journal.begin();
    const transaction = createTransaction();
    try {
      const result = await work(transaction.stores);
      transaction.assertUnharmed();
      journal.commit();
      endOfFeedPosition();
      for (const signal of transaction.announced) signals.deliver(signal);
      return result;
    } catch (error) {
      journal.rollback();
      feed.end();
      throw error;
    }
  }

  const announcer: Announcer = { announce: async (signal) => signals.deliver({ ...signal }) };
  const { maintenance, ...outer } = wrapped({ ...stores, announcer }, outside) as unknown as Storage & {
    readonly maintenance: Pick<Storage, 'removeExpired' | 'correctTimes'>;
  };

  return {
    ...outer,
    ...maintenance,
    documents: {
      ...outer.documents,
      async edit(...args) {
        await nextTurn();
        return outer.documents.edit(...args);
      },
    },
    signals: signals.feed,
    async transaction(work) {
      assertOpen();
      return inTurn(() => attempt(work), nextTurn());
    },
    async migrate() {
      assertOpen();
    },
    async health() {
      assertOpen();
    },
    async close() {
      await last;
      closed = true;
    },
  };
}
