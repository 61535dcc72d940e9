// Kills the server, or Postgres, in the middle of writes and checks for lost data. `--service`, `--postgres` and
// `--worker` are the rounds of each; `--on` names sqlite, postgres, citus or several of them; `--write` saves the
// results to docs/proof/crash.md.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { type Killable, startCluster } from './cluster.ts';
import { command, percentile, showPage, today, whole } from './page.ts';
import { openPlace, type Place } from './place.ts';
import { collectionOf, type Disturbance, type Figures, playRounds } from './rounds.ts';

const { values: options } = parseArgs({
  options: {
    service: { type: 'string', default: '100' },
    postgres: { type: 'string', default: '50' },
    worker: { type: 'string', default: '50' },
    on: { type: 'string', default: 'sqlite,postgres,citus' },
    write: { type: 'boolean', default: false },
  },
});
const progress = (line: string) => process.stderr.write(`prove: ${line}\n`);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Number of acknowledged requests after a strike before the server counts as recovered. */
const LEAST_AFTER = 50;
/** Limit for any recovery; the longest documented wait is 50 seconds. */
const RECOVERY_LIMIT_MS = 60_000;
const LOOK_MS = 20;

/** Kills one node; in every third round, all of them. */
function killNodes({ nodes }: Place): Disturbance {
  const struck = (round: number) => (round % 3 === 0 ? nodes : nodes.filter((_, at) => at === round % nodes.length));
  return {
    isServedMeanwhile: nodes.length > 1,
    async strike(round) {
      await Promise.all(struck(round).map((node) => node.kill()));
    },
    async recover(round) {
      await Promise.all(struck(round).map((node) => node.start()));
    },
  };
}

const processesBelow = (pid: number): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([id = 0, parent]) => (parent === pid ? [id] : []));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await pause(LOOK_MS);
}

/**
 * Kills, alternating: one process of the server, which then restarts itself; its first process; all of its processes.
 */
function killPostgres(serverOf: (round: number) => Promise<Killable>): Disturbance {
  return {
    isServedMeanwhile: true,
    async strike(round) {
      const server = await serverOf(round);
      const first = server.pid();
      const others = processesBelow(first);
      if (round % 3 === 0) {
        const victim = others[Math.floor(Math.random() * others.length)] ?? first;
        process.kill(victim, 'SIGKILL');
        await untilGone([victim]);
        return;
      }
      const victims = round % 3 === 1 ? [first] : [first, ...others];
      for (const victim of victims) if (isAlive(victim)) process.kill(victim, 'SIGKILL');
      await untilGone([first, ...others]);
      await server.restart();
    },
    async recover(_round, { ledger, reached }) {
      const wanted = ledger.acknowledged + LEAST_AFTER;
      await Promise.race([reached(wanted), pause(RECOVERY_LIMIT_MS)]);
      if (ledger.acknowledged < wanted) ledger.odd.push(`no service ${RECOVERY_LIMIT_MS} ms after Postgres was back`);
    },
  };
}

const HEADINGS = [
  'Killed',
  'made by',
  'rounds',
  'without a fault',
  'writes/s',
  'requests/s',
  'acknowledged writes',
  'requests in doubt',
  'orphans: after the kills, after a sweep',
  'back in full after, median and longest',
] as const;

function rowOf(name: string, figures: Figures): string[] {
  const { rounds, good, writes, requests, seconds, lost, recoveries, orphansBefore, orphansAfter } = figures;
  const back = [percentile(recoveries, 0.5), Math.max(...recoveries)].map((ms) => `${(ms / 1000).toFixed(1)} s`);
  return [
    name,
    `${today()}, \`${command()}\``,
    whole(rounds),
    whole(good),
    whole(writes / seconds),
    whole(requests / seconds),
    whole(writes),
    whole(lost),
    `${orphansBefore}, ${orphansAfter}`,
    back.join(', '),
  ];
}

const NAMES = {
  sqlite: 'the service, on SQLite',
  nodes: 'nodes of the service, two on Postgres',
  postgres: 'Postgres, with two nodes',
  citus: 'a Citus worker, with two nodes',
} as const;

