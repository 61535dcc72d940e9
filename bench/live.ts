// Measures change streams: the cost of ten thousand open ones, and the delay of changes, compared with a plain event
// server that stores and checks nothing. `--write` saves the results to LIVE.md.
import { writeFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Database, startDurablePostgres, startSqlite } from './measure/databases.ts';
import { type EventClient, openStreams } from './measure/event-client.ts';
import { type ServerProcess, startProcess } from './measure/processes.ts';
import { ADMIN, APP_CODE, startQuietService } from './measure/quiet-service.ts';
import { cpuSeconds, rssMb } from './measure/usage.ts';
import { machine, table } from './report.ts';

const STREAMS = 10_000;
const PER_USER = 1_000;
const IDLE_SECONDS = 30;
/** Number of changes sent to all streams, one after the other. */
const CHANGES_TO_ALL = 5;
const COLLECTIONS = 10;
const SUBSCRIBERS = 10;
const RATE = 1_000;
const SECONDS = 10;
const BARE = fileURLToPath(new URL('bare/events.ts', import.meta.url));

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a body. @throws if the response is not 2xx */
function post(url: string, headers: Readonly<Record<string, string>>, body: string, method = 'POST'): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, agent, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 300) resolve(text);
        else reject(new Error(`${method} ${url}: ${text}`));
      });
    });
    sent.once('error', reject).end(body);
  });
}

/** Cost of many open streams. */
interface Crowd {
  readonly openedIn: number;
  readonly rss: number;
  readonly idleShare: number;
  /** Median time from sending a change to its arrival at the last stream, in milliseconds. */
  readonly toAll: number;
}

async function crowd(
  server: ServerProcess,
  url: string,
  headersOf: (index: number) => Readonly<Record<string, string>>,
  publish: (body: string) => Promise<unknown>,
): Promise<Crowd> {
  let received = 0;
  let whenAll: () => void = () => undefined;
  const onText = (text: string) => {
    if (text.includes('event: put') && ++received === STREAMS) whenAll();
  };
  const begun = performance.now();
  const streams = await openStreams(url, STREAMS, (index) => ({ headers: headersOf(index), onText }));
  const openedIn = performance.now() - begun;
  await pause(5_000);
  const before = cpuSeconds(server.pid);
  await pause(IDLE_SECONDS * 1_000);
  const idleShare = (cpuSeconds(server.pid) - before) / IDLE_SECONDS;
  const times: number[] = [];
  for (let change = 0; change < CHANGES_TO_ALL; change++) {
    received = 0;
    const all = new Promise<void>((resolve) => {
      whenAll = resolve;
    });
    const from = performance.now();
    await publish(JSON.stringify({ change, text: 'x'.repeat(500) }));
    await all;
    times.push(performance.now() - from);
    await pause(500);
  }
  const rss = rssMb(server.pid);
  for (const stream of streams) stream.close();
  return { openedIn, rss, idleShare, toAll: percentile(times, 0.5) };
}

