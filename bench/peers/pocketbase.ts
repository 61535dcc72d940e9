import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Request, sendOnce } from '../measure/load.ts';
import { startProcess } from '../measure/processes.ts';
import { type Content, newestOf, rowsOf } from './content.ts';
import { uploadRequest } from './form.ts';
import { type Api, type Call, type Collection, PASSWORD, type Peer, type Place, type Sizes, USERS } from './peer.ts';
import { buildPocketbase } from './programs.ts';
import { VERSIONS } from './versions.ts';

const ADMIN = 'admin@example.com';
const JSON_TYPE = { 'content-type': 'application/json' };
const COLLECTIONS: readonly Collection[] = ['few', 'many', 'changed', 'created'];
const DAY_SECONDS = 86_400;
const FILE_BYTES = 4_194_304;

/** Only authors can read and change their records. */
const OWN = 'author = @request.auth.id';
const RULES = { listRule: OWN, viewRule: OWN, createRule: OWN, updateRule: OWN, deleteRule: OWN };

type Headers = Request['headers'];

interface User {
  readonly id: string;
  readonly headers: Headers;
}

const pathOf = (collection: string) => `/api/collections/${collection}/records`;
const idOf = (n: number) => `d${String(n).padStart(14, '0')}`;
const wireDate = (time: number) => new Date(time).toISOString().replace('T', ' ');

