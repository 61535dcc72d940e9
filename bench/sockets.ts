// Measures sockets of GET /live: the memory of many idle ones, and the rate of writes with and without subscribers.
// `--write` saves the results to SOCKETS.md; `--writes` measures only the writes,
// `--rounds=` shortens a run during development.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { median } from './measure/compare.ts';
import { startSqlite } from './measure/databases.ts';
import { ADMIN, APP_CODE, startQuietService } from './measure/quiet-service.ts';
import { cpuSeconds, rssMb } from './measure/usage.ts';
import { machine, table } from './report.ts';

const SOCKETS = 5_000;
const SUBSCRIPTIONS = 2;
const USERS = 20;
const SUBSCRIBERS = 1_000;
const WRITERS = 8;
const SECONDS = 5;
const GOAL = 0.9;

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    writes: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
});
const ROUNDS = Number(options.rounds);
const progress = (line: string) => process.stderr.write(`bench: ${line}\n`);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

// All clients of the benchmark are on one network, which may use a quarter of the limit.
const service = await startQuietService(await startSqlite(), {
  MAX_STREAMS: String(5 * SOCKETS * SUBSCRIPTIONS),
});
const headers = { ...ADMIN, 'content-type': 'application/json' };

/** @throws if the response is not 2xx */
async function call(method: string, path: string, body: unknown = {}): Promise<{ data: Record<string, string> }> {
  const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

type Subscription = Readonly<Record<string, unknown>>;

/** Opens sockets with these subscriptions each. Resolves when all are ready. */
async function open(
  count: number,
  tokens: readonly string[],
  subscriptionsOf: (socket: number) => readonly Subscription[],
  onPut: () => void = () => undefined,
) {
  let [ready, wanted] = [0, 0];
  const sockets: WebSocket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = new WebSocket(`${service.url.replace(/^http/, 'ws')}/live`, 'baobab.v1');
    sockets.push(socket);
    socket.addEventListener('message', ({ data }) => {
      if (String(data).startsWith('{"type":"ready"')) ready++;
      if (String(data).startsWith('{"type":"put"')) onPut();
    });
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('a socket was refused')));
    });
    socket.send(JSON.stringify({ type: 'hello', appCode: APP_CODE, session: tokens[at % tokens.length] }));
    for (const [id, subscription] of subscriptionsOf(at).entries()) {
      wanted++;
      socket.send(JSON.stringify({ type: 'subscribe', id, ...subscription }));
    }
  }
  while (ready < wanted) await pause(50);
  return sockets;
}

interface Writes {
  readonly perSecond: number;
  /** Processor time of the server for each write, in seconds. */
  readonly cpu: number;
}

type Write = (count: number) => Promise<{ data: Record<string, string> }>;

const contentOf = (n: number) => ({ n, text: 'x'.repeat(500) });
/** Stores a document, each with another `n` below the number of subscribers. */
const create: Write = (count) => call('POST', '/document/wall', contentOf(count % SUBSCRIBERS));
/** Number of documents that are updated in turn. */
const UPDATED = 400;
/** Their ids. */
const updated: string[] = [];
const update: Write = (count) =>
  call('PUT', `/document/wall/${updated[count % updated.length]}`, contentOf(SUBSCRIBERS));

/** The server knows the states of documents that have changed while somebody follows them. */
async function updateAll(): Promise<void> {
  for (let n = 0; n < UPDATED; n++) await update(n);
  await pause(2_000);
}

