import postgres from 'postgres';
import { DEFAULT_LIMITS } from '../../packages/adapters/src/postgres/limits.ts';
import { createPipelines } from '../../packages/adapters/src/postgres/pipelines.ts';
import { openPool } from '../../packages/adapters/src/postgres/pool.ts';
import { createServers } from '../../packages/adapters/src/postgres/servers.ts';
import { addStatement, type BareStore, EVERYTHING, findStatement, listStatement, type Row } from './store.ts';

const INT8 = 20;
/** Size of the connection pool, the same as the server's. */
const CONNECTIONS = 10;
const MAX_WAITING = 1_000;
const PAGE = 21;

export function createBarePostgres(url: string, owner: string): BareStore {
  const add = addStatement((n) => `$${n}`);
  // The same settings as the server's.
  const sql = postgres(url, {
    max: CONNECTIONS,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    ...({ max_pipeline: 1 } as object),
    connection: { ...({ plan_cache_mode: 'force_generic_plan', jit: 'off' } as object) },
    types: { bigint: { to: INT8, from: [INT8], parse: Number, serialize: String } },
  });
  const find = findStatement('dollar', owner);
  // Reads by key are fastest when pipelined on one connection.
  const pipelined = createPipelines(
    openPool({
      servers: createServers(url, true),
      connections: CONNECTIONS,
      maxWaiting: MAX_WAITING,
      limits: DEFAULT_LIMITS,
      watch: () => undefined,
    }),
  );
  // The server's statements for these callers, who follow no users.
  const all = listStatement('dollar', owner, EVERYTHING, PAGE);
  const own = listStatement('dollar', owner, { ...EVERYTHING, everything: false, followed: 'many' }, PAGE);
  const queue = createQueue(CONNECTIONS);
  const rows = (statement: string, values: Array<string | number | null>) =>
    queue(async () => (await sql.unsafe(statement, values, { prepare: true })) as unknown as Row[]);
  return {
    find: async (collection, id) => (await pipelined(find, find.params(collection, id))).rows[0] as Row | undefined,
    list(collection, author, limit) {
      const statement = author === null ? all : own;
      return rows(statement.text, statement.bind(statement.params(collection))).then((found) => found.slice(0, limit));
    },
    add: async ({ id, author, created, content, collection }) =>
      (await rows(add, [id, author, created, created, content, collection]))[0],
  };
}

/**
 * Limits the statements in progress to the number of connections: the driver's own queue becomes slow if it never
 * drains.
 */
export function createQueue(slots: number) {
  let free = slots;
  const waiting: Array<() => void> = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
