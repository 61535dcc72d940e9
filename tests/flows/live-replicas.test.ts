import { afterEach, describe, expect, it } from 'vitest';
import { createRandom } from '../support/authorization/steps.ts';
import { createSender } from '../support/live/http.ts';
import { createReplica, type Replica } from '../support/live/replica.ts';
import { COLLECTIONS, createTraffic, type Traffic } from '../support/live/traffic.ts';
import { pause } from '../support/patience.ts';
import type { Program } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

/** Clients that follow the feed. 200 and 100,000 changes make the acceptance run of the feed. */
const CLIENTS = Number(process.env.LIVE_CLIENTS ?? 20);
const CHANGES = Number(process.env.LIVE_CHANGES ?? 800);
const STOPS = Number(process.env.LIVE_STOPS ?? 2);
const SEED = Number(process.env.LIVE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PEOPLE = 20;
const WRITERS = 8;
const MAX_SHOWN = 10;
const LOOK_MS = 20;
/** A run of any size ends within this time on any machine, or never. */
const TIMEOUT_MS = 900_000 + CHANGES * 200;
/** Of this number of clients, one is anonymous, and one is the administrator. */
const TURN = 12;

const setUp = createSetUp();
const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Node {
  program: Program;
  address: string;
  isUp: boolean;
}

async function startCluster() {
  const environment = { ...SETTINGS, DATABASE_URL: await setUp.database(), DRAIN_DELAY_MS: '0' };
  const random = createRandom(SEED);

  async function begin(): Promise<Node> {
    const program = setUp.start(environment);
    return { program, address: await program.ready(), isUp: true };
  }
  const nodes = await Promise.all([begin(), begin()]);

  return {
    /** One of the nodes that have not been told to stop. */
    node: () => random.pick(nodes.filter(({ isUp }) => isUp)).address,
    /** Stops a node and starts it again, at another address, while the other one serves. */
    async replace(at: number, signal: NodeJS.Signals): Promise<void> {
      const node = nodes[at % nodes.length];
      if (node === undefined) return;
      node.isUp = false;
      node.program.kill(signal);
      await node.program.exit;
      Object.assign(node, await begin());
    },
  };
}

function startReplicas({ people, admin }: Traffic, node: () => string, sender: ReturnType<typeof createSender>) {
  const replicas = Array.from({ length: CLIENTS }, (_, at): Replica => {
    const random = createRandom(SEED + 1 + at);
    const common = {
      appCode: SETTINGS.APP_CODE,
      // Only some have the collection whose readers have to read the feed separately.
      collections: at % 3 === 0 ? COLLECTIONS : COLLECTIONS.slice(0, 2),
      random,
      sender,
      node,
      isSocket: at % 2 === 0,
      staysOpen: at % 4 > 1,
    };
    if (at % TURN === 0) return createReplica({ ...common, name: `anonymous`, token: null });
    if (at % TURN === 1) return createReplica({ ...common, ...admin });
    const person = people[at % people.length];
    if (person === undefined) throw new Error('nobody');
    return createReplica({ ...common, ...person });
  });
  closers.push(() => Promise.all(replicas.map((replica) => replica.stop())));
  return replicas;
}

/** Received data that the user of the client may never read. */
function leaks({ canaries }: Traffic, { name, seen }: Replica): string[] {
  if (name === 'admin') return [];
  return Array.from(canaries).flatMap(([id, { reader }]) =>
    seen.has(id) && reader !== name ? [`${name} learned of ${id}, which only ${reader} may read`] : [],
  );
}

async function endure(signal: NodeJS.Signals): Promise<readonly Replica[]> {
  const { node, replace } = await startCluster();
  const sender = createSender(SETTINGS.APP_CODE);
  closers.push(sender.close);
  const traffic = await createTraffic({
    sender,
    node,
    adminPassword: SETTINGS.ADMIN_PASSWORD,
    people: PEOPLE,
    seed: SEED,
  });
  const replicas = startReplicas(traffic, node, sender);
  const began = performance.now();
  const running = traffic.run(CHANGES, WRITERS);
  for (let stop = 1; stop <= STOPS; stop++) {
    while (traffic.changes() < (CHANGES * stop) / (STOPS + 1)) await pause(LOOK_MS);
    await replace(stop, signal);
  }
  await running;
  const wrote = performance.now();
  await traffic.finish();
  await Promise.all(replicas.map((replica) => replica.settle()));
  const settled = performance.now();
  const faults = (await Promise.all(replicas.map((replica) => replica.compare()))).flat();
  expect(faults.slice(0, MAX_SHOWN), `LIVE_SEED=${SEED}`).toEqual([]);
  expect(replicas.flatMap((replica) => leaks(traffic, replica))).toEqual([]);
  report(traffic, replicas, { writing: wrote - began, settling: settled - wrote });
  return replicas;
}

/** Prints the figures of a long run. */
function report(traffic: Traffic, replicas: readonly Replica[], times: Readonly<Record<string, number>>): void {
  if (process.env.LIVE_CHANGES === undefined) return;
  const sum = (what: 'events' | 'connections' | 'resyncs' | 'broken') =>
    replicas.reduce((total, { statistics }) => total + statistics[what], 0);
  const counted = {
    events: sum('events'),
    connections: sum('connections'),
    resyncs: sum('resyncs'),
    broken: sum('broken'),
  };
  const seconds = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Math.round(ms / 100) / 10]));
  const all = { seed: SEED, clients: CLIENTS, changes: traffic.changes(), canaries: traffic.canaries.size, ...counted };
  process.stdout.write(`${JSON.stringify({ ...all, seconds })}\n`);
}

describe(`${CLIENTS} clients of the change feed on two nodes`, { timeout: TIMEOUT_MS }, () => {
  it('end with what a list gives, and learn of nothing that they may not read, when nodes are killed', async () => {
    const replicas = await endure('SIGKILL');
    expect(replicas.every(({ statistics }) => statistics.connections > 1)).toBe(true);
  });

  it('go on without a gap on another node when one is told to stop', async () => {
    const replicas = await endure('SIGTERM');
    const codes = new Set(replicas.flatMap(({ statistics }) => Array.from(statistics.ends.keys())));
    expect(codes).toEqual(new Set(['service.stopping']));
    expect(replicas.filter(({ statistics }) => statistics.broken > 0).map(({ name }) => name)).toEqual([]);
  });
});