async function send<T>(
  url: string,
  method: Request['method'],
  path: string,
  headers: Headers,
  body: object,
): Promise<T> {
  const request = { method, path, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
  return JSON.parse(await sendOnce(url, request)) as T;
}

async function enter(url: string, collection: string, identity: string): Promise<User> {
  const path = `/api/collections/${collection}/auth-with-password`;
  const answer = await send<{ token: string; record: { id: string } }>(
    url,
    'POST',
    path,
    {},
    { identity, password: PASSWORD },
  );
  return { id: answer.record.id, headers: { authorization: answer.token } };
}

const mailOf = (name: string) => `${name}@example.com`;

/** Returns the indexes that the lists of this comparison need; the second one is for the lists by category. */
const indexesOf = (name: string) => [
  `create index ${name}_newest on ${name} (author, created desc)`,
  ...(name === 'many' ? [`create index ${name}_category on ${name} (author, category, created desc)`] : []),
];

async function makeCollections(url: string, headers: Headers): Promise<void> {
  const users = await send<{ id: string }>(url, 'PATCH', '/api/collections/users', headers, {
    fileToken: { duration: DAY_SECONDS },
  });
  const author = { name: 'author', type: 'relation', collectionId: users.id, maxSelect: 1, required: true };
  const field = (type: string) => (name: string) => ({ name, type });
  const fields = [
    author,
    ...['title', 'category', 'shade', 'text'].map(field('text')),
    ...['n', 'price'].map(field('number')),
    ...['tags', 'place'].map(field('json')),
    { name: 'created', type: 'autodate', onCreate: true },
    { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
  ];
  for (const name of COLLECTIONS)
    await send(url, 'POST', '/api/collections', headers, {
      name,
      type: 'base',
      fields,
      indexes: indexesOf(name),
      ...RULES,
    });
  const file = { name: 'file', type: 'file', maxSize: FILE_BYTES, maxSelect: 1, protected: true };
  await send(url, 'POST', '/api/collections', headers, {
    name: 'files',
    type: 'base',
    fields: [author, file],
    ...RULES,
  });
}

async function makeUsers(url: string, headers: Headers): Promise<[User, User]> {
  const names = ['owner', 'other', ...Array.from({ length: USERS }, (_, i) => `user${i}`)];
  for (const name of names) {
    const user = { email: mailOf(name), password: PASSWORD, passwordConfirm: PASSWORD };
    await send(url, 'POST', pathOf('users'), headers, user);
  }
  return [await enter(url, 'users', mailOf('owner')), await enter(url, 'users', mailOf('other'))];
}

/** Fills the tables directly, while the program is stopped. */
function fillTables(folder: string, owner: User, other: User, sizes: Sizes): void {
  const database = new DatabaseSync(join(folder, 'data.db'));
  database.exec('begin');
  for (const collection of COLLECTIONS) {
    const columns = 'id, author, title, n, category, shade, price, tags, place, text, created, updated';
    const insert = database.prepare(
      `insert into ${collection} (${columns}) values (${columns.replaceAll(/\w+/g, '?')})`,
    );
    for (const { id, isCallers, created, content } of rowsOf(collection, sizes, idOf)) {
      const { title, n, category, shade, price, tags, place, text } = content;
      const author = isCallers ? owner.id : other.id;
      const date = wireDate(created);
      const json = [JSON.stringify(tags), JSON.stringify(place)] as const;
      insert.run(id, author, title, n, category, shade, price, ...json, text, date, date);
    }
  }
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)');
  database.close();
}

interface File {
  readonly id: string;
  readonly file: string;
}

function createApi({ id: author, headers }: User, fileToken: string): Api {
  const written = { ...headers, ...JSON_TYPE };
  const one = <T>(request: Request, read: (answer: string) => T): Call<T> => ({
    requests: [request],
    read: ([answer = '']) => read(answer),
  });
  return {
    get: (collection, id) =>
      one({ method: 'GET', path: `${pathOf(collection)}/${id}`, headers }, (answer) => JSON.parse(answer) as Content),
    create: (content) =>
      one(
        { method: 'POST', path: pathOf('created'), headers: written, body: JSON.stringify({ ...content, author }) },
        (answer) => (JSON.parse(answer) as { id: string }).id,
      ),
    update: (id, content) =>
      one(
        { method: 'PATCH', path: `${pathOf('changed')}/${id}`, headers: written, body: JSON.stringify(content) },
        JSON.parse,
      ),
    list(collection, { field, value, total }) {
      const filter = field === null ? '' : `&filter=${encodeURIComponent(`${field}='${value}'`)}`;
      const path = `${pathOf(collection)}?perPage=20&sort=-created${total ? '' : '&skipTotal=1'}${filter}`;
      return one({ method: 'GET', path, headers }, (answer) => {
        const { items, totalItems } = JSON.parse(answer) as { items: Content[]; totalItems: number };
        return { ns: items.map(({ n }) => n), total: total ? totalItems : null };
      });
    },
    upload: (text) =>
      one(uploadRequest(pathOf('files'), headers, text, { author }), (answer) => {
        const { id, file } = JSON.parse(answer) as File;
        return `${id}/${file}`;
      }),
    download: (file) =>
      one({ method: 'GET', path: `/api/files/files/${file}?token=${fileToken}`, headers: {} }, (answer) => answer),
    logIn: (user) =>
      one(
        {
          method: 'POST',
          path: '/api/collections/users/auth-with-password',
          headers: JSON_TYPE,
          body: JSON.stringify({ identity: mailOf(`user${user}`), password: PASSWORD }),
        },
        (answer) => (JSON.parse(answer) as { token: string }).token,
      ),
  };
}

async function fill(sizes: Sizes, synchronous: string): Promise<Place> {
  const program = buildPocketbase();
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const dir = `--dir=${folder}`;
  execFileSync(program, ['superuser', 'upsert', ADMIN, PASSWORD, dir], { stdio: ['ignore', 'ignore', 'inherit'] });
  const variables = synchronous === '' ? {} : { SYNCHRONOUS: synchronous };
  const start = () => startProcess([program, 'serve', dir], variables, '/api/health');
  const server = await start();
  try {
    const admin = await enter(server.url, '_superusers', ADMIN);
    await makeCollections(server.url, admin.headers);
    const [owner, other] = await makeUsers(server.url, admin.headers);
    const { token } = await send<{ token: string }>(server.url, 'POST', '/api/files/token', owner.headers, {});
    await server.stop();
    fillTables(folder, owner, other, sizes);
    const newest = {
      few: newestOf(sizes.few, idOf),
      many: newestOf(sizes.many, idOf),
      changed: newestOf(sizes.changed, idOf),
    };
    return {
      api: createApi(owner, token),
      newest,
      settle: async () => rmSync(join(folder, 'storage'), { recursive: true, force: true }),
      async start() {
        const running = await start();
        return { ...running, pids: [running.pid] };
      },
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  } finally {
    await server.stop();
  }
}

const CONFIGURED =
  'built from the Go proxy, without its JavaScript plugins; each rule is `author = @request.auth.id` and nothing else is ' +
  'checked; files are protected; indexes on (author, created) and (author, category, created); lists without a total ask for ' +
  '`skipTotal`';

export const pocketbase: Peer = {
  name: 'pocketbase',
  title: 'PocketBase',
  configured: `${CONFIGURED}; its own defaults of SQLite: \`synchronous=NORMAL\`, so a power loss takes writes that it has acknowledged`,
  isUsual: true,
  install: async () => {
    buildPocketbase();
    return VERSIONS.pocketbase;
  },
  fill: (sizes) => fill(sizes, ''),
};

export const durablePocketbase: Peer = {
  ...pocketbase,
  name: 'pocketbase-full',
  title: 'PocketBase, FULL',
  configured: `${CONFIGURED}; \`synchronous=FULL\`, as durable as Baobab`,
  isUsual: false,
  fill: (sizes) => fill(sizes, 'FULL'),
};
