// Measures full-text search: lists in a large collection, and writes with and without a search index. `--write` saves
// the results to SEARCH.md; `--only=sqlite` or `--only=postgres`, `--documents=` and `--rounds=` shorten a run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createNodeSecrets } from '@baobab/adapters/system';
import { median } from './measure/compare.ts';
import { createRandom, START } from './measure/crowd.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { fill } from './measure/insert.ts';
import { load, type Request, sendOnce } from './measure/load.ts';
import { ADMIN, startQuietService } from './measure/quiet-service.ts';
import { cpuSeconds } from './measure/usage.ts';
import { machine, table } from './report.ts';

const WORDS = 80;
const VOCABULARY = 20_000;
const CATEGORIES = 50;
const AT_ONCE = 20_000;
const READERS = 4;
const WRITERS = 8;
/** Number of different documents that are written. */
const BODIES = 500;
const SECONDS = 3;
const GOALS = { list: 3, writes: 0.85 } as const;
const LIST = 'newest 20 of a category, indexed';

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    documents: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
  },
});
const DOCUMENTS = Number(options.documents);
const ROUNDS = Number(options.rounds);
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const random = createRandom(11);
/** Returns a word. As in languages, the n-th most frequent one occurs 1/n times as often as the first. */
const word = () => `word${Math.floor(VOCABULARY ** (random(1e9) / 1e9))}`;
const text = () => Array.from({ length: WORDS }, word).join(' ');
const content = () => JSON.stringify({ title: 'A post', category: `c${random(CATEGORIES)}`, text: text() });

const headers = { ...ADMIN, 'content-type': 'application/json' };
const post = (path: string, body: string): Request => ({ method: 'POST', path, headers, body });
const put = (path: string, body: string): Request => ({ method: 'PUT', path, headers, body });
const get = (path: string): Request => ({ method: 'GET', path, headers });

/** Stores documents of one user in the only collection. */
async function fillPosts(url: string, author: string): Promise<void> {
  const { uuid } = createNodeSecrets('of no importance: only ids are made');
  const columns = ['id', 'collection', 'author', 'version', 'created', 'updated', 'content'];
  await fill(url, async (insert, collection) => {
    for (let at = 0; at < DOCUMENTS; at += AT_ONCE) {
      const rows = Array.from({ length: Math.min(AT_ONCE, DOCUMENTS - at) }, (_, i) => {
        const time = START + at + i;
        return [uuid(time), collection, author, 1, time, time, content()];
      });
      await insert('documents', columns, rows);
    }
  });
}

/** Waits until everything declared in this resource is ready. */
async function untilReady(url: string, path: string): Promise<void> {
  for (;;) {
    const { data } = JSON.parse(await sendOnce(url, get(path)));
    if ([data].flat().every(({ state }) => state === 'ready')) return;
    await pause(200);
  }
}

/** Returns the number of found documents and the lists to measure, by name. */
async function lists(url: string): Promise<Map<string, Request>> {
  const path = '/document/posts';
  const searches = new Map([
    ['two rare words', 'word900 word1200'],
    ['two frequent words', 'word90 word120'],
    ['a very frequent word and a rare one', 'word1 word900'],
    ['a prefix', 'word190*'],
  ]);
  const measured = new Map([
    [LIST, get(`${path}?where=category%3D'c7'&orderBy=_creation_date%20desc&recordsPerPage=20`)],
  ]);
  for (const [name, search] of searches) {
    const query = `search=${encodeURIComponent(search)}`;
    const { data } = JSON.parse(await sendOnce(url, get(`${path}/count?${query}`)));
    measured.set(
      `best 20 by ${name}, of ${data.count.toLocaleString('en')}`,
      get(`${path}?${query}&recordsPerPage=20`),
    );
  }
  return measured;
}

async function latenciesOf(url: string): Promise<Map<string, number>> {
  const measured = Array.from(await lists(url));
  const taken = measured.map(([name]) => [name, [] as number[]] as const);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, [, request]] of measured.entries()) {
      const { p50 } = await load(url, [request], SECONDS, READERS);
      if (round > 0) taken[at]?.[1].push(p50); // the first round warms up
    }
  }
  return new Map(taken.map(([name, all]) => [name, median(all)]));
}