/** Time from the acknowledgement of a change to its arrival, in milliseconds. */
interface Latency {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

async function latency(
  open: (collection: number, onText: (text: string) => void) => Promise<EventClient[]>,
  publish: (collection: number, body: string) => Promise<unknown>,
): Promise<Latency> {
  const acknowledged = new Map<number, number>();
  const arrivals: Array<readonly [number, number]> = [];
  const streams: EventClient[] = [];
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    const onText = (text: string) => {
      const now = performance.now();
      for (const [, n] of text.matchAll(/"n":(\d+)/g)) arrivals.push([Number(n), now]);
    };
    streams.push(...(await open(collection, onText)));
  }
  await pause(1_000);
  const pending: Promise<void>[] = [];
  const begun = performance.now();
  let n = 0;
  while (n < RATE * SECONDS) {
    const due = Math.min(RATE * SECONDS, Math.floor(((performance.now() - begun) / 1_000) * RATE));
    for (; n < due; n++) {
      const id = n;
      const sent = publish(id % COLLECTIONS, JSON.stringify({ n: id, text: 'x'.repeat(500) }));
      pending.push(sent.then(() => void acknowledged.set(id, performance.now())));
    }
    await pause(5);
  }
  await Promise.all(pending);
  const perSecond = n / ((performance.now() - begun) / 1_000);
  const expected = n * SUBSCRIBERS;
  for (let waited = 0; arrivals.length < expected && waited < 200; waited++) await pause(50);
  if (arrivals.length < expected) throw new Error(`${arrivals.length} of ${expected} changes arrived`);
  for (const stream of streams) stream.close();
  const times = arrivals.map(([id, at]) => Math.max(0, at - (acknowledged.get(id) ?? at)));
  return { perSecond, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

interface Result {
  readonly name: string;
  readonly crowd: Crowd;
  readonly latency: Latency;
}

async function measureService(database: Database): Promise<Result> {
  progress(database.name);
  // All clients of the benchmark are on one network, which may use a quarter of the limit.
  const service = await startQuietService(database, { MAX_STREAMS: String(5 * STREAMS) });
  try {
    const code = { 'x-service-appcode': APP_CODE };
    const set = (path: string, body: string) => post(service.url + path, ADMIN, body, 'PUT');
    const names = ['wall', ...Array.from({ length: COLLECTIONS }, (_, n) => `room${n}`)];
    for (const name of names) {
      await post(`${service.url}/admin/collection/${name}`, ADMIN, '');
      await set(`/admin/collection/${name}/rules`, '{"read":["registereduser"]}');
    }
    await set('/admin/configuration/Application/changes.streams.per.user', `{"value":"${PER_USER}"}`);
    const users: Array<Readonly<Record<string, string>>> = [];
    for (let n = 0; n < STREAMS / PER_USER; n++) {
      const body = JSON.stringify({ username: `user${n}`, password: 'secret' });
      const { data } = JSON.parse(await post(`${service.url}/user`, code, body));
      users.push({ ...code, 'x-bb-session': data['X-BB-SESSION'] });
    }
    const stream = (name: string) => `${service.url}/changes/stream?collection=${name}`;
    const headersOf = (index: number) => users[index % users.length] ?? {};
    const publish = (name: string, body: string) => post(`${service.url}/document/${name}`, ADMIN, body);
    const open = (collection: number, onText: (text: string) => void) =>
      openStreams(stream(`room${collection}`), SUBSCRIBERS, (index) => ({ headers: headersOf(index), onText }));
    const latencies = await latency(open, (collection, body) => publish(`room${collection}`, body));
    const costs = await crowd(service, stream('wall'), headersOf, (body) => publish('wall', body));
    return { name: database.name, crowd: costs, latency: latencies };
  } finally {
    await service.stop();
  }
}

async function measureBare(): Promise<Result> {
  progress('bare');
  // One server per collection, because the server does not distinguish streams.
  const rooms: ServerProcess[] = [];
  const server = await startProcess([process.execPath, BARE], {}, '/ready');
  try {
    for (let n = 0; n < COLLECTIONS; n++) rooms.push(await startProcess([process.execPath, BARE], {}, '/ready'));
    const urlOf = (collection: number) => `${rooms[collection]?.url}/`;
    const open = (collection: number, onText: (text: string) => void) =>
      openStreams(urlOf(collection), SUBSCRIBERS, () => ({ headers: {}, onText }));
    const latencies = await latency(open, (collection, body) => post(urlOf(collection), {}, body));
    const costs = await crowd(
      server,
      `${server.url}/`,
      () => ({}),
      (body) => post(server.url, {}, body),
    );
    return { name: 'bare Node, nothing stored or checked', crowd: costs, latency: latencies };
  } finally {
    for (const room of rooms) await room.stop();
    await server.stop();
  }
}

const results = [
  await measureService(await startSqlite()),
  await measureService(await startDurablePostgres()),
  await measureBare(),
];
agent.destroy();

const mark = (value: number, goal: number, unit: string, digits = 0) =>
  `${value.toFixed(digits)} ${unit}${value <= goal ? '' : ' (missed)'}`;
const crowdRows = results.map(({ name, crowd: { openedIn, rss, idleShare, toAll } }) => [
  name,
  `${(openedIn / 1_000).toFixed(1)} s`,
  mark(rss, 1_024, 'MB'),
  mark(idleShare * 100, 5, '%', 1),
  mark(toAll, 2_000, 'ms'),
]);
const latencyRows = results.map(({ name, latency: { perSecond, p50, p99 } }) => [
  name,
  Math.round(perSecond).toLocaleString('en'),
  `${p50.toFixed(0)} ms`,
  mark(p99, 250, 'ms'),
]);
const text = `# Streams of changes, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

## ${STREAMS.toLocaleString('en')} open streams on one process

${table(['Server', 'opened in', 'resident (goal ≤ 1 GB)', 'idle processor (goal ≤ 5 %)', 'one change to all (goal ≤ 2 s)'], crowdRows)}

The streams belong to ${STREAMS / PER_USER} users who may read the collection. Idle: over ${IDLE_SECONDS} s, heartbeats and checks of the sessions included. One
change to all: from sending the request that stores 500 bytes to the arrival at the last stream, median of ${CHANGES_TO_ALL}.

## ${RATE.toLocaleString('en')} changes a second, each to ${SUBSCRIBERS} of ${COLLECTIONS * SUBSCRIBERS} streams

${table(['Server', 'changes/s', 'p50', 'p99 (goal ≤ 250 ms)'], latencyRows)}

From the acknowledgement of a change to its arrival, over ${SECONDS} s; every change arrived at every stream. The clients are one
process on the same machine. Run it again with \`npm run bench -- live\`.
`;
process.stdout.write(text);
if (options.write) writeFileSync(new URL('LIVE.md', import.meta.url), text);
