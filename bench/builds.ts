// Compares the performance of this build with another build on the same work, in alternating rounds. `--old=PATH` is
// the main.js of the other build, such as ../old/packages/server/dist/main.js of a clone in which `npm run build` has
// run. `--write` saves the results to BUILDS.md, `--what=` names the other build in them; `--only=sqlite` or
// `--only=postgres`, `--starts=`, `--rounds=` and `--seconds=` shorten a run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './measure/compare.ts';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { CONNECTIONS, GENERATOR, load } from './measure/load.ts';
import { processorSeconds } from './measure/others.ts';
import { type ServerProcess, startService } from './measure/processes.ts';
import { createScenario, getScenario, listScenarios, type Scenario } from './measure/scenarios.ts';
import { seed } from './measure/seed.ts';
import { machine, table } from './report.ts';

const { values: options } = parseArgs({
  options: {
    old: { type: 'string' },
    what: { type: 'string', default: 'another build' },
    only: { type: 'string', default: '' },
    starts: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '11' },
    seconds: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
if (options.old === undefined) throw new Error('--old=PATH must name the main.js of the other build');
const OLD = resolve(options.old);
const [STARTS, ROUNDS, SECONDS] = [Number(options.starts), Number(options.rounds), Number(options.seconds)];
const WARM_UP_SECONDS = 1;
const ACCESS = { appCode: 'bench', adminPassword: 'bench' };
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** A build with separate data. */
interface Side {
  readonly database: Database;
  readonly scenarios: readonly Scenario[];
  start(): Promise<ServerProcess>;
  remove(): Promise<void>;
}

async function prepare(startDatabase: () => Promise<Database>, main: string | undefined): Promise<Side> {
  const database = await startDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
  const variables = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRET_KEY: 'k'.repeat(40),
    APP_CODE: ACCESS.appCode,
    ADMIN_PASSWORD: ACCESS.adminPassword,
    LOG_LEVEL: 'info',
  };
  const start = () => startService(variables, main);
  const first = await start();
  const seeded = await seed(first.url, ACCESS).finally(() => first.stop());
  await database.settle();
  return {
    database,
    scenarios: [getScenario(seeded), createScenario(seeded), ...listScenarios(seeded)],
    start,
    async remove() {
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Measured {
  readonly perSecond: number;
  /** Processor time per request of the server, and of its database if that is another process. Milliseconds. */
  readonly busy: number;
}

async function measure({ database }: Side, { url, pid }: ServerProcess, { service }: Scenario): Promise<Measured> {
  const pids = database.pid === null ? [pid] : [pid, database.pid];
  const before = processorSeconds(pids) ?? Number.NaN;
  const { perSecond } = await load(url, service, SECONDS);
  const busy = (processorSeconds(pids) ?? Number.NaN) - before;
  return { perSecond, busy: (1_000 * busy) / (perSecond * SECONDS) };
}

interface Round {
  readonly old: Measured;
  readonly now: Measured;
}

/**
 * Compares the builds once. Both are restarted several times, because one process of a program may be a tenth faster
 * than another for its whole life.
 */
async function compareOnce(old: Side, now: Side, rounds: Map<string, Round[]>): Promise<void> {
  const servers = { old: await old.start(), now: await now.start() };
  try {
    for (const [at, scenario] of now.scenarios.entries()) {
      const before = old.scenarios[at] ?? scenario;
      const measureOld = () => measure(old, servers.old, before);
      const measureNow = () => measure(now, servers.now, scenario);
      await load(servers.old.url, before.service, WARM_UP_SECONDS);
      await load(servers.now.url, scenario.service, WARM_UP_SECONDS);
      const found = rounds.get(scenario.name) ?? [];
      rounds.set(scenario.name, found);
      for (let round = 0; round < ROUNDS; round++) {
        const first = round % 2 === 0 ? await measureOld() : null;
        const mine = await measureNow();
        found.push({ old: first ?? (await measureOld()), now: mine });
      }
    }
  } finally {
    await Promise.all([servers.old.stop(), servers.now.stop()]);
  }
}

const whole = (n: number) => Math.round(n).toLocaleString('en');

function row(database: string, name: string, rounds: readonly Round[]): string[] {
  const ratios = rounds.map(({ old, now }) => now.perSecond / old.perSecond).toSorted((a, b) => a - b);
  const quartile = (share: number) => (ratios[Math.floor(ratios.length * share)] ?? Number.NaN).toFixed(2);
  const rate = (side: keyof Round) => whole(median(rounds.map((round) => round[side].perSecond)));
  const busy = median(rounds.map(({ old, now }) => now.busy / old.busy));
  const spread = `${quartile(0.25)} to ${quartile(0.75)}`;
  return [database, name, rate('old'), rate('now'), median(ratios).toFixed(2), spread, busy.toFixed(2)];
}

const rows: string[][] = [];
for (const [name, startDatabase] of [
  ['sqlite', startSqlite],
  ['postgres', startDurablePostgres],
] as const) {
  if (options.only !== '' && options.only !== name) continue;
  const old = await prepare(startDatabase, OLD);
  const now = await prepare(startDatabase, undefined);
  const rounds = new Map<string, Round[]>();
  for (let start = 1; start <= STARTS; start++) {
    progress(`${now.database.name}: start ${start} of ${STARTS}`);
    await compareOnce(old, now, rounds);
  }
  for (const [work, found] of rounds) rows.push(row(now.database.name, work, found));
  await Promise.all([old.remove(), now.remove()]);
}

const HEADINGS = ['Database', 'Work', 'before/s', 'now/s', 'ratio', 'quartiles', 'processor time'];
const text = `# This build beside ${options.what}, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${table(HEADINGS, rows)}

Both builds serve data of their own on one machine, started anew ${STARTS} times; each time ${ROUNDS} rounds of ${SECONDS} s for each row,
in turn, each first in every other round, with ${CONNECTIONS} connections of ${GENERATOR}. "ratio" is the median of the ratios of the rounds,
with their quartiles; "processor time" is the median of the ratios of the processor time for one request, that of the database
included. Measure again with \`npm run bench -- builds --old=PATH\`.
`;
process.stdout.write(`\n${text}`);
if (options.write) writeFileSync(new URL('BUILDS.md', import.meta.url), text);