/** Returns the rate and the processor time of the server for writes with an index, to those without. */
async function compareWrites({ url, pid }: { readonly url: string; readonly pid: number }) {
  const bodies = Array.from({ length: BODIES }, content);
  const measure = async (collection: string) => {
    const before = cpuSeconds(pid);
    const requests = bodies.map((body) => post(`/document/${collection}`, body));
    const { perSecond } = await load(url, requests, SECONDS, WRITERS);
    return { perSecond, cpu: (cpuSeconds(pid) - before) / (perSecond * SECONDS) };
  };
  const rounds: Array<{ rate: number; cpu: number }> = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [without, searched] = [await measure('plain'), await measure('searched')];
    const each = { rate: searched.perSecond / without.perSecond, cpu: searched.cpu / without.cpu };
    if (round > 0) rounds.push(each);
  }
  return { rate: median(rounds.map(({ rate }) => rate)), cpu: median(rounds.map(({ cpu }) => cpu)) };
}

async function measureOn(database: Database) {
  const service = await startQuietService(database);
  const { url } = service;
  const send = (request: Request) => sendOnce(url, request);
  const declare = async (collection: string) => {
    const path = `/admin/collection/${collection}/search`;
    await send(put(path, '{"fields":{"title":3,"text":1}}'));
    await untilReady(url, path);
  };
  try {
    await send(post('/admin/collection/posts', '{}'));
    const { data } = JSON.parse(await send(post('/user', '{"username":"author","password":"x"}')));
    progress(`${database.name}: storing ${DOCUMENTS.toLocaleString('en')} documents`);
    await fillPosts(database.url, data.id);
    await pause(100); // connections that were closed meanwhile must not be used again
    await send(put('/admin/collection/posts/index/category', '{}'));
    await untilReady(url, '/admin/collection/posts/index');
    progress(`${database.name}: storing their words`);
    const begun = performance.now();
    await declare('posts');
    const built = (performance.now() - begun) / 1_000;
    await database.settle();
    progress(`${database.name}: lists`);
    const latencies = await latenciesOf(url);
    progress(`${database.name}: writes`);
    for (const name of ['plain', 'searched']) await send(post(`/admin/collection/${name}`, '{}'));
    await declare('searched');
    return { name: database.name, built, latencies, writes: await compareWrites(service) };
  } finally {
    await service.stop();
  }
}

const starts = [startSqlite, startDurablePostgres].filter(
  (_, i) => options.only === '' || (options.only === 'sqlite') === (i === 0),
);
const listRows: string[][] = [];
const writeRows: string[][] = [];
for (const start of starts) {
  const { name, built, latencies, writes } = await measureOn(await start());
  const usual = latencies.get(LIST) ?? Number.NaN;
  for (const [query, ms] of latencies) listRows.push([name, query, `${ms} ms`, (ms / usual).toFixed(1)]);
  const missed = writes.rate < GOALS.writes ? ' (missed)' : '';
  writeRows.push([name, `${writes.rate.toFixed(2)}${missed}`, writes.cpu.toFixed(2), `${built.toFixed(0)} s`]);
}

const page = `# Full-text search, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Database', `${DOCUMENTS.toLocaleString('en')} documents`, 'p50', `to the first (goal ≤ ${GOALS.list})`], listRows)}

${table(['Database', `writes with an index, to those without (goal ≥ ${GOALS.writes})`, 'processor time', 'building it'], writeRows)}

Documents have ${WORDS} words of ${VOCABULARY.toLocaleString('en')}, the n-th of which occurs 1/n times as often as the first. Lists: medians of ${ROUNDS} rounds of ${SECONDS} s at
${READERS} connections. Writes: ${WRITERS} connections, with and without an index in alternation. Run it again with
\`npm run bench -- search\`.
`;
process.stdout.write(page);
if (options.write) writeFileSync(new URL('SEARCH.md', import.meta.url), page);