/** Writes with concurrent writers. */
async function measureWrites(one: Write): Promise<Writes> {
  const [begun, cpu] = [performance.now(), cpuSeconds(service.pid)];
  let count = 0;
  const write = async () => {
    while (performance.now() - begun < SECONDS * 1_000) await one(count++);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return {
    perSecond: (count * 1_000) / (performance.now() - begun),
    cpu: (cpuSeconds(service.pid) - cpu) / count,
  };
}

/** Subscriptions that are open during writes to `wall`. */
const FOLLOWED: ReadonlyArray<readonly [name: string, subscription: (socket: number) => Subscription, write: Write]> = [
  ['of another collection', () => ({ collection: 'quiet' }), create],
  ['whose filter matches none', () => ({ collection: 'wall', where: 'n = ?', params: [-1] }), create],
  [
    'whose filters match one in a thousand',
    (socket) => ({ collection: 'wall', where: 'n = ?', params: [socket] }),
    create,
  ],
  ['whose filter is a range and matches none', () => ({ collection: 'wall', where: 'n < ?', params: [0] }), create],
  [
    'whose filters match no updated document',
    (socket) => ({ collection: 'wall', where: 'n = ?', params: [socket] }),
    update,
  ],
];

/** Compares writes with subscribers to writes without, in alternation. */
async function compareWrites(tokens: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (let n = 0; n < UPDATED; n++) updated.push((await create(n)).data.id ?? '');
  await measureWrites(create); // warms up
  for (const [name, subscription, write] of FOLLOWED) {
    progress(`writes with subscribers ${name}`);
    const rounds: Array<readonly [alone: Writes, followed: Writes]> = [];
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await measureWrites(write);
      const sockets = await open(SUBSCRIBERS, tokens, (at) => [subscription(at)]);
      if (write === update) await updateAll();
      rounds.push([alone, await measureWrites(write)]);
      for (const socket of sockets) socket.close();
      await pause(1_000);
    }
    const rate = median(rounds.map(([alone, followed]) => followed.perSecond / alone.perSecond));
    const cpu = median(rounds.map(([alone, followed]) => followed.cpu / alone.cpu));
    rows.push([name, `${rate.toFixed(2)}${rate >= GOAL ? '' : ' (missed)'}`, cpu.toFixed(2)]);
  }
  return rows;
}

/** Measures the memory of many idle sockets, and the time of one change to all of them. */
async function measureIdle(tokens: readonly string[]): Promise<string> {
  progress('idle sockets');
  const before = rssMb(service.pid);
  let puts = 0;
  const both = Array.from({ length: SUBSCRIPTIONS }, () => ({ collection: 'wall' }));
  const onPut = () => {
    puts++;
  };
  const sockets = await open(SOCKETS, tokens, () => both, onPut);
  await pause(15_000);
  const idle = rssMb(service.pid);
  const from = performance.now();
  await call('POST', '/document/wall', { text: 'x'.repeat(500) });
  while (puts < SOCKETS * SUBSCRIPTIONS) await pause(5);
  const toAll = performance.now() - from;
  for (const socket of sockets) socket.close();

  const rows = [
    ['resident memory', `${idle.toFixed(0)} MB (${before.toFixed(0)} MB before)`, '≤ 1,024 MB'],
    ['one change to all subscriptions', `${(toAll / 1_000).toFixed(2)} s`, '≤ 2 s'],
  ];
  const name = `${SOCKETS.toLocaleString('en')} sockets with ${SUBSCRIPTIONS} subscriptions each, SQLite`;
  return table([name, 'measured', 'goal'], rows);
}

try {
  for (const name of ['wall', 'quiet']) {
    await call('POST', `/admin/collection/${name}`);
    await call('PUT', `/admin/collection/${name}/rules`, { read: ['registereduser'] });
  }
  await call('PUT', '/admin/configuration/Application/changes.streams.per.user', { value: '1000' });
  const tokens: string[] = [];
  for (let n = 0; n < USERS; n++) {
    const { data } = await call('POST', '/user', { username: `user${n}`, password: 'secret' });
    tokens.push(data['X-BB-SESSION'] ?? '');
  }

  const writes = await compareWrites(tokens);
  const writesTable = table(['1,000 subscribers', `rate (goal ≥ ${GOAL})`, 'processor time of the server'], writes);
  process.stdout.write(`${writesTable}\n`);
  if (!options.writes) {
    const text = `# Sockets, measured ${new Date().toISOString().slice(0, 10)}

${machine()}

${await measureIdle(tokens)}

## Writes with subscribers, to writes without

${writesTable}

Each subscriber is a socket. ${WRITERS} writers store or update documents for ${SECONDS} s, with and without subscribers in alternation; median of
${ROUNDS} rounds. The clients are one process on the same machine. Run it again with \`npm run bench -- sockets\`.
`;
    process.stdout.write(text);
    if (options.write) writeFileSync(new URL('SOCKETS.md', import.meta.url), text);
  }
} finally {
  await service.stop();
}
process.exit(0);
