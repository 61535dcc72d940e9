import { join } from 'node:path';
import { faultsOf, feedCursor } from './checks.ts';
import { sweepLater, unmatched } from './files-kept.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Place } from './place.ts';
import { startLoad } from './workload.ts';

const WORKERS = 32;
/** Minimum number of acknowledged requests before a kill, independent of the speed of the machine. */
const LEAST_BEFORE = 100;
/** Rounds between two sweeps, which are slow. */
const SWEEP_EVERY = 5;
const MIN_LOAD_MS = 300;
const MAX_LOAD_MS = 1_200;

/** A disturbance in the middle of a round's load. */
export interface Disturbance {
  /** Waits for the right moment under load. */
  aim?(round: number): Promise<void>;
  /** Kills a process; resolves when it is dead. */
  strike(round: number): Promise<void>;
  /** Restores operation. `load` reports the clients' results meanwhile. */
  recover(
    round: number,
    load: { reached(acknowledged: number): Promise<void>; readonly ledger: Ledger },
  ): Promise<void>;
  /** True if clients are served during the recovery. */
  readonly isServedMeanwhile: boolean;
}

export interface Figures {
  rounds: number;
  /** Number of rounds without problems. */
  good: number;
  /** Number of acknowledged requests before the strikes. */
  requests: number;
  writes: number;
  /** Time under load before the strikes, in seconds. */
  seconds: number;
  /** Number of requests without a response or with status 503. */
  lost: number;
  /** Milliseconds from each strike to full recovery. */
  readonly recoveries: number[];
  /** Number of blobs without a row right after the kills, and after the sweeps. */
  orphansBefore: number;
  orphansAfter: number;
  readonly faults: string[];
}

/** Returns the key of the collection that a round writes to. */
export const collectionOf = (round: number) => `round-${round}`;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function targetOf({ client, nodes, viewer, reader }: Place) {
  return {
    client,
    writer: viewer().writer,
    reader,
    address(worker: number): string | null {
      const up = nodes.filter((node) => node.isUp());
      return up[worker % up.length]?.url ?? null;
    },
  };
}

async function prepare(place: Place, collection: string) {
  const viewer = place.viewer();
  const { client, address, admin, writer } = viewer;
  const ledger = createLedger(collection);
  await client.expect('POST', `${address}/admin/collection/${collection}`, { token: admin });
  const since = await feedCursor(viewer);
  const { body } = await client.expect('POST', `${address}/document/${collection}`, {
    token: writer,
    body: { items: [] },
  });
  ledger.shared = body.data.id;
  return { ledger, since };
}

/** Runs the housekeeping without concurrent writes. Afterwards, every blob must have a row and vice versa. */
async function sweep(place: Place, figures: Figures, turn: number): Promise<void> {
  const blobs = join(place.folder, 'blobs');
  figures.orphansBefore += (await unmatched(place.viewer(), blobs)).orphans;
  await sweepLater(place.databaseUrl, blobs, turn);
  const { orphans, rowsWithoutBytes } = await unmatched(place.viewer(), blobs);
  figures.orphansAfter += orphans;
  if (orphans > 0) figures.faults.push(`${orphans} blobs without a row are left after a sweep`);
  if (rowsWithoutBytes > 0) figures.faults.push(`${rowsWithoutBytes} files have no bytes`);
}

/** Runs one round: load, a strike in its middle, recovery, checks. Resolves to the problems found. */
async function playRound(place: Place, disturbance: Disturbance, round: number, figures: Figures) {
  const { ledger, since } = await prepare(place, collectionOf(round));
  const load = startLoad(targetOf(place), ledger, WORKERS);
  const began = performance.now();
  await load.reached(LEAST_BEFORE);
  await pause(MIN_LOAD_MS + Math.random() * (MAX_LOAD_MS - MIN_LOAD_MS));
  await disturbance.aim?.(round);
  figures.seconds += (performance.now() - began) / 1000;
  figures.requests += ledger.acknowledged;
  figures.writes += ledger.writes;

  const struck = performance.now();
  const ending = disturbance.isServedMeanwhile ? null : load.stop();
  await disturbance.strike(round);
  await ending;
  await disturbance.recover(round, { ledger, reached: load.reached });
  figures.recoveries.push(performance.now() - struck);
  await load.stop();
  figures.lost += ledger.lost;
  return { ledger, faults: await faultsOf(place.viewer(round), ledger, since) };
}

/** Runs rounds, fewer after a stop signal, and finally checks the remains of all of them. */
export async function playRounds(
  place: Place,
  disturbance: Disturbance,
  { rounds, progress }: { readonly rounds: number; readonly progress: (line: string) => void },
): Promise<Figures> {
  const figures: Figures = {
    rounds: 0,
    good: 0,
    requests: 0,
    writes: 0,
    seconds: 0,
    lost: 0,
    recoveries: [],
    orphansBefore: 0,
    orphansAfter: 0,
    faults: [],
  };
  const ledgers: Ledger[] = [];
  let last = rounds;
  process.once('SIGTERM', () => {
    last = figures.rounds;
  });
  try {
    for (let round = 1; round <= last; round++) {
      figures.rounds++;
      const { ledger, faults } = await playRound(place, disturbance, round, figures);
      if (faults.length === 0) figures.good++;
      figures.faults.push(...faults.map((fault) => `round ${round}: ${fault}`));
      ledgers.push(ledger);
      if (round % SWEEP_EVERY === 0 || round === last) await sweep(place, figures, Math.ceil(round / SWEEP_EVERY));
      const rate = Math.round(figures.writes / figures.seconds);
      progress(
        `round ${round}: ${ledger.writes} writes, ${rate}/s so far, ${faults.length} faults ${faults.join('; ')}`,
      );
    }
    for (const ledger of ledgers) {
      const faults = await faultsOf(place.viewer(), ledger, null);
      figures.faults.push(...faults.map((fault) => `at the end, ${ledger.collection}: ${fault}`));
    }
  } catch (error) {
    const log = place.nodes.map((node) => node.log()).join('\n');
    figures.faults.push(
      `the rounds ended in round ${figures.rounds}: ${error instanceof Error ? error.message : error}\n${log}`,
    );
  }
  return figures;
}
