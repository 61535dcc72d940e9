// Measures Baobab against bare Fastify. `--write` saves the results to RESULTS.md; `--rounds=`, `--seconds=`,
// `--only=sqlite` or `--only=postgres` shorten a run during development.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Comparison, compare, type Pair, type Plan } from './measure/compare.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { idleMemory, type Saturation, saturate, startTime } from './measure/footprint.ts';
import { sendOnce } from './measure/load.ts';
import { type ServerProcess, startBare, startService, startUnwatched } from './measure/processes.ts';
import { createScenario, getScenario, listScenarios, type Scenario } from './measure/scenarios.ts';
import { seed } from './measure/seed.ts';
import { type Measured, report } from './report.ts';

const SATURATION_SECONDS = 30;
/** A request header that makes responses contain all CORS headers. */
const PAGE = { origin: 'https://app.example' };

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const plan: Plan = { rounds: Number(options.rounds), seconds: Number(options.seconds), warmUpSeconds: 2 };

const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

type Start = () => Promise<ServerProcess>;

async function openPair(start: Start, startOther: Start): Promise<Pair> {
  const service = await start();
  const other = await startOther();
  const close = async () => {
    await Promise.all([service.stop(), other.stop()]);
  };
  return { service: service.url, bare: other.url, close };
}

/** Compares both servers on one database. */
async function measureOn(database: Database): Promise<{ rows: Measured[]; saturation: Saturation | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const access = { appCode: 'bench', adminPassword: randomBytes(9).toString('base64url') };
  const variables = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: randomBytes(32).toString('base64url'),
    APP_CODE: access.appCode,
    ADMIN_PASSWORD: access.adminPassword,
  };
  try {
    const startLogged = () => startService({ ...variables, LOG_LEVEL: 'info' });
    // A separate process, because seeding changes the state of a process.
    const first = await startLogged();
    progress(`${database.name}: creating documents`);
    const seeded = await seed(first.url, access).finally(() => first.stop());
    await database.settle();
    const get = getScenario(seeded);
    const bareVariables = { DATABASE_URL: database.url, AUTHOR: seeded.owner.id };
    const startPlain = () => startBare(bareVariables, get.bare[0]?.path ?? '');

    const rows: Measured[] = [];
    async function measure(
      scenario: Scenario,
      start: Start = startLogged,
      startOther: Start = startPlain,
    ): Promise<void> {
      const comparison: Comparison = await compare(scenario, () => openPair(start, startOther), plan);
      rows.push({ database: database.name, name: scenario.name, goal: scenario.goal, ...comparison });
      progress(`${database.name}: ${scenario.name}: ${comparison.ratio.toFixed(2)}`);
    }
    await measure(get);
    await measure({ ...get, name: 'get one, no access log' }, () => startService({ ...variables, LOG_LEVEL: 'warn' }));
    async function startWatched(): Promise<ServerProcess> {
      const service = await startLogged();
      // Counting begins with the first scrape.
      await sendOnce(service.url, { method: 'GET', path: '/metrics', headers: seeded.admin.headers });
      return service;
    }
    // Here "bare" is Baobab itself without observers, called by an app instead of a page.
    const ofPage = get.service.map((request) => ({ ...request, headers: { ...request.headers, ...PAGE } }));
    const watched = { ...get, name: 'get one, watched or not', goal: 0.85, service: ofPage };
    await measure(watched, startWatched, () => startUnwatched(variables));
    await measure(createScenario(seeded));
    for (const scenario of listScenarios(seeded)) await measure(scenario);
    if (database.name !== 'Postgres' || plan.rounds < 3) return { rows, saturation: null };
    const service = await startLogged();
    const saturation = await saturate(service.url, get, SATURATION_SECONDS).finally(() => service.stop());
    return { rows, saturation };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rows: Measured[] = [];
const versions: string[] = [];
let saturation: Saturation | null = null;
for (const [name, start] of [
  ['sqlite', startSqlite],
  ['postgres', startDurablePostgres],
] as const) {
  if (options.only !== '' && options.only !== name) continue;
  const database = await start();
  try {
    versions.push(database.version);
    const measured = await measureOn(database);
    rows.push(...measured.rows);
    saturation ??= measured.saturation;
  } finally {
    await database.stop();
  }
}
progress('start time and memory');
const footprint = { startMs: await startTime(), idleMb: await idleMemory(), saturation };

const text = report({ rows, versions, plan, ...footprint });
process.stdout.write(`\n${text}`);
if (options.write) writeFileSync(new URL('RESULTS.md', import.meta.url), text);
