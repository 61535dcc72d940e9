// Simulates bad networks between the server and Postgres, and between the server and S3. `--on` is postgres, s3 or
// both; `--seconds` is the duration of each fault, `--long` the duration of those that drop packets; `--write` saves
// the results to docs/proof/fault.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { type Kind, openTraffic, type Traffic } from './fault/traffic.ts';
import { command, showPage, today, whole } from './page.ts';
import { openPlace, type Place } from './place.ts';
import { type BadNetwork, type Network, startProxy } from './proxy.ts';
import { BUCKET, startS3 } from './s3.ts';

const { values: options } = parseArgs({
  options: {
    on: { type: 'string', default: 'postgres,s3' },
    seconds: { type: 'string', default: '10' },
    long: { type: 'string', default: '60' },
    write: { type: 'boolean', default: false },
  },
});
const progress = (line: string) => process.stderr.write(`prove: ${line}\n`);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const SECOND = 1000;

/** Sum of all waits in `docs/limits.md`, plus a margin for a busy machine. Milliseconds. */
const ANSWER_LIMIT_MS = 55_000;
/** Maximum time for full recovery after the network is restored, in milliseconds. */
const RECOVERY_LIMIT_MS = 60_000;
const CONNECTIONS = 10;
/** A node opens one more connection to listen; another may be in progress to replace it. */
const MOST_CONNECTIONS = CONNECTIONS + 2;
const RESET_EVERY_MS = 500;

interface Fault {
  readonly name: string;
  readonly network: Network;
  readonly isLong?: boolean;
  /** Resets all connections repeatedly. */
  readonly resets?: boolean;
}

const FAULTS: readonly Fault[] = [
  { name: 'delay of 100 to 300 ms', network: { delay: 100, jitter: 200 } },
  { name: '32 kB/s for each connection', network: { bytesPerSecond: 32_768 } },
  { name: '1 % of the packets reset the connection', network: { resets: 0.01 } },
  { name: 'all connections are reset twice a second', network: {}, resets: true },
  { name: 'connections are refused', network: { refuses: true }, resets: true },
  { name: 'half-open: answers do not arrive', network: { holds: 'answers' }, isLong: true },
  { name: 'black hole: nothing arrives', network: { holds: 'everything' }, isLong: true },
];

async function during({ network, isLong, resets }: Fault, proxy: BadNetwork): Promise<void> {
  proxy.set(network);
  const timer = resets ? setInterval(() => proxy.reset(), RESET_EVERY_MS) : undefined;
  if (resets) proxy.reset();
  await pause(Number(isLong ? options.long : options.seconds) * SECOND);
  clearInterval(timer);
  proxy.set({});
}

/** Returns the milliseconds until every worker succeeds; null if one does not. */
async function recovery(traffic: Traffic): Promise<number | null> {
  const lifted = performance.now();
  while (performance.now() - lifted < RECOVERY_LIMIT_MS) {
    if (traffic.areAllWellSince(lifted)) return performance.now() - lifted;
    await pause(20);
  }
  return null;
}

const HEADINGS = [
  'Network',
  'made by',
  'lasted',
  'answers',
  'of these 503',
  'longest answer',
  'longest answer of what needs no S3',
  'all well again after',
  'acknowledged, and lost',
  'faults',
] as const;

interface Setting {
  readonly place: Place;
  readonly proxy: BadNetwork;
  readonly kinds: readonly Kind[];
  /** Returns problems with connections after the fault. */
  readonly leftovers: () => Promise<string[]>;
}

const seconds = (ms: number) => `${(ms / SECOND).toFixed(1)} s`;

