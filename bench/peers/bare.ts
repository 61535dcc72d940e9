import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Database, startDurablePostgres, startSqlite } from '../measure/databases.ts';
import type { Request } from '../measure/load.ts';
import { startProcess } from '../measure/processes.ts';
import { type BareRow, filesIn, fillPostgresStore, fillSqliteStore } from './bare-store.ts';
import { type Content, newestOf, rowsOf } from './content.ts';
import type { Api, Call, Collection, Peer, Place, Sizes } from './peer.ts';

const PROGRAM = fileURLToPath(new URL('bare-server.ts', import.meta.url));
const COLLECTIONS: readonly Collection[] = ['few', 'many', 'changed', 'created'];

const headers = { author: 'owner' };
const json = { ...headers, 'content-type': 'application/json' };
const idOf = (n: number) => `d${String(n).padStart(14, '0')}`;

function createApi(): Api {
  const one = <T>(request: Request, read: (answer: string) => T): Call<T> => ({
    requests: [request],
    read: ([answer = '']) => read(answer),
  });
  return {
    get: (collection, id) =>
      one({ method: 'GET', path: `/document/${collection}/${id}`, headers }, (answer) => JSON.parse(answer) as Content),
    create: (content) =>
      one(
        { method: 'POST', path: '/document/created', headers: json, body: JSON.stringify(content) },
        (answer) => (JSON.parse(answer) as { id: string }).id,
      ),
    update: (id, content) =>
      one({ method: 'PUT', path: `/document/changed/${id}`, headers: json, body: JSON.stringify(content) }, JSON.parse),
    list(collection, { field, value, total }) {
      const query = new URLSearchParams(field === null ? {} : { field, value });
      if (total) query.set('total', 'true');
      return one({ method: 'GET', path: `/document/${collection}?${query}`, headers }, (answer) => {
        const { data, total: count } = JSON.parse(answer) as { data: Content[]; total: number | null };
        return { ns: data.map(({ n }) => n), total: count };
      });
    },
    upload: (text) =>
      one(
        { method: 'POST', path: '/file', headers: { ...headers, 'content-type': 'text/plain' }, body: text },
        (answer) => (JSON.parse(answer) as { id: string }).id,
      ),
    download: (file) => one({ method: 'GET', path: `/file/${file}`, headers }, (answer) => answer),
  };
}

function* allRows(sizes: Sizes): Generator<readonly [string, BareRow]> {
  for (const collection of COLLECTIONS)
    for (const { id, isCallers, created, content } of rowsOf(collection, sizes, idOf))
      yield [collection, { id, author: isCallers ? 'owner' : 'other', created, content: JSON.stringify(content) }];
}

async function fill(startDatabase: () => Promise<Database>, sizes: Sizes): Promise<Place> {
  const database = await startDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const tables = [...COLLECTIONS, 'files'];
  if (database.pid === null) fillSqliteStore(database.url.slice('sqlite:'.length), tables, allRows(sizes));
  else await fillPostgresStore(database.url, tables, allRows(sizes));
  return {
    api: createApi(),
    newest: {
      few: newestOf(sizes.few, idOf),
      many: newestOf(sizes.many, idOf),
      changed: newestOf(sizes.changed, idOf),
    },
    async settle() {
      rmSync(filesIn(folder), { recursive: true });
      await database.settle();
    },
    async start() {
      const variables = { DATABASE_URL: database.url, FOLDER: folder };
      const running = await startProcess([process.execPath, PROGRAM], variables, '/ready');
      return { ...running, pids: [running.pid, ...(database.pid === null ? [] : [database.pid])] };
    },
    async remove() {
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CONFIGURED =
  'Fastify with the shortest route for each row, on tables of its own with content as text, indexes on (author, id) and ' +
  '(author, category, id), and the author from a header: no login, no validation, no log. Uploads are synced, not hashed';

const bare = (name: string, title: string, configured: string, start: () => Promise<Database>): Peer => ({
  name,
  title,
  configured: `${CONFIGURED}; ${configured}`,
  isUsual: true,
  install: async () => 'of this tree',
  fill: (sizes) => fill(start, sizes),
});

export const bareOnSqlite = bare(
  'bare-sqlite',
  'bare, SQLite',
  '`synchronous=FULL`, one commit for all writes of one turn of the event loop',
  startSqlite,
);
export const bareOnPostgres = bare(
  'bare-postgres',
  'bare, Postgres',
  '`fsync` and `synchronous_commit` on, ten connections',
  startDurablePostgres,
);
