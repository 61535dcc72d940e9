// Measures the latency of GET by id for callers with a session while 200 users keep logging in concurrently. `--write`
// saves the results to LOGINS.md, `--seconds 2` makes a short run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { GENERATOR, type Load, load, type Request, sendOnce } from './measure/load.ts';
import { startService } from './measure/processes.ts';
import { machine, table } from './report.ts';

const LOGINS = 200;
const CONNECTIONS = 4;
/** Goal for the 99th percentile of GET by id during the logins, in milliseconds. */
const GOAL_MS = 100;
const APP_CODE = 'bench';
const ADMIN_PASSWORD = 'bench';

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '10' },
  },
});
const SECONDS = Number(options.seconds);
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const JSON_HEADERS = { 'x-service-appcode': APP_CODE, 'content-type': 'application/json' };

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Request => ({
  method: 'POST',
  path,
  headers: { ...JSON_HEADERS, ...headers },
  body: JSON.stringify(body),
});

/** Creates a document and returns the request with which its author reads it. */
async function prepare(url: string): Promise<Request> {
  const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
  await sendOnce(url, post('/admin/collection/books', {}, { authorization }));
  const { data } = JSON.parse(await sendOnce(url, post('/user', { username: 'reader', password: 'x' })));
  const session = { 'x-bb-session': data['X-BB-SESSION'] };
  const written = JSON.parse(await sendOnce(url, post('/document/books', { title: 'Zeno' }, session)));
  return { method: 'GET', path: `/document/books/${written.data.id}`, headers: session };
}

/**
 * Logs in all users concurrently and repeatedly until `isOver`. Resolves to the number of logins. Each round uses
 * another address, because recently verified passwords are not hashed again for the same address.
 */
async function logIn(url: string, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (!isOver()) {
    const address = { 'x-forwarded-for': `192.0.2.${(count / LOGINS) % 256}` };
    await Promise.all(
      Array.from({ length: LOGINS }, (_, i) =>
        sendOnce(url, post('/login', { username: `user${i}`, password: 'x' }, address)),
      ),
    );
    count += LOGINS;
  }
  return count;
}

interface Measured {
  readonly alone: Load;
  readonly beside: Load;
  readonly loginsPerSecond: number;
}

async function measure(database: Database): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  // The limits apply to one network, but all of these logins come from this machine.
  const limits = { RATE_LIMIT: 'off', TRUST_PROXY: 'on' };
  const service = await startService({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    APP_CODE,
    ADMIN_PASSWORD,
    ...limits,
  });
  try {
    const read = await prepare(service.url);
    for (let i = 0; i < LOGINS; i++)
      await sendOnce(service.url, post('/user', { username: `user${i}`, password: 'x' }));
    await load(service.url, [read], 1, CONNECTIONS);
    const alone = await load(service.url, [read], SECONDS, CONNECTIONS);
    let isOver = false;
    const began = performance.now();
    const logins = logIn(service.url, () => isOver);
    const beside = await load(service.url, [read], SECONDS, CONNECTIONS);
    isOver = true;
    const loginsPerSecond = ((await logins) / (performance.now() - began)) * 1000;
    return { alone, beside, loginsPerSecond };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

const STARTS = { SQLite: startSqlite, Postgres: startDurablePostgres };
const rows: string[][] = [];
for (const [name, start] of Object.entries(STARTS)) {
  if (options.only !== '' && options.only !== name.toLowerCase()) continue;
  progress(name);
  const database = await start();
  try {
    const { alone, beside, loginsPerSecond } = await measure(database);
    rows.push([
      name,
      `GET by id beside ${LOGINS} logins at once`,
      `${alone.p99} ms`,
      `${beside.p99} ms`,
      loginsPerSecond.toFixed(0),
      `≤ ${GOAL_MS} ms ${beside.p99 <= GOAL_MS ? 'met' : 'MISSED'}`,
    ]);
  } finally {
    await database.stop();
  }
}

const text = `# Logins, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(['Database', 'Work', 'p99 alone', 'p99 beside', 'logins/s', 'goal'], rows)}

${LOGINS} users log in at once, and again when all of them are in, for ${SECONDS} s. Meanwhile a user with a session reads one document
over ${CONNECTIONS} connections of ${GENERATOR}. Run it again with \`npm run bench -- logins\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('LOGINS.md', import.meta.url), text);
