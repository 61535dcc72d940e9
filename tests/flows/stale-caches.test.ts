import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { pause, until } from '../support/patience.ts';
import { pinned } from '../support/pinned.ts';
import type { Program } from '../support/program.ts';
import { createSetUp, type Environment, SETTINGS } from '../support/set-up.ts';

/** Two processes that serve one database. */
interface Pair {
  /** Connections to each of them, two to the one that is going to be stopped. */
  readonly here: Client;
  readonly there: readonly [Client, Client];
  /** Connections to the second one. */
  readonly pid: number;
}

const { cleanups, database, start } = createSetUp();

async function connect(address: string): Promise<Client> {
  const { client, close } = await pinned(address, SETTINGS.APP_CODE);
  cleanups.push(close);
  return client;
}

/** Process that responds: it marks the requests that it receives. */
async function markOf(call: Client): Promise<string> {
  const id = String((await call('GET', '/health/live')).headers['x-request-id']);
  return id.slice(0, id.lastIndexOf('-'));
}

function suspend(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  cleanups.push(() => resume(pid));
}

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}

/** Worker with this process id. The other one responds while it is suspended. */
async function pairOf(program: Program, address: string): Promise<Pair> {
  const byMark = new Map<string, Client[]>();
  const isEnough = () => byMark.size === 2 && [...byMark.values()].every(({ length }) => length >= 3);
  await until(async () => {
    const client = await connect(address);
    const mark = await markOf(client);
    byMark.set(mark, [...(byMark.get(mark) ?? []), client]);
    return isEnough();
  });
  const [one = [], two = []] = [...byMark.values()];
  const [pid = 0] = program.children();
  suspend(pid);
  const awake = await Promise.race(
    [one, two].map(async (clients) => (await clients.pop()?.('GET', '/health/live')) && clients),
  );
  resume(pid);
  const [here] = awake ?? [];
  const [first, second] = awake === one ? two : one;
  if (here === undefined || first === undefined || second === undefined) throw new Error('there are no two workers');
  return { here, there: [first, second], pid };
}

async function workers(environment: Environment): Promise<Pair> {
  const program = start({ ...environment, WORKERS: '2' });
  const address = await program.ready();
  await program.line('"msg":"all workers serve"');
  return pairOf(program, address);
}

async function nodes(): Promise<Pair> {
  const environment = { DATABASE_URL: await database() };
  const [one, two] = [start(environment), start(environment)];
  const [here, there] = await Promise.all([one.ready(), two.ready()]);
  return { here: await connect(here), there: [await connect(there), await connect(there)], pid: two.pid };
}

const pairs: ReadonlyArray<readonly [string, () => Promise<Pair>]> = [
  ['two workers on SQLite', () => workers({})],
  ['two workers on Postgres', async () => workers({ DATABASE_URL: await database() })],
  ['two nodes on Postgres', nodes],
];

const basic = (name: string, password: string) => ({
  headers: { authorization: `Basic ${btoa(`${name}:${password}`)}` },
});

async function signUp(call: Client, username: string): Promise<string> {
  return (await call('POST', '/user', { body: { username, password: 'old' } })).data['X-BB-SESSION'];
}

async function changePassword(call: Client, name: string): Promise<number> {
  const body = { old: 'old', new: 'new' };
  return (await call('PUT', '/me/password', { ...basic(name, 'old'), body })).status;
}

async function suspendUser(call: Client, name: string): Promise<number> {
  const admin = basic('admin', SETTINGS.ADMIN_PASSWORD);
  return (await call('PUT', `/admin/user/suspend/${name}`, { ...admin, body: {} })).status;
}

