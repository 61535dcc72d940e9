// Compares Baobab with similar programs and bare Fastify on the same work. `--write` saves the results to PEERS.md.
// `--only=ours-sqlite,pocketbase`, `--rows=get,create`, `--rounds=`, `--seconds=` and `--quick` (one round of two
// seconds, small collections) shorten a run; `--only=pocketbase-full` is a peer that is otherwise skipped.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { median } from './measure/compare.ts';
import { bareOnPostgres, bareOnSqlite } from './peers/bare.ts';
import { type Cell, measureCell, type Plan } from './peers/cell.ts';
import { oursInTwo, oursOnPostgres, oursOnSqlite } from './peers/ours.ts';
import { parse } from './peers/parse.ts';
import type { Instance, Peer, Place, Sizes } from './peers/peer.ts';
import { durablePocketbase, pocketbase } from './peers/pocketbase.ts';
import { type Column, peersReport } from './peers/report.ts';
import { firstAnswer, ROWS, type Row, START } from './peers/rows.ts';

const PEERS: readonly Peer[] = [
  oursOnSqlite,
  oursInTwo,
  oursOnPostgres,
  pocketbase,
  durablePocketbase,
  parse,
  bareOnSqlite,
  bareOnPostgres,
];
const SIZES: Sizes = { few: 10_000, many: 100_000, changed: 2_000, created: 0 };
const SMALL: Sizes = { few: 2_000, many: 5_000, changed: 500, created: 0 };

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rows: { type: 'string', default: '' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const sizes = options.quick ? SMALL : SIZES;
const plan: Plan = {
  rounds: Number(options.rounds ?? (options.quick ? 1 : 3)),
  seconds: Number(options.seconds ?? (options.quick ? 2 : 3)),
  warmUpSeconds: 1,
  repeats: options.quick ? 0 : 3,
};
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** Returns the items named in a comma-separated list. @throws if it names none of them */
function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  list: string,
  usual: readonly T[],
): readonly T[] {
  if (list === '') return usual;
  const names = list.split(',');
  const unknown = names.filter((name) => all.every((each) => each.name !== name));
  if (unknown.length > 0) throw new Error(`there is no ${unknown}; there are ${all.map(({ name }) => name)}`);
  return all.filter(({ name }) => names.includes(name));
}

const peers = chosen(
  PEERS,
  options.only,
  PEERS.filter(({ isUsual }) => isUsual),
);
const rows = options.rows === START.name ? [] : chosen(ROWS, options.rows, ROWS);

interface Competitor {
  readonly peer: Peer;
  readonly version: string;
  readonly place: Place;
  readonly cells: ReadonlyMap<string, Cell>;
  /** Milliseconds from the start of a process to its first response. */
  readonly starts: number[];
}

/** Starts new processes for these rows and measures them. */
async function measureRows({ place, cells }: Competitor, some: readonly Row[], instance: Instance): Promise<void> {
  for (const row of some) {
    const cell = cells.get(row.name);
    if (cell !== undefined) await measureCell(row, { instance, place, sizes }, plan, cell);
  }
}

async function takeTurn(competitor: Competitor): Promise<void> {
  const { place, peer } = competitor;
  await place.settle();
  const began = performance.now();
  const instance = await place.start(false);
  try {
    await firstAnswer(instance, place);
    competitor.starts.push(performance.now() - began);
    await measureRows(
      competitor,
      rows.filter(({ isForLogins }) => !isForLogins),
      instance,
    );
  } finally {
    await instance.stop();
  }
  const forLogins = rows.filter(({ isForLogins }) => isForLogins);
  if (forLogins.length > 0 && place.api.logIn !== undefined) {
    const another = await place.start(true);
    await measureRows(competitor, forLogins, another).finally(() => another.stop());
  }
  // Otherwise the database would do its maintenance while another peer is measured.
  await place.settle();
  progress(`${peer.title}: round ${competitor.starts.length} of ${plan.rounds}`);
}

const began = performance.now();
const competitors: Competitor[] = [];
try {
  for (const peer of peers) {
    progress(`${peer.title}: getting the program`);
    const version = await peer.install();
    progress(`${peer.title}: storing documents`);
    const place = await peer.fill(sizes);
    const cells = new Map(rows.map(({ name }): [string, Cell] => [name, { samples: [], repeated: 0, failure: null }]));
    competitors.push({ peer, version, place, cells, starts: [] });
  }
  for (let round = 0; round < plan.rounds; round++) {
    const order = [...competitors.slice(round), ...competitors.slice(0, round)];
    for (const competitor of order) await takeTurn(competitor);
  }
} finally {
  for (const { place } of competitors) await place.remove();
}

const columns = competitors.map(
  ({ peer, version, cells, starts }): Column => ({
    peer,
    version,
    cells,
    startMs: starts.length === 0 ? null : median(starts),
  }),
);
const text = peersReport({ columns, rows, plan, sizes, seconds: (performance.now() - began) / 1_000 });
process.stdout.write(text);
if (options.write) writeFileSync(new URL('PEERS.md', import.meta.url), text);
if (columns.some(({ cells }) => [...cells.values()].some(({ failure }) => failure !== null))) process.exitCode = 1;
