// Measures social queries: the same queries with 1,000 users, and with 100,000 users and a million follows. `--write`
// saves the results to PEOPLE.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './measure/compare.ts';
import { type BenchUser, type CrowdSize, fillWithCrowd } from './measure/crowd.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { GENERATOR, load, type Request } from './measure/load.ts';
import { startService } from './measure/processes.ts';
import { machine, table } from './report.ts';

const SMALL: CrowdSize = { users: 1_000, edges: 10_000, documents: 20_000 };
const LARGE: CrowdSize = { users: 100_000, edges: 1_000_000, documents: 200_000 };
/** Numbers of users that callers follow. */
const FOLLOWED = [0, 100, 1_000, 10_000] as const;
const CONNECTIONS = 4;
const ROUNDS = 5;
const SECONDS = 2;
const APP_CODE = 'bench';

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** Median latency in milliseconds, by query. */
type Latencies = Readonly<Record<'followers' | 'profile' | `follows${(typeof FOLLOWED)[number]}`, number>>;

async function signUp(url: string, username: string): Promise<{ id: string; headers: Record<string, string> }> {
  const headers = { 'x-service-appcode': APP_CODE, 'content-type': 'application/json' };
  const response = await fetch(`${url}/user`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username, password: 'x' }),
  });
  const { data } = (await response.json()) as { data: { id: string; 'X-BB-SESSION': string } };
  return { id: data.id, headers: { 'x-bb-session': data['X-BB-SESSION'] } };
}

async function makeCollection(url: string, adminPassword: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  const headers = { 'x-service-appcode': APP_CODE, authorization };
  const { ok } = await fetch(`${url}/admin/collection/posts`, { method: 'POST', headers });
  if (!ok) throw new Error('the collection was not created');
}

async function measure(database: Database, size: CrowdSize): Promise<Latencies> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const ADMIN_PASSWORD = 'bench';
  const service = await startService({ DATABASE_URL: database.url, DATA_DIR: folder, APP_CODE, ADMIN_PASSWORD });
  try {
    await makeCollection(service.url, ADMIN_PASSWORD);
    const star = await signUp(service.url, 'star');
    const readers = await Promise.all(
      FOLLOWED.map(async (follows) => ({ follows, ...(await signUp(service.url, `reader${follows}`)) })),
    );
    const people: BenchUser[] = [
      { id: star.id, follows: 0, followers: Math.floor(size.users / 2) },
      ...readers.map(({ id, follows }) => ({ id, follows, followers: 0 })),
    ];
    await fillWithCrowd(database.url, size, people);
    await database.settle();

    const ask = (path: string, headers: Record<string, string>): Request => ({ method: 'GET', path, headers });
    const questions: Record<string, Request> = {
      followers: ask('/followers?recordsPerPage=20', star.headers),
      profile: ask('/user/person7', star.headers),
    };
    for (const { follows, headers } of readers) {
      questions[`follows${follows}`] = ask('/document/posts?recordsPerPage=20', headers);
    }
    const taken: Record<string, number[]> = {};
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, request] of Object.entries(questions)) {
        const { p50 } = await load(service.url, [request], SECONDS, CONNECTIONS);
        if (round > 0) taken[name] = [...(taken[name] ?? []), p50]; // the first round warms up
      }
    }
    return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, median(all)])) as unknown as Latencies;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onNew(start: () => Promise<Database>, size: CrowdSize): Promise<Latencies> {
  const database = await start();
  progress(`${database.name}: ${size.users.toLocaleString('en')} users`);
  try {
    return await measure(database, size);
  } finally {
    await database.stop();
  }
}

const rows: string[][] = [];
const starts = [startSqlite, startDurablePostgres].filter(
  (_, i) => options.only === '' || (options.only === 'sqlite') === (i === 0),
);
for (const [i, start] of starts.entries()) {
  const [small, large] = [await onNew(start, SMALL), await onNew(start, LARGE)];
  const name = options.only === 'postgres' || i === 1 ? 'Postgres' : 'SQLite';
  const row = (work: string, from: number, to: number, goal: number) => {
    const ratio = to / from;
    rows.push([
      name,
      work,
      `${from} ms`,
      `${to} ms`,
      ratio.toFixed(2),
      `≤ ${goal} ${ratio <= goal ? 'met' : 'MISSED'}`,
    ]);
  };
  row('a page of /followers: 1,000 → 100,000 users', small.followers, large.followers, 2);
  row('GET /user/:username: 1,000 → 100,000 users', small.profile, large.profile, 2);
  for (const follows of [100, 1_000, 10_000] as const) {
    const work = `a list of documents: following nobody → ${follows.toLocaleString('en')} of 100,000`;
    row(work, large.follows0, large[`follows${follows}`], 3);
  }
}

const text = `# People, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Database', 'Work', 'p50 before', 'p50 after', 'ratio', 'goal'], rows)}

Small: ${SMALL.users.toLocaleString('en')} users, ${SMALL.edges.toLocaleString('en')} follow relations, ${SMALL.documents.toLocaleString('en')} documents of 800 bytes. Large: ${LARGE.users.toLocaleString('en')} users,
${LARGE.edges.toLocaleString('en')} relations, ${LARGE.documents.toLocaleString('en')} documents. /followers is requested by a user whom half of all users follow. Documents belong to
random users: the callers who follow 100, 1,000 and 10,000 users follow the authors of 0.1, 1 and 10 % of the collection. Latencies over HTTP at ${CONNECTIONS}
connections of ${GENERATOR}, medians of ${ROUNDS} rounds of ${SECONDS} s. Run it again with \`npm run bench -- people\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('PEOPLE.md', import.meta.url), text);
