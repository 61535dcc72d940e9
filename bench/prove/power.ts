// Cuts the power of a server on SQLite in the middle of writes and checks for lost data. `--rounds` is the number of
// cuts; with `--lie` the disk acknowledges syncs without performing them, and faults are expected; `--write` saves the
// results to docs/proof/power.md.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { command, showPage, today, whole } from './page.ts';
import { openPlace } from './place.ts';
import { type Cut, cutPower } from './power/cut.ts';
import { type Figures, playRounds } from './rounds.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    lie: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const progress = (line: string) => process.stderr.write(`prove: ${line}\n`);
/** Duration of a sync on a solid-state disk, in microseconds. */
const SYNC_US = 4_000;
/** In every fourth round the power is cut at the start of a checkpoint. */
const AIMED = 4;
/** Maximum wait for a checkpoint under load; afterwards the power is cut without one. Milliseconds. */
const AIM_LIMIT_MS = 3_000;
const SOURCE = fileURLToPath(new URL('power/shim.c', import.meta.url));

/** Compiles the shim. @throws Error without a C compiler */
function compile(folder: string): string {
  const library = join(folder, 'shim.so');
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl', '-pthread'], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('the power shim could not be compiled: it needs Linux and a C compiler (cc)', { cause });
  }
  return library;
}

/** Resolves at the next write to the database file, which only checkpoints make. */
async function nextCheckpoint(database: string): Promise<void> {
  const watching = new AbortController();
  const limit = setTimeout(() => watching.abort(), AIM_LIMIT_MS);
  try {
    await once(watch(database, { signal: watching.signal }), 'change', { signal: watching.signal });
  } catch {
    // No checkpoint began in time.
  } finally {
    clearTimeout(limit);
    watching.abort();
  }
}

async function playCuts(rounds: number): Promise<{ figures: Figures; cuts: Cut[] }> {
  const tools = mkdtempSync(join(tmpdir(), 'baobab-shim-'));
  const library = compile(tools);
  let [trash, journal] = ['', ''];
  const place = await openPlace({
    databaseUrl: null,
    nodes: 1,
    variables(root, folder) {
      // The trash must be on the same file system as the data.
      [trash, journal] = [join(root, 'trash'), join(root, 'journal')];
      mkdirSync(trash);
      writeFileSync(journal, '');
      return {
        LD_PRELOAD: library,
        POWER_ROOT: folder,
        POWER_TRASH: trash,
        POWER_JOURNAL: journal,
        POWER_SYNC_US: String(SYNC_US),
        UV_USE_IO_URING: '0',
        ...(options.lie && { POWER_LIE: 'on' }),
      };
    },
  });
  const cuts: Cut[] = [];
  const [node] = place.nodes;
  const database = join(place.folder, 'baobab.db');
  try {
    const figures = await playRounds(
      place,
      {
        isServedMeanwhile: false,
        aim: async (round) => (round % AIMED === 0 ? nextCheckpoint(database) : undefined),
        strike: async () => node?.kill(),
        async recover(round) {
          const survival = Math.ceil(round / AIMED) % 2 === 0 ? 'some' : 'none';
          cuts.push(cutPower({ folder: place.folder, trash, journal, database, survival, random: Math.random }));
          await node?.start();
        },
      },
      { rounds, progress },
    );
    return { figures, cuts };
  } finally {
    await place.stop();
    rmSync(tools, { recursive: true, force: true });
  }
}

const HEADINGS = [
  'Power cuts',
  'made by',
  'cuts',
  'without a fault',
  'writes/s',
  'acknowledged writes',
  'requests in doubt',
  'unsynced writes at the cuts',
  'unsynced changes of names',
  'checkpoints',
  'cuts during a checkpoint',
  'orphans: after the cuts, after a sweep',
] as const;
const NAMES = { honest: 'SQLite', lying: 'control: a disk that lies about syncs' } as const;

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

function rowOf(name: string, figures: Figures, cuts: readonly Cut[]): string[] {
  const { rounds, good, writes, seconds, lost, orphansBefore, orphansAfter } = figures;
  return [
    name,
    `${today()}, \`${command()}\``,
    whole(rounds),
    whole(good),
    whole(writes / seconds),
    whole(writes),
    whole(lost),
    `${whole(sum(cuts.map(({ unsynced }) => unsynced)))}, ${whole(sum(cuts.map((cut) => cut.unsyncedBytes)) / 1000)} kB`,
    whole(sum(cuts.map(({ names }) => names))),
    whole(sum(cuts.map(({ checkpoints }) => checkpoints))),
    whole(cuts.filter(({ duringCheckpoint }) => duringCheckpoint).length),
    `${orphansBefore}, ${orphansAfter}`,
  ];
}

const TEXT = `
## How power is cut

A library that is preloaded into the service (\`bench/prove/power/shim.c\`, \`LD_PRELOAD\`) notes every write, truncation,
creation, renaming and removal below the data folder, with the replaced bytes, and every \`fsync\` and \`fdatasync\`, of
files and of folders. The load is that of [kill -9](crash.md). After 0.3 to 1.2 seconds the service is killed, and
everything that no sync had covered is taken back: a write until its file was synced, a name until its folder was. The
server starts on the remaining data, with the same checks as after kill -9.

- In four of eight rounds nothing that was not synced survives.
- In the other four half of the sectors (512 bytes) of the unsynced writes survive, chosen at random, so that later
  writes survive without earlier ones and pages are torn; of changes of names the first few survive, in their order, as
  in the journal of a file system.

A sync takes 4 ms. In every fourth round the cut waits for the first write to the database file itself, which is the
beginning of a checkpoint. "checkpoints" are syncs of that file; a cut during a checkpoint finds writes to it that were
not synced.

The control is the same with syncs that the disk acknowledges and does not make: if it found no fault, the proof would
be worth nothing. A server that does not start on the remaining data counts as one.
`;

const name = options.lie ? NAMES.lying : NAMES.honest;
const { figures, cuts } = await playCuts(Number(options.rounds));
for (const fault of figures.faults) progress(`FAULT ${fault}`);
showPage(
  { name: 'power', title: 'Proof: power loss on SQLite', headings: HEADINGS, order: Object.values(NAMES), text: TEXT },
  [rowOf(name, figures, cuts)],
  options.write,
);
if (figures.faults.length > 0 !== options.lie) process.exitCode = 1;
