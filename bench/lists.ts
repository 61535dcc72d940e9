// Measures lists and counts of documents in collections of increasing size. `--write` saves the results to LISTS.md;
// `--only=sqlite` or `--only=postgres` and `--largest=` shorten a run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './measure/compare.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { GENERATOR, load, type Request, sendOnce } from './measure/load.ts';
import { startService } from './measure/processes.ts';
import { CATEGORIES, fillShelf, GRANTED, GROUPS } from './measure/shelf.ts';
import { machine, table } from './report.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const OWNERS = 100_000;
const CONNECTIONS = 4;
const ROUNDS = 3;
const SECONDS = 1;
const GOAL = 2;
/** Maximum ratio of a user in many groups to a user in none. */
const GROUPS_GOAL = 3;
/**
 * Number of a late page reached by cursor, with 20 documents per page. The smallest collection has half as many pages.
 */
const FAR_PAGE = 1_000;
const PAGE = 20;
const ACCESS = { APP_CODE: 'bench', ADMIN_PASSWORD: 'bench' };

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    largest: { type: 'string', default: String(SIZES.at(-1)) },
  },
});
const sizes = SIZES.filter((size) => size <= Number(options.largest));
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

type Headers = Request['headers'];
const json = { 'content-type': 'application/json' };

async function enter(url: string, path: string, username: string, password: string) {
  const headers = { 'x-service-appcode': ACCESS.APP_CODE, ...json };
  const answer = await sendOnce(url, { method: 'POST', path, headers, body: JSON.stringify({ username, password }) });
  const { data } = JSON.parse(answer) as { data: { id: string; 'X-BB-SESSION': string } };
  return { id: data.id, headers: { 'x-bb-session': data['X-BB-SESSION'] } };
}

async function declareIndex(url: string, path: string, headers: Headers): Promise<void> {
  const resource = `${url}/admin/collection/posts/index/${path}`;
  const { ok, status } = await fetch(resource, { method: 'PUT', headers });
  if (!ok) throw new Error(`the index was not created: ${status}`);
  await untilIndexed(url, headers);
}