async function play(target: string, fault: Fault, { place, proxy, kinds, leftovers }: Setting): Promise<string[]> {
  const traffic = await openTraffic(place, kinds);
  await pause(SECOND);
  await during(fault, proxy);
  const recovered = await recovery(traffic);
  await traffic.stop();
  const { answers, odd, longest, longestAside } = traffic.figures();
  const lost = await traffic.lost();
  const wrong = [
    ...odd,
    ...(recovered === null ? [`not well ${RECOVERY_LIMIT_MS} ms after the network was`] : []),
    ...(longest > ANSWER_LIMIT_MS ? [`an answer took ${seconds(longest)}`] : []),
    ...lost.map((id) => `${id} was acknowledged and is lost`),
    ...(await leftovers()),
  ];
  const name = `${target}: ${fault.name}`;
  progress(
    `${name}: ${JSON.stringify({ ...Object.fromEntries(answers), recovered, longest, wrong: wrong.slice(0, 5) })}`,
  );
  const all = Array.from(answers.values()).reduce((sum, n) => sum + n, 0);
  return [
    name,
    `${today()}, \`${command()}\``,
    `${fault.isLong ? options.long : options.seconds} s`,
    whole(all),
    whole(answers.get(503) ?? 0),
    seconds(longest),
    longestAside === null ? '' : seconds(longestAside),
    recovered === null ? 'never' : seconds(recovered),
    `${whole(traffic.acknowledged())}, ${lost.length}`,
    wrong.length === 0 ? '0' : `${wrong.length}: ${wrong[0]?.replaceAll('|', '/')}`,
  ];
}

async function onPostgres(): Promise<string[][]> {
  const server = await startPostgres({ durable: true });
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const url = new URL(server.url);
  url.port = String(proxy.port);
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  const place = await openPlace({ databaseUrl: url.href, nodes: 1 });
  try {
    const leftovers = async () => {
      const [row] =
        await sql`select count(*)::int as all, count(*) filter (where state like 'idle in trans%')::int as idle
        from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
      const open = proxy.open();
      return [
        ...(row?.idle > 0 ? [`${row?.idle} transactions are left open`] : []),
        ...(open > MOST_CONNECTIONS ? [`${open} connections are open`] : []),
      ];
    };
    const rows: string[][] = [];
    for (const fault of FAULTS) {
      rows.push(await play('Postgres', fault, { place, proxy, kinds: ['read', 'list', 'create'], leftovers }));
    }
    return rows;
  } finally {
    await place.stop();
    await proxy.close();
    await sql.end();
    await server.stop();
  }
}

async function onS3(): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-s3-'));
  const server = await startS3(folder);
  const proxy = await startProxy({ host: '127.0.0.1', port: server.port });
  const variables = () => ({
    BLOB_URL: `s3://${BUCKET}/prove?endpoint=${encodeURIComponent(`http://127.0.0.1:${proxy.port}`)}`,
    AWS_ACCESS_KEY_ID: 'prove',
    AWS_SECRET_ACCESS_KEY: 'prove',
  });
  const place = await openPlace({ databaseUrl: null, nodes: 1, variables });
  try {
    const rows: string[][] = [];
    for (const fault of FAULTS) {
      rows.push(
        await play('S3', fault, { place, proxy, kinds: ['upload', 'download', 'read'], leftovers: async () => [] }),
      );
    }
    return rows;
  } finally {
    await place.stop();
    await proxy.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const TEXT = `
## Simulated networks

A proxy between one node and its server plays each network in turn, while 12 connections send requests: with Postgres
they read a document, list documents and create documents; with S3 they upload files, download files and, on one third
of the connections, read documents, which do not need S3. Lost packets are held back until the network has recovered, as
TCP resends them. The node is never restarted.

## Checks

- Every request gets an answer within the [limits of requests](../limits.md#how-long-a-request-waits): the
  requested one, or 503.
- After the network has recovered, every connection gets correct responses.
- Nothing that was acknowledged is lost.
- On Postgres no transaction is left open, and no more connections than \`DATABASE_CONNECTIONS\` and the one that listens.
`;

const targets: Readonly<Record<string, { name: string; run: () => Promise<string[][]> }>> = {
  postgres: { name: 'Postgres', run: onPostgres },
  s3: { name: 'S3', run: onS3 },
};
const rows: string[][] = [];
for (const one of options.on.split(',')) rows.push(...((await targets[one]?.run()) ?? []));
showPage(
  {
    name: 'fault',
    title: 'Proof: bad networks',
    headings: HEADINGS,
    order: Object.values(targets).flatMap(({ name }) => FAULTS.map((fault) => `${name}: ${fault.name}`)),
    text: TEXT,
  },
  rows,
  options.write,
);
if (rows.some((row) => row.at(-1) !== '0')) process.exitCode = 1;
