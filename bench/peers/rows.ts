import { CONNECTIONS, type Request, sendOnce } from '../measure/load.ts';
import { CATEGORIES, type Content, contentOf, isCallers, SHADES, UPLOAD } from './content.ts';
import { type Call, type Collection, type Instance, type Place, type Query, type Sizes, USERS } from './peer.ts';

/** A row of the table, prepared for a running peer. */
export interface Job {
  readonly requests: readonly Request[];
  /** Number of requests per unit of work. */
  readonly perUnit: number;
  readonly connections: number;
  /** Sends some of the requests and compares the responses with the stored data. @throws if they differ */
  check(): Promise<void>;
  /** Returns the number of documents stored by this row; absent: it stores none. */
  stored?(): Promise<number>;
}

/** Shared context of the rows. */
export interface World {
  readonly instance: Instance;
  readonly place: Place;
  readonly sizes: Sizes;
}

export interface Row {
  /** Name for `--rows`. */
  readonly name: string;
  readonly title: (sizes: Sizes) => string;
  /** True if it needs a process without login limits. */
  readonly isForLogins: boolean;
  /** Resolves to null if the peer has no such call. */
  prepare(world: World): Promise<Job | null>;
}

const PAGE = 20;
/** High enough that no cache profits from a single document. */
const DISTINCT = 200;
const SAMPLE = 5;
/** Number of distinct logins: more than one round makes. */
const LOGINS = 1_000;
const LOGIN_CONNECTIONS = 8;

async function ask<T>({ url }: Instance, { requests, read }: Call<T>): Promise<T> {
  const answers: string[] = [];
  for (const request of requests) answers.push(await sendOnce(url, request));
  return read(answers);
}

