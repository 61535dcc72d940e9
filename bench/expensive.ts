// Finds the requests of a signed-up user that block the event loop longest, for each kind of work. `--write` saves the
// results to EXPENSIVE.md; `--only=` and a part of a kind's name shortens a run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../tests/support/ports.ts';
import { median } from './measure/compare.ts';
import { startSqlite } from './measure/databases.ts';
import { createExpensive, type Expensive } from './measure/expensive-requests.ts';
import { startService } from './measure/processes.ts';
import { machine, table } from './report.ts';

const GOAL_MS = 100;
const ROUNDS = 5;
/** Longer names would make the table hard to read. */
const MAX_NAME = 60;
const ACCESS = { APP_CODE: 'bench', ADMIN_PASSWORD: 'bench' };

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

interface Watched {
  readonly blockedMs: number;
  readonly cpuMs: number;
}

interface Cost extends Watched {
  readonly kind: string;
  readonly name: string;
  readonly status: number;
  readonly bytes: number;
}

/** Medians of several rounds. */
async function measure(one: Expensive, watched: () => Promise<Watched>): Promise<Cost> {
  const costs: Watched[] = [];
  let [status, bytes] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const send = await one.prepare();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await watched();
    const response = await send();
    status = response.status;
    bytes = response.bytes;
    costs.push(await watched());
  }
  const { kind, name } = one;
  const cost = {
    kind,
    name,
    status,
    bytes,
    blockedMs: median(costs.map(({ blockedMs }) => blockedMs)),
    cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
  };
  progress(`${kind}: ${name}: ${Math.round(cost.blockedMs)} ms, ${Math.round(cost.cpuMs)} ms CPU, ${status}`);
  return cost;
}

const database = await startSqlite();
const folder = mkdtempSync(join(tmpdir(), 'baobab-bench-'));
const watchPort = await freePort();
const service = await startService({
  DATABASE_URL: database.url,
  DATA_DIR: folder,
  ...ACCESS,
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
  WATCH_PORT: String(watchPort),
  NODE_OPTIONS: `--import=${new URL('./measure/loop-watch.ts', import.meta.url)}`,
});
const costs: Cost[] = [];
try {
  const watched = async () => (await (await fetch(`http://127.0.0.1:${watchPort}`)).json()) as Watched;
  for (const one of await createExpensive(service.url, ACCESS)) {
    if (one.kind.includes(options.only) || one.kind === 'none') costs.push(await measure(one, watched));
  }
} finally {
  await service.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

const kinds = [...new Set(costs.map(({ kind }) => kind))];
const worst = kinds.map((kind) => {
  const ofKind = costs.filter((cost) => cost.kind === kind);
  return ofKind.toSorted((a, b) => b.blockedMs - a.blockedMs)[0] as Cost;
});
const rows = worst.map(({ kind, name, status, bytes, blockedMs, cpuMs }) => [
  kind,
  name.slice(0, MAX_NAME),
  `${Math.round(bytes / 1000).toLocaleString('en')} kB`,
  String(status),
  String(Math.round(blockedMs)),
  String(Math.round(cpuMs)),
  `≤ ${GOAL_MS} ${blockedMs <= GOAL_MS ? 'met' : 'MISSED'}`,
]);
const text = `# Most expensive requests, measured ${new Date().toISOString().slice(0, 10)}

${machine([database.version])}

${table(['Kind', 'Worst request found', 'body', 'status', 'blocked ms', 'CPU ms', 'goal'], rows)}

Requests of a user without further rights, with the default limits, to a server on SQLite, where the database works in
the same process. **Blocked** is the processor time that the event loop spent at most without serving another request,
**CPU** that of the whole process, with its other threads. Processor time excludes other programs on the machine. "none"
is a request for the health of the server. Of each kind the worst of several variants is shown; figures are medians of
${ROUNDS} rounds. Run it again with \`npm run bench -- expensive\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('EXPENSIVE.md', import.meta.url), text);
