import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, startDurablePostgres, startSqlite } from '../measure/databases.ts';
import { type Request, sendOnce } from '../measure/load.ts';
import { startService } from '../measure/processes.ts';
import { type Content, contentOf, isCallers } from './content.ts';
import { uploadRequest } from './form.ts';
import {
  type Api,
  type Call,
  type Collection,
  type Listed,
  PASSWORD,
  type Peer,
  type Place,
  type Query,
  type Sizes,
  type Stored,
  USERS,
} from './peer.ts';

const APP_CODE = 'bench';
const PAGE = 20;
/** Maximum number of operations in a batch. */
const BATCH = 100;
const JSON_TYPE = { 'content-type': 'application/json' };
const COLLECTIONS: readonly Collection[] = ['few', 'many', 'changed', 'created'];

type Headers = Request['headers'];

interface User {
  readonly headers: Headers;
}

const member = <T>(answer: string) => (JSON.parse(answer) as { data: T }).data;
const json = (body: unknown) => JSON.stringify(body);

/**
 * Gives each login a separate address, because recently verified passwords are not hashed again for the same address.
 */
function createAddresses() {
  let made = 0;
  return () => {
    made++;
    return `198.18.${Math.floor(made / 250) % 250}.${made % 250}`;
  };
}

const nextAddress = createAddresses();

/** @param hasTotals true if lists support `total=true`; otherwise a count is a separate request */
function createApi({ headers }: User, hasTotals: boolean): Api {
  const written = { ...headers, ...JSON_TYPE };
  const one = <T>(request: Request, read: (answer: string) => T): Call<T> => ({
    requests: [request],
    read: ([answer = '']) => read(answer),
  });

  function list(collection: Collection, { field, value, total }: Query): Call<Listed> {
    const where = field === null ? '' : `where=${field}%20%3D%20%3F&params=${value}`;
    const page = `orderBy=_creation_date%20desc&recordsPerPage=${PAGE}${where === '' ? '' : `&${where}`}`;
    const path = `/document/${collection}?${page}${total && hasTotals ? '&total=true' : ''}`;
    const rows: Request = { method: 'GET', path, headers };
    const count: Request = { method: 'GET', path: `/document/${collection}/count?${where}`, headers };
    return {
      requests: total && !hasTotals ? [rows, count] : [rows],
      read([listed = '', counted]) {
        const answer = JSON.parse(listed) as { data: Content[]; total?: number };
        const separate = counted === undefined ? null : member<{ count: number }>(counted).count;
        return { ns: answer.data.map(({ n }) => n), total: answer.total ?? separate };
      },
    };
  }

  return {
    list,
    get: (collection, id) =>
      one({ method: 'GET', path: `/document/${collection}/${id}`, headers }, (answer) => member<Content>(answer)),
    create: (content) =>
      one(
        { method: 'POST', path: '/document/created', headers: written, body: json(content) },
        (answer) => member<{ id: string }>(answer).id,
      ),
    update: (id, content) =>
      one({ method: 'PUT', path: `/document/changed/${id}`, headers: written, body: json(content) }, member),
    upload: (text) => one(uploadRequest('/file', headers, text), (answer) => member<{ id: string }>(answer).id),
    download: (file) => one({ method: 'GET', path: `/file/${file}`, headers }, (answer) => answer),
    logIn: (user) =>
      one(
        {
          method: 'POST',
          path: '/login',
          headers: { 'x-service-appcode': APP_CODE, 'x-forwarded-for': nextAddress(), ...JSON_TYPE },
          body: json({ username: `user${user}`, password: PASSWORD }),
        },
        (answer) => member<{ 'X-BB-SESSION': string }>(answer)['X-BB-SESSION'],
      ),
  };
}

async function enter(url: string, path: string, username: string, password: string): Promise<User> {
  const headers = { 'x-service-appcode': APP_CODE, ...JSON_TYPE };
  const answer = await sendOnce(url, { method: 'POST', path, headers, body: json({ username, password }) });
  return { headers: { 'x-bb-session': member<Record<string, string>>(answer)['X-BB-SESSION'] ?? '' } };
}

