import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { startDurablePostgres } from '../measure/databases.ts';
import { type Request, sendOnce } from '../measure/load.ts';
import { startProcess } from '../measure/processes.ts';
import { type Content, newestOf, rowsOf } from './content.ts';
import { type Api, type Call, type Collection, PASSWORD, type Peer, type Place, type Sizes, USERS } from './peer.ts';
import { installParse } from './programs.ts';
import { VERSIONS } from './versions.ts';

const APP_ID = 'bench';
const PROGRAM = fileURLToPath(new URL('parse-server.ts', import.meta.url));
const COLLECTIONS: readonly Collection[] = ['few', 'many', 'changed', 'created'];
/** Rows per insert. */
const AT_ONCE = 5_000;

type Headers = Request['headers'];

interface User {
  readonly id: string;
  readonly headers: Headers;
}

const idOf = (n: number) => `d${String(n).padStart(9, '0')}`;
const BASE = { 'x-parse-application-id': APP_ID };
const JSON_TYPE = { 'content-type': 'application/json' };

async function send<T>(url: string, path: string, headers: Headers, body: object): Promise<T> {
  const request = {
    method: 'POST',
    path,
    headers: { ...BASE, ...headers, ...JSON_TYPE },
    body: JSON.stringify(body),
  } as const;
  return JSON.parse(await sendOnce(url, request)) as T;
}

async function signUp(url: string, username: string): Promise<User> {
  const user = { username, password: PASSWORD };
  const { objectId, sessionToken } = await send<Record<string, string>>(url, '/parse/users', {}, user);
  return { id: objectId ?? '', headers: { ...BASE, 'x-parse-session-token': sessionToken ?? '' } };
}

async function makeClasses(url: string, masterKey: string): Promise<void> {
  const types = {
    title: 'String',
    n: 'Number',
    category: 'String',
    shade: 'String',
    price: 'Number',
    tags: 'Array',
    place: 'Object',
    text: 'String',
  };
  const fields = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  for (const className of COLLECTIONS)
    await send(url, `/parse/schemas/${className}`, { 'x-parse-master-key': masterKey }, { className, fields });
}

async function fillTables(database: string, owner: User, other: User, sizes: Sizes): Promise<void> {
  const sql = postgres(database, { max: 1, onnotice: () => undefined });
  for (const collection of COLLECTIONS) {
    const rows = Array.from(rowsOf(collection, sizes, idOf));
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const part = rows.slice(at, at + AT_ONCE).map(({ id, isCallers, created, content }) => {
        const author = isCallers ? owner.id : other.id;
        const date = new Date(created).toISOString();
        return { ...content, objectId: id, createdAt: date, updatedAt: date, _rperm: [author], _wperm: [author] };
      });
      const columns = sql([
        'objectId',
        'createdAt',
        'updatedAt',
        '_rperm',
        '_wperm',
        'title',
        'n',
        'category',
        'shade',
      ]);
      await sql`insert into ${sql(collection)} (${columns}, price, tags, place, text)
        select ${columns}, price, tags, place, text
        from jsonb_populate_recordset(null::${sql(collection)}, ${sql.json(part as never)})`;
    }
    await sql`create index ${sql(`${collection}_newest`)} on ${sql(collection)} ("createdAt" desc)`;
  }
  await sql`create index many_category on many (category, "createdAt" desc)`;
  await sql.end();
}

function createApi({ id: owner, headers }: User): Api {
  const written = { ...headers, ...JSON_TYPE };
  const acl = { ACL: { [owner]: { read: true, write: true } } };
  const one = <T>(request: Request, read: (answer: string) => T): Call<T> => ({
    requests: [request],
    read: ([answer = '']) => read(answer),
  });
  const pathOf = (collection: Collection) => `/parse/classes/${collection}`;
  return {
    get: (collection, id) =>
      one({ method: 'GET', path: `${pathOf(collection)}/${id}`, headers }, (answer) => JSON.parse(answer) as Content),
    create: (content) =>
      one(
        { method: 'POST', path: pathOf('created'), headers: written, body: JSON.stringify({ ...content, ...acl }) },
        (answer) => (JSON.parse(answer) as { objectId: string }).objectId,
      ),
    update: (id, content) =>
      one(
        { method: 'PUT', path: `${pathOf('changed')}/${id}`, headers: written, body: JSON.stringify(content) },
        JSON.parse,
      ),
    list(collection, { field, value, total }) {
      const where = field === null ? '' : `&where=${encodeURIComponent(JSON.stringify({ [field]: value }))}`;
      const path = `${pathOf(collection)}?limit=20&order=-createdAt${total ? '&count=1' : ''}${where}`;
      return one({ method: 'GET', path, headers }, (answer) => {
        const { results, count = null } = JSON.parse(answer) as { results: Content[]; count?: number };
        return { ns: results.map(({ n }) => n), total: count };
      });
    },
    upload: (text) =>
      one(
        {
          method: 'POST',
          path: '/parse/files/upload.txt',
          headers: { ...headers, 'content-type': 'text/plain' },
          body: text,
        },
        (answer) => new URL((JSON.parse(answer) as { url: string }).url).pathname,
      ),
    download: (file) => one({ method: 'GET', path: file, headers: {} }, (answer) => answer),
    logIn: (user) =>
      one(
        {
          method: 'POST',
          path: '/parse/login',
          headers: { ...BASE, ...JSON_TYPE },
          body: JSON.stringify({ username: `user${user}`, password: PASSWORD }),
        },
        (answer) => (JSON.parse(answer) as { sessionToken: string }).sessionToken,
      ),
  };
}

async function fill(sizes: Sizes): Promise<Place> {
  const modules = installParse();
  const database = await startDurablePostgres();
  // Its file adapter writes into the folder `files` of the working directory.
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const masterKey = randomBytes(18).toString('base64url');
  const variables = {
    MODULES: modules,
    DATABASE_URL: database.url,
    APP_ID,
    MASTER_KEY: masterKey,
    NODE_ENV: 'production',
  };
  const start = () => startProcess([process.execPath, PROGRAM], variables, '/parse/health', folder);
  const server = await start();
  try {
    await makeClasses(server.url, masterKey);
    const owner = await signUp(server.url, 'owner');
    const other = await signUp(server.url, 'other');
    for (let user = 0; user < USERS; user++) await signUp(server.url, `user${user}`);
    await fillTables(database.url, owner, other, sizes);
    const newest = {
      few: newestOf(sizes.few, idOf),
      many: newestOf(sizes.many, idOf),
      changed: newestOf(sizes.changed, idOf),
    };
    return {
      api: createApi(owner),
      newest,
      async settle() {
        rmSync(join(folder, 'files'), { recursive: true, force: true });
        await database.settle();
      },
      async start() {
        const running = await start();
        return { ...running, pids: [running.pid, ...(database.pid === null ? [] : [database.pid])] };
      },
      async remove() {
        await database.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } finally {
    await server.stop();
  }
}

export const parse: Peer = {
  name: 'parse',
  title: 'Parse Server',
  configured:
    'from npm, on Postgres (without PostGIS, which only queries by place need) with `fsync` and `synchronous_commit` on, one ' +
    'process; every document has an ACL of its author, which is checked; indexes on `createdAt` and (`category`, `createdAt`); ' +
    'classes cannot be made by clients. Files are in a folder by its adapter, which neither syncs nor checks who downloads them',
  isUsual: true,
  install: async () => {
    installParse();
    return VERSIONS.parseServer;
  },
  fill,
};