function assertSame(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a.slice(0, 300)} instead of ${b.slice(0, 300)}`);
}

/** Compares the fields that were sent, in their order. Peers add members and reorder them. */
function assertContent(what: string, actual: Content, expected: Content): void {
  const { title, n, category, shade, price, tags, place, text } = actual;
  const { lat, lon, city } = place;
  assertSame(what, { title, n, category, shade, price, tags, place: { lat, lon, city }, text }, expected);
}

const spread = <T>(values: readonly T[], count: number): T[] => {
  const step = Math.max(1, Math.floor(values.length / count));
  return values.filter((_, i) => i % step === 0).slice(0, count);
};

const requestsOf = (calls: readonly Call<unknown>[]) => calls.flatMap(({ requests }) => requests);

const job = (calls: readonly Call<unknown>[], check: () => Promise<void>): Job => ({
  requests: requestsOf(calls),
  perUnit: calls[0]?.requests.length ?? 1,
  connections: CONNECTIONS,
  check,
});

function gets({ instance, place: { api, newest } }: World) {
  const chosen = spread(newest.few, DISTINCT);
  async function check(): Promise<void> {
    for (const { id, n } of spread(chosen, SAMPLE))
      assertContent(`document ${n}`, await ask(instance, api.get('few', id)), contentOf(n));
  }
  return { calls: chosen.map(({ id }) => api.get('few', id)), check };
}

function creates({ instance, place: { api }, sizes }: World) {
  const contents = Array.from({ length: DISTINCT }, (_, i) => contentOf(sizes.many + 2 * i));
  async function check(): Promise<void> {
    for (const content of spread(contents, SAMPLE)) {
      const id = await ask(instance, api.create(content));
      assertContent('a created document', await ask(instance, api.get('created', id)), content);
    }
  }
  const everything: Query = { field: null, value: '', total: true };
  const stored = async () => (await ask(instance, api.list('created', everything))).total ?? 0;
  return { calls: contents.map((content) => api.create(content)), check, stored };
}

function updates({ instance, place: { api, newest } }: World) {
  const chosen = spread(newest.changed, DISTINCT);
  const variants = ['A changed title', 'Another title'];
  const changed = (n: number, title: string) => ({ ...contentOf(n), title });
  async function check(): Promise<void> {
    for (const { id, n } of spread(chosen, SAMPLE)) {
      for (const title of variants) {
        await ask(instance, api.update(id, changed(n, title)));
        assertContent('an updated document', await ask(instance, api.get('changed', id)), changed(n, title));
      }
    }
  }
  const calls = variants.flatMap((title) => chosen.map(({ id, n }) => api.update(id, changed(n, title))));
  return { calls, check };
}

function mixed(world: World): Job {
  const [read, created, updated] = [gets(world), creates(world), updates(world)];
  const written = updated.calls.flatMap((call, i) => [call, created.calls[i % created.calls.length] ?? call]);
  // Eight reads, one update and one create, in two groups.
  const calls = written.flatMap((write, i) => [
    ...Array.from({ length: 4 }, (_, j) => read.calls[(i * 4 + j) % read.calls.length] ?? write),
    write,
  ]);
  return job(calls, async () => {
    for (const { check } of [read, created, updated]) await check();
  });
}

function expected(world: World, collection: 'few' | 'many', { field, value, total }: Query) {
  const numbers = world.place.newest[collection].map(({ n }) => n);
  const found = numbers.filter((n) => field === null || contentOf(n)[field] === value);
  return { ns: found.slice(0, PAGE), total: total ? found.length : null };
}

/** @param values values of the field, each queried in turn; a list without a field has one query */
function lists(world: World, collection: 'few' | 'many', query: Query, values: readonly string[]): Job {
  const queries = values.map((value) => ({ ...query, value }));
  const calls = queries.map((one) => world.place.api.list(collection, one));
  return job(calls, async () => {
    for (const one of spread(queries, SAMPLE)) {
      const { ns, total } = await ask(world.instance, world.place.api.list(collection, one));
      const answer = expected(world, collection, one);
      assertSame('the rows', ns, answer.ns);
      if (query.total) assertSame('the total', total, answer.total);
    }
  });
}

async function uploads({ instance, place: { api } }: World): Promise<Job> {
  const call = api.upload(UPLOAD);
  return job([call], async () => {
    const file = await ask(instance, call);
    if ((await ask(instance, api.download(file))) !== UPLOAD)
      throw new Error('the stored bytes differ from the sent ones');
  });
}

async function downloads({ instance, place: { api } }: World): Promise<Job> {
  const call = api.download(await ask(instance, api.upload(UPLOAD)));
  return job([call], async () => {
    if ((await ask(instance, call)) !== UPLOAD) throw new Error('the bytes differ from the uploaded ones');
  });
}

function logins({ instance, place: { api } }: World): Job | null {
  const { logIn } = api;
  if (logIn === undefined) return null;
  const calls = Array.from({ length: LOGINS }, (_, i) => logIn(i % USERS));
  const samples = [logIn(0), logIn(1)];
  async function check(): Promise<void> {
    const tokens: string[] = [];
    for (const call of samples) tokens.push(await ask(instance, call));
    if (tokens.some((token) => token === '') || tokens[0] === tokens[1]) throw new Error('logins answer with no token');
  }
  return { ...job(calls, check), connections: LOGIN_CONNECTIONS };
}

const thousands = (n: number) => (n % 1_000 === 0 ? `${n / 1_000} k` : String(n));

const row = (
  name: string,
  title: string | Row['title'],
  prepare: (world: World) => Promise<Job | null> | Job | null,
  isForLogins = false,
): Row => ({
  name,
  title: typeof title === 'string' ? () => title : title,
  prepare: async (world) => prepare(world),
  isForLogins,
});

const listRow = (
  name: string,
  title: string,
  collection: 'few' | 'many',
  { values = [''], ...query }: Partial<Query> & { readonly values?: readonly string[] },
): Row =>
  row(
    name,
    (sizes: Record<Collection, number>) => `${title} ${thousands(sizes[collection])}`,
    (world) => lists(world, collection, { field: null, value: '', total: false, ...query }, values),
  );

/** Rows in the order of measurement: writes come last. */
export const ROWS: readonly Row[] = [
  row('get', 'get one', (world) => {
    const { calls, check } = gets(world);
    return job(calls, check);
  }),
  listRow('newest', 'newest 20 of', 'many', {}),
  listRow('total-few', 'newest 20 with total, of', 'few', { total: true }),
  listRow('total-many', 'newest 20 with total, of', 'many', { total: true }),
  listRow('indexed', '20 by an indexed field, of', 'many', { field: 'category', values: CATEGORIES }),
  listRow('scanned', '20 by a field without index, of', 'few', { field: 'shade', values: SHADES }),
  row('create', 'create 1 KB', (world) => {
    const { calls, check, stored } = creates(world);
    return { ...job(calls, check), stored };
  }),
  row('update', 'update 1 KB', (world) => {
    const { calls, check } = updates(world);
    return job(calls, check);
  }),
  row('mix', '80 % reads, 20 % writes', mixed),
  row('download', 'download 1 MiB', downloads),
  row('upload', 'upload 1 MiB', uploads),
  row('login', `log in (${LOGIN_CONNECTIONS} connections)`, logins, true),
];

/** The time to the first response is measured at each start. */
export const START = { name: 'start', title: 'cold start to the first answer, ms' };

/** Waits for the first response of a new process. */
export const firstAnswer = async (instance: Instance, { api, newest }: Place): Promise<void> => {
  const [stored] = newest.few;
  if (stored === undefined || !isCallers(stored.n)) throw new Error('nothing is stored');
  assertContent('the first answer', await ask(instance, api.get('few', stored.id)), contentOf(stored.n));
};