/** Stores the documents of one author in batches, in the order of their numbers. */
async function store(url: string, collection: Collection, user: User, numbers: readonly number[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (let at = 0; at < numbers.length; at += BATCH) {
    const part = numbers.slice(at, at + BATCH);
    const operations = part.map((n) => ({ method: 'POST', path: `/document/${collection}`, body: contentOf(n) }));
    const headers = { ...user.headers, ...JSON_TYPE };
    const answer = await sendOnce(url, {
      method: 'POST',
      path: '/batch',
      headers,
      body: json({ atomic: true, operations }),
    });
    const answers = member<Array<{ data: { id: string } }>>(answer);
    for (const [i, n] of part.entries()) stored.push({ n, id: answers[i]?.data.id ?? '' });
  }
  return stored;
}

async function storeAll(url: string, owner: User, other: User, collection: Collection, sizes: Sizes) {
  const numbers = Array.from({ length: sizes[collection] }, (_, n) => n);
  const [stored] = await Promise.all([
    store(url, collection, owner, numbers.filter(isCallers)),
    store(
      url,
      collection,
      other,
      numbers.filter((n) => !isCallers(n)),
    ),
  ]);
  // Lists are in the exact order of creation, even within a millisecond.
  return stored.toReversed();
}

async function declareIndex(url: string, collection: Collection, headers: Headers): Promise<void> {
  const resource = `${url}/admin/collection/${collection}/index`;
  const { ok, status } = await fetch(`${resource}/category`, { method: 'PUT', headers });
  if (!ok) throw new Error(`the index was not created: ${status}`);
  for (;;) {
    const answer = await fetch(resource, { headers });
    const { data } = (await answer.json()) as { data: Array<{ state: string }> };
    if (data.every(({ state }) => state === 'ready')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function knowsTotals(url: string, { headers }: User): Promise<boolean> {
  const response = await fetch(`${url}/document/created?total=true`, { headers });
  return response.ok && typeof ((await response.json()) as { total?: unknown }).total === 'number';
}

async function fill(startDatabase: () => Promise<Database>, workers: number, sizes: Sizes): Promise<Place> {
  const database = await startDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const password = randomBytes(9).toString('base64url');
  const variables = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: randomBytes(32).toString('base64url'),
    APP_CODE,
    ADMIN_PASSWORD: password,
    LOG_LEVEL: 'info',
  };
  const unlimited = { RATE_LIMIT: 'off', TRUST_PROXY: 'on' };
  // A single process, whatever is measured later: the batches of one author must be sent sequentially.
  const { url, stop } = await startService({ ...variables, ...unlimited });
  try {
    const admin = await enter(url, '/login', 'admin', password);
    for (const name of COLLECTIONS)
      await sendOnce(url, { method: 'POST', path: `/admin/collection/${name}`, headers: admin.headers });
    const owner = await enter(url, '/user', 'owner', PASSWORD);
    const other = await enter(url, '/user', 'other', PASSWORD);
    for (let user = 0; user < USERS; user++) await enter(url, '/user', `user${user}`, PASSWORD);
    const newest = {
      few: await storeAll(url, owner, other, 'few', sizes),
      many: await storeAll(url, owner, other, 'many', sizes),
      changed: await storeAll(url, owner, other, 'changed', sizes),
    };
    await declareIndex(url, 'many', admin.headers);
    const api = createApi(owner, await knowsTotals(url, owner));
    return {
      api,
      newest,
      async settle() {
        rmSync(join(folder, 'blobs'), { recursive: true, force: true });
        await database.settle();
      },
      async start(isForLogins) {
        const limits = isForLogins ? unlimited : {};
        const service = await startService({ ...variables, ...limits, WORKERS: String(workers) });
        const pids = [service.pid, ...(database.pid === null ? [] : [database.pid])];
        return { ...service, pids };
      },
      async remove() {
        await database.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } finally {
    await stop();
  }
}

const CONFIGURED =
  'the program as `npm start` runs it, with its defaults. Documents and files are read by their authors only, by grants, ' +
  'rules and follows as always; one index on `category`';

const ours = (name: string, title: string, configured: string, start: () => Promise<Database>, workers = 1): Peer => ({
  name,
  title,
  configured: `${CONFIGURED}; ${configured}`,
  isUsual: true,
  install: async () => 'of this tree',
  fill: (sizes) => fill(start, workers, sizes),
});

const FULL = 'SQLite with `synchronous=FULL`: a write is on disk before it is acknowledged';

export const oursOnSqlite = ours('ours-sqlite', 'Baobab, SQLite', FULL, startSqlite);
export const oursInTwo = ours('ours-workers', 'Baobab, 2 workers', `${FULL}; \`WORKERS=2\``, startSqlite, 2);
export const oursOnPostgres = ours(
  'ours-postgres',
  'Baobab, Postgres',
  'Postgres with `fsync` and `synchronous_commit` on',
  startDurablePostgres,
);