const rows: string[][] = [];
let faults = 0;

async function campaign(name: string, place: Place, disturbance: Disturbance, rounds: number): Promise<void> {
  const figures = await playRounds(place, disturbance, { rounds, progress: (line) => progress(`${name}: ${line}`) });
  for (const fault of figures.faults) progress(`FAULT ${name}: ${fault}`);
  if (figures.faults.length > 0) for (const node of place.nodes) progress(`the log of a node ends with\n${node.log()}`);
  faults += figures.faults.length;
  rows.push(rowOf(name, figures));
}

const [ofService, ofPostgres, ofWorker] = [Number(options.service), Number(options.postgres), Number(options.worker)];
const places = options.on.split(',');
if (places.includes('sqlite') && ofService > 0) {
  const place = await openPlace({ databaseUrl: null, nodes: 1 });
  await campaign(NAMES.sqlite, place, killNodes(place), ofService).finally(() => place.stop());
}
if (places.includes('postgres')) {
  for (const [name, rounds] of [
    [NAMES.nodes, ofService],
    [NAMES.postgres, ofPostgres],
  ] as const) {
    if (rounds === 0) continue;
    const server = await startPostgres({ durable: true });
    try {
      const place = await openPlace({ databaseUrl: server.url, nodes: 2 });
      const disturbance = name === NAMES.nodes ? killNodes(place) : killPostgres(async () => server);
      await campaign(name, place, disturbance, rounds).finally(() => place.stop());
    } finally {
      await server.stop();
    }
  }
}
if (places.includes('citus') && ofWorker > 0) {
  const cluster = await startCluster();
  if ('missing' in cluster) progress(`${NAMES.citus}: not proven, because ${cluster.missing}`);
  else {
    try {
      const place = await openPlace({ databaseUrl: cluster.url, nodes: 2 });
      const disturbance = killPostgres((round) => cluster.workerOf(collectionOf(round)));
      await campaign(NAMES.citus, place, disturbance, ofWorker).finally(() => place.stop());
    } finally {
      await cluster.stop();
    }
  }
}

const TEXT = `
## A round

32 connections write as fast as they are answered: documents are created, replaced, removed and granted to another user;
batches create twenty documents, or change two together so that their values always add up to zero; one list that all
share gets elements appended; files are uploaded and removed. After 0.3 to 1.2 seconds something is killed by SIGKILL:

- **the service, on SQLite**: the only process, and then it is started again;
- **nodes of the service**: one of two nodes, while the clients go on with the other one; in every third round both;
- **Postgres**: its first process, all of its processes at once, or any one of them, in turn. Nodes are not restarted.
- **a Citus worker**: the same with the server that has the documents of the round; the coordinator and the other worker
  go on. Every response in between is correct or a 503. Such a cluster is not part of this repository: \`CITUS_SCRIPT\` names
  the script that starts it, as for \`npm run test:citus\`.

"writes/s" counts every operation of a batch, "requests/s" counts a batch once; both are measured up to the kill. A
request in doubt had no answer, or 503: it may have taken effect or not. Rates depend on the machine, which also runs the
clients and the database.

## Checks after each round

- Every acknowledged write is there, and every acknowledged removal too: documents with the acknowledged content,
  grants (by what the other user's list shows), elements of the list, files with their bytes.
- A write in doubt has taken effect as a whole or not at all: every document is what one of the requests sent, each
  batch is stored as a whole or not at all, pairs add up to zero, and nothing was stored twice.
- The count of the collection is that of its list, and a client that follows the change feed from before the round has
  the same documents in the same versions.
- Every five rounds: a sweep of the housekeeping leaves no bytes without a file, and no file is without its bytes.
- At the end everything of all rounds is checked once more.
`;

showPage(
  {
    name: 'crash',
    title: 'Proof: kill -9',
    headings: HEADINGS,
    order: Object.values(NAMES),
    text: TEXT,
  },
  rows,
  options.write,
);
if (faults > 0) process.exitCode = 1;