describe.each(pairs)('%s', (_name, open) => {
  // One pair for both tests.
  let pair: Pair;
  const closing: Array<() => unknown> = [];
  beforeAll(async () => {
    pair = await open();
    closing.push(...cleanups.splice(0));
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it('return nothing that an acknowledged change has invalidated', async () => {
    const { here, there } = pair;
    const [call] = there;
    for (let n = 0; n < 16; n++) {
      const name = `ann${n}`;
      const token = await signUp(here, name);
      const statuses = async (password: string) => [
        (await call('GET', '/me', { token })).status,
        (await call('GET', '/me', basic(name, password))).status,
      ];
      expect(await statuses('old')).toEqual([200, 200]);
      expect(await statuses('old')).toEqual([200, 200]);
      const change = n % 2 === 0 ? changePassword : suspendUser;
      expect(await change(here, name)).toBe(200);
      expect(await statuses('old')).toEqual([401, 401]);
    }
  });

  it('apply the rules and the schema of a collection as soon as a change is acknowledged', async () => {
    const { here, there } = await open();
    const [call] = there;
    const admin = basic('admin', SETTINGS.ADMIN_PASSWORD);
    const [token, other] = [await signUp(here, 'ann'), await signUp(here, 'bob')];
    expect((await here('POST', '/admin/collection/books', { ...admin, body: {} })).status).toBe(201);
    const { id } = (await here('POST', '/document/books', { token, body: {} })).data;
    for (let n = 0; n < 8; n++) {
      const read = n % 2 === 0 ? ['registereduser'] : [];
      expect((await here('PUT', '/admin/collection/books/rules', { ...admin, body: { read } })).status).toBe(200);
      expect((await call('GET', `/document/books/${id}`, { token: other })).status).toBe(n % 2 === 0 ? 200 : 403);
      const schema = { type: 'object', required: [`f${n}`] };
      expect((await here('PUT', '/admin/collection/books/schema', { ...admin, body: schema })).status).toBe(200);
      expect((await call('POST', '/document/books', { token, body: {} })).status).toBe(400);
      expect((await call('POST', '/document/books', { token, body: { [`f${n}`]: 1 } })).status).toBe(200);
    }
  });

  it('return nothing stale when one of them hangs: the change is acknowledged, and the suspended process trusts no cache', async () => {
    const {
      here,
      there: [first, second],
      pid,
    } = pair;
    const token = await signUp(here, 'ann');
    for (const call of [first, second]) {
      expect((await call('GET', '/me', { token })).status).toBe(200);
      expect((await call('GET', '/me', basic('ann', 'old'))).status).toBe(200);
    }
    suspend(pid);
    expect(await changePassword(here, 'ann')).toBe(200);
    // They wait until it resumes, beside the signals that it has to receive.
    const answers = Promise.all([first('GET', '/me', { token }), second('GET', '/me', basic('ann', 'old'))]);
    await pause(100);
    resume(pid);
    expect((await answers).map(({ status }) => status)).toEqual([401, 401]);
    expect((await second('GET', '/me', basic('ann', 'new'))).status).toBe(200);
    // Changes are acknowledged by both again.
    const key = '/admin/configuration/Application/application.name';
    const admin = basic('admin', SETTINGS.ADMIN_PASSWORD);
    expect((await second('PUT', key, { ...admin, body: { value: 'x' } })).status).toBe(200);
  });
});

describe('several workers', () => {
  it('are ready only while each of them serves', async () => {
    const program = start({ WORKERS: '2' });
    const address = await program.ready();
    await program.line('"msg":"all workers serve"');
    const client = createClient(address, SETTINGS.APP_CODE);
    const isReady = async () => (await client('GET', '/health/ready')).status === 200;
    await until(isReady);
    const pair = await pairOf(program, address);
    suspend(pair.pid);
    const readyHere = async () => (await pair.here('GET', '/health/ready')).status;
    await until(async () => (await readyHere()) === 503);
    resume(pair.pid);
    await until(async () => (await readyHere()) === 200);
    process.kill(pair.pid, 'SIGKILL');
    const serveAgain = () => program.output().split('"msg":"all workers serve"').length === 3;
    // The other worker hears of it after a moment, and a new one soon serves: so each answer on the way counts.
    const statuses: number[] = [];
    while (!serveAgain()) statuses.push(await readyHere());
    expect(statuses).toContain(503);
    await until(async () => (await readyHere()) === 200);
  });
});