/** Waits until all indexes of the collection are built. */
async function untilIndexed(url: string, headers: Headers): Promise<void> {
  for (;;) {
    const answer = await sendOnce(url, { method: 'GET', path: '/admin/collection/posts/index', headers });
    const { data } = JSON.parse(answer) as { data: Array<{ state: string }> };
    if (data.every(({ state }) => state === 'ready')) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Returns the cursor after this number of documents, newest first. */
async function cursorBehind(url: string, passed: number, headers: Headers): Promise<string> {
  const step = 500;
  let next = '';
  for (let at = 0; at < passed; at += step) {
    const path = `/document/posts?orderBy=_creation_date%20desc&recordsPerPage=${step}${next && `&cursor=${next}`}`;
    next = (JSON.parse(await sendOnce(url, { method: 'GET', path, headers })) as { next: string }).next;
  }
  return next;
}

const NEWEST = `orderBy=_creation_date%20desc&recordsPerPage=${PAGE}`;

/** Filling blocks this process, so connections closed by the server meanwhile must not be reused. */
const noticeClosed = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Median latency in milliseconds, by query. */
type Latencies = Map<string, number>;

interface Callers {
  readonly admin: Headers;
  readonly owner: Headers;
  readonly member: Headers;
}

/** Number of boards that a user may read, of those in `measure/shelf.ts`. */
const BOARDS_READ = 5;
/** Queries of a user who reads documents through their parents. */
const OF_PARENT = 'newest 20 of a board, inherited';
const OF_PARENTS = `newest 20, of ${BOARDS_READ} boards, inherited`;
/** The queries that these are compared with, and the maximum ratios. */
const INHERITED = [
  { query: OF_PARENT, other: 'newest 20 of a category, indexed, admin', goal: 1.3 },
  { query: OF_PARENTS, other: 'newest 20, owner of 20', goal: 3 },
];

/** Query of a user in many groups, and the query of a user in none that it is compared with. */
const IN_GROUPS = `newest 20, in ${GROUPS} groups`;
const IN_NONE = 'newest 20, owner of 20';

async function questionsOn(url: string, size: number, callers: Callers): Promise<Map<string, Request>> {
  const { admin, owner, member } = callers;
  const far = await cursorBehind(url, Math.min(FAR_PAGE * PAGE, size / 2), admin);
  const ask = (path: string, headers: Headers): Request => ({ method: 'GET', path, headers });
  const inCategory = `where=category%20%3D%20%3F&params=c7&${NEWEST}`;
  return new Map([
    ['newest 20, admin', ask(`/document/posts?${NEWEST}`, admin)],
    [IN_NONE, ask(`/document/posts?${NEWEST}`, owner)],
    ['newest 20 of a category, indexed, admin', ask(`/document/posts?${inCategory}`, admin)],
    ['newest 20 of a category, indexed, owner of 20', ask(`/document/posts?${inCategory}`, owner)],
    [IN_GROUPS, ask(`/document/posts?${NEWEST}`, member)],
    [`newest 20 of a category, indexed, in ${GROUPS} groups`, ask(`/document/posts?${inCategory}`, member)],
    [
      '20 by an indexed number, admin',
      ask(`/document/posts?where=n%20%3E%3D%20100&orderBy=n&recordsPerPage=${PAGE}`, admin),
    ],
    [`page ${FAR_PAGE} by cursor, admin`, ask(`/document/posts?${NEWEST}&cursor=${far}`, admin)],
    ['total, owner of 20', ask('/document/posts/count', owner)],
    [`total of what ${GROUPS} groups may read`, ask('/document/posts/count', member)],
    ['total of all, admin', ask('/document/posts/count', admin)],
    ['newest 20 with total, admin', ask(`/document/posts?${NEWEST}&total=true`, admin)],
    ['total of a category, indexed, admin', ask('/document/posts/count?where=category%20%3D%20%3F&params=c7', admin)],
  ]);
}

/** Lets a new user read some boards, and with them their documents. Returns that user's queries. */
async function inheritedQuestions(
  url: string,
  boards: readonly string[],
  admin: Headers,
): Promise<Map<string, Request>> {
  const reader = await enter(url, '/user', 'reader', 'x');
  await sendOnce(url, { method: 'POST', path: '/admin/collection/boards', headers: admin } as never);
  const [read = [], rules] = [
    boards.slice(0, BOARDS_READ),
    { parent: { field: 'board', collection: 'boards', read: 'read' } },
  ];
  for (const id of read) {
    const path = `/document/boards?id=${id}`;
    await sendOnce(url, { method: 'POST', path, headers: { ...reader.headers, ...json }, body: '{}' });
  }
  const path = '/admin/collection/posts/rules';
  await sendOnce(url, { method: 'PUT', path, headers: { ...admin, ...json }, body: JSON.stringify(rules) });
  await untilIndexed(url, admin); // the rule declares one on its field
  const ask = (query: string): Request => ({
    method: 'GET',
    path: `/document/posts?${query}`,
    headers: reader.headers,
  });
  return new Map([
    [OF_PARENT, ask(`where=board%20%3D%20%3F&params=${read[0]}&${NEWEST}`)],
    [OF_PARENTS, ask(NEWEST)],
  ]);
}

async function measure(database: Database, size: number): Promise<Latencies> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const service = await startService({ DATABASE_URL: database.url, DATA_DIR: folder, ...ACCESS });
  try {
    const admin = await enter(service.url, '/login', 'admin', ACCESS.ADMIN_PASSWORD);
    await sendOnce(service.url, { method: 'POST', path: '/admin/collection/posts', headers: admin.headers } as never);
    const owner = await enter(service.url, '/user', 'owner', 'x');
    const member = await enter(service.url, '/user', 'member', 'x');
    const boards = await fillShelf(
      database.url,
      { documents: size, owners: Math.min(OWNERS, size) },
      owner.id,
      member.id,
    );
    await noticeClosed();
    for (const path of ['category', 'n']) await declareIndex(service.url, path, admin.headers);
    await database.settle();
    progress(`${database.name}: ${size.toLocaleString('en')} documents stored`);
    const questions = await questionsOn(service.url, size, {
      admin: admin.headers,
      owner: owner.headers,
      member: member.headers,
    });
    const latencies = await latenciesOf(service.url, questions);
    const inherited = await inheritedQuestions(service.url, boards, admin.headers);
    return new Map([...latencies, ...(await latenciesOf(service.url, inherited))]);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function latenciesOf(url: string, questions: ReadonlyMap<string, Request>): Promise<Latencies> {
  const taken = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, request] of questions) {
      const { p50 } = await load(url, [request], SECONDS, CONNECTIONS);
      if (round > 0) taken.set(name, [...(taken.get(name) ?? []), p50]); // the first round warms up
    }
  }
  return new Map([...taken].map(([name, all]) => [name, median(all)]));
}

