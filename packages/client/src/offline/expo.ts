import { BaobabError } from '../errors.ts';
import { sleep } from '../transport/limits.ts';
import { isFull, type OfflineStore, QuotaExceededError, type StoreChange } from './store.ts';

/** Duration of the attempts of a call, in milliseconds. Another connection may lock the database meanwhile. */
const ATTEMPTS_MS = 5_000;
/** Maximum pause between two attempts, in milliseconds. It is random, so that two stores do not stay in step. */
const PAUSE_MS = 40;

const SETUP = `PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS baobab_entries (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);`;
// Keys and values are passed as JSON, because the iOS module cuts texts at a NUL character.
const READ = 'SELECT key, value FROM baobab_entries WHERE key IN (SELECT value FROM json_each(?))';
const LIST = 'SELECT key, value FROM baobab_entries WHERE key >= ? AND key < ?';
const PUT = `INSERT INTO baobab_entries (key, value) SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]')
FROM json_each(?) WHERE TRUE ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const REMOVE = 'DELETE FROM baobab_entries WHERE key IN (SELECT value FROM json_each(?))';
const CLEAR = 'DELETE FROM baobab_entries WHERE key >= ? AND key < ?';

/** The used part of a transaction of `expo-sqlite`. */
export interface ExpoStatements {
  getAllAsync<Row>(source: string, params: string[]): Promise<Row[]>;
  runAsync(source: string, params: string[]): Promise<unknown>;
}

/** The used part of a database of `expo-sqlite`. */
export interface ExpoDatabase extends ExpoStatements {
  execAsync(source: string): Promise<void>;
  withExclusiveTransactionAsync(task: (transaction: ExpoStatements) => Promise<void>): Promise<void>;
  closeAsync(): Promise<void>;
}

interface Row {
  readonly key: string;
  readonly value: string;
}

/** Outcome of an attempt that must not be repeated. */
class Final {
  readonly failure: unknown;

  constructor(failure: unknown) {
    this.failure = failure;
  }
}

const boundsOf = (prefix: string) => [prefix, `${prefix}\u{10ffff}`];
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

const unavailable = (cause: unknown) =>
  new BaobabError('client.store_unavailable', 'The device cannot store data: restart the app', { cause });

/** Returns the failure to report. SQLite's message is the only sign of a full device that `expo-sqlite` passes on. */
function failureOf(error: unknown): unknown {
  const { message } = error as { message?: unknown };
  return String(message).includes('database or disk is full') ? new QuotaExceededError(String(message)) : error;
}

async function readValues(statements: ExpoStatements, keys: readonly string[]): Promise<unknown[]> {
  const rows = keys.length === 0 ? [] : await statements.getAllAsync<Row>(READ, [JSON.stringify(keys)]);
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return keys.map((key) => {
    const text = values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  });
}

async function write(statements: ExpoStatements, changes: readonly StoreChange[]): Promise<void> {
  // The last change of a key counts.
  const last = [...new Map(changes)];
  const puts = last.filter(([, value]) => value !== undefined).map(([key, value]) => [key, JSON.stringify(value)]);
  const removals = last.filter(([, value]) => value === undefined).map(([key]) => key);
  if (puts.length > 0) await statements.runAsync(PUT, [JSON.stringify(puts)]);
  if (removals.length > 0) await statements.runAsync(REMOVE, [JSON.stringify(removals)]);
}

/** Fails with `Final` if the transaction must not be repeated. */
async function transact(
  database: ExpoDatabase,
  keys: readonly string[],
  change: (values: readonly unknown[]) => readonly StoreChange[],
): Promise<void> {
  let isWritten = false;
  let failure: unknown;

  /** @throws `Final` with the error of `change` */
  function decide(values: readonly unknown[]): readonly StoreChange[] {
    try {
      return change(values);
    } catch (error) {
      throw new Final(error);
    }
  }

  async function task(transaction: ExpoStatements): Promise<void> {
    try {
      await write(transaction, decide(await readValues(transaction, keys)));
      isWritten = true;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  try {
    await database.withExclusiveTransactionAsync(task);
  } catch (error) {
    if (!isWritten) throw failure ?? error; // a failed rollback would hide the reason
    const known = failureOf(error);
    throw new Final(isFull(known) ? known : unavailable(error));
  }
}

/**
 * Creates a local store in SQLite, for React Native apps with `expo-sqlite`: `expoStore('app.db', openDatabaseAsync)`.
 * It can share the file with tables of the app.
 *
 * @param name name of the database file
 * @param open opens the file. Called again after a failure
 */
export function expoStore(name: string, open: (name: string) => Promise<ExpoDatabase>): OfflineStore {
  let opening: Promise<ExpoDatabase> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function connect(): Promise<ExpoDatabase> {
    const database = await open(name);
    await database.execAsync(SETUP);
    return database;
  }

  async function disconnect(): Promise<void> {
    const opened = opening;
    opening = null;
    await opened?.then((database) => database.closeAsync()).catch(() => undefined);
  }

  /** Repeats a failed attempt on a new connection, unless it may have been committed. */
  async function attempt<T>(work: (database: ExpoDatabase) => Promise<T>, begun = Date.now()): Promise<T> {
    opening ??= connect();
    try {
      return await work(await opening);
    } catch (error) {
      if (error instanceof Final) throw error.failure;
      const failure = failureOf(error);
      if (isFull(failure)) throw failure;
      await disconnect();
      // The clock may be set back meanwhile.
      if (Math.abs(Date.now() - begun) >= ATTEMPTS_MS) throw unavailable(error);
    }
    await sleep(Math.random() * PAUSE_MS, undefined);
    return attempt(work, begun);
  }

  /** Runs one call at a time: calls of the same store would only lock each other out. */
  function run<T>(work: (database: ExpoDatabase) => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(new BaobabError('client.store_closed', 'The store is closed'));
    const running = last.then(() => attempt(work));
    last = running.catch(() => undefined);
    return running;
  }

  return {
    name,
    list: (prefix) =>
      run(async (database) => {
        const rows = await database.getAllAsync<Row>(LIST, boundsOf(prefix));
        return rows.map(({ key, value }) => [key, JSON.parse(value) as unknown] as const).sort(byKey);
      }),
    update: (keys, change) => run((database) => transact(database, keys, change)),
    clear: (prefix) =>
      run(async (database) => {
        await database.runAsync(CLEAR, boundsOf(prefix));
      }),
    close() {
      isClosed = true;
      last = last.then(disconnect);
    },
  };
}
