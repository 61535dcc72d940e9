import { DatabaseSync } from 'node:sqlite';
import { addStatement, type BareStore, EVERYTHING, findStatement, listStatement, type Row } from './store.ts';

const PAGE = 21;

/** Opens a database with the server's pragmas. */
export function openDurable(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  database.exec('pragma cache_size = -65536; pragma temp_store = memory');
  return database;
}

export function createBareSqlite(path: string, owner: string): BareStore {
  const reader = openDurable(path);
  const writer = openDurable(path);
  const { text, bind, params } = findStatement('anonymous', owner);
  const find = reader.prepare(text);
  const prepareList = (accessPaths: typeof EVERYTHING) => {
    const list = listStatement('anonymous', owner, accessPaths, PAGE);
    return { ...list, prepared: reader.prepare(list.text) };
  };
  // The server's statements for these callers, who have no grants and follow no users.
  const all = prepareList(EVERYTHING);
  const own = prepareList({ ...EVERYTHING, everything: false, granted: 'no', isLocal: true });
  const add = writer.prepare(addStatement(() => '?'));
  const commitTogether = groupCommit(writer);
  return {
    find: async (collection, id) => find.get(...bind(params(collection, id))) as Row | undefined,
    async list(collection, author, limit) {
      const { bind: bindList, params: listParams, prepared } = author === null ? all : own;
      return (prepared.all(...bindList(listParams(collection))) as unknown as Row[]).slice(0, limit);
    },
    add: ({ id, author, created, content, collection }) =>
      commitTogether(() => add.get(id, author, created, created, content, collection) as Row | undefined),
  };
}

/** Combines all statements that arrive in one turn of the event loop into one transaction and one sync to disk. */
export function groupCommit(database: DatabaseSync) {
  let waiting: Array<() => () => void> = [];

  function commit(): void {
    const jobs = waiting;
    waiting = [];
    database.exec('begin immediate');
    const acknowledge = jobs.map((job) => job());
    database.exec('commit');
    for (const done of acknowledge) done();
  }

  return <T>(statement: () => T): Promise<T> =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(commit);
      waiting.push(() => {
        const value = statement();
        return () => resolve(value);
      });
    });
}