/** Exact counts grow with the number of counted documents, so they have no goal. */
const isExactCountOfMany = (name: string) => /^total of (?!all)/.test(name);

const rows: string[][] = [];
const comparisons: string[][] = [];
const starts = [startSqlite, startDurablePostgres].filter(
  (_, i) => options.only === '' || (options.only === 'sqlite') === (i === 0),
);
for (const start of starts) {
  const results: Latencies[] = [];
  let name = '';
  for (const size of sizes) {
    const database = await start();
    name = database.name;
    try {
      results.push(await measure(database, size));
    } finally {
      await database.stop();
    }
  }
  const [smallest, largest] = [results[0], results.at(-1)];
  const ratios = results.map((each) => (each.get(IN_GROUPS) ?? Number.NaN) / (each.get(IN_NONE) ?? Number.NaN));
  const isMet = Math.max(...ratios) <= GROUPS_GOAL;
  const cells = ratios.map((ratio) => ratio.toFixed(2));
  comparisons.push([name, IN_GROUPS, ...cells, `≤ ${GROUPS_GOAL} ${isMet ? 'met' : 'MISSED'}`]);
  for (const { query, other, goal } of INHERITED) {
    const times = results.map((each) => (each.get(query) ?? Number.NaN) / (each.get(other) ?? Number.NaN));
    const verdict = Math.max(...times) <= goal ? 'met' : 'MISSED';
    comparisons.push([name, `${query} / ${other}`, ...times.map((time) => time.toFixed(2)), `≤ ${goal} ${verdict}`]);
  }
  for (const [question, from] of smallest ?? []) {
    const ratio = (largest?.get(question) ?? Number.NaN) / from;
    const verdict = isExactCountOfMany(question) ? 'none' : `≤ ${GOAL} ${ratio <= GOAL ? 'met' : 'MISSED'}`;
    rows.push([name, question, ...results.map((each) => `${each.get(question)} ms`), ratio.toFixed(2), verdict]);
  }
}

const columns = sizes.map((size) => size.toLocaleString('en'));
const text = `# Lists, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Database', 'Question', ...columns, 'ratio', 'goal'], rows)}

A user in ${GROUPS} groups takes this many times as long as one in none who owns 20 documents; below, a user who reads ${BOARDS_READ} of 1,000 parents:

${table(['Database', 'Question', ...columns, 'goal'], comparisons)}

p50 over HTTP at ${CONNECTIONS} connections of ${GENERATOR}, medians of ${ROUNDS} rounds of ${SECONDS} s, in collections of the given size. Documents have 900 bytes and
up to ${OWNERS.toLocaleString('en')} owners, one of whom has 20. A category holds one document in ${CATEGORIES}; \`category\` and \`n\` have declared indexes.
One document in ${GRANTED} is granted to one of ${GROUPS} groups. The ratio is that of the largest to the smallest collection. In the smallest, the far page is the middle one. Totals of
many grants, and of conditions, are counted by reading, so they grow with the number of counted documents. Run it again with \`npm run bench -- lists\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('LISTS.md', import.meta.url), text);
