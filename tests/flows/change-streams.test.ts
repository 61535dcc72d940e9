import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/backend.ts';
import { type Client, createClient } from '../support/client.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';
import { openStream, type StreamClient } from '../support/streams.ts';

const APP_CODE = 'streams';
const ADMIN_PASSWORD = 'password of the administrator';
const SETTINGS = { SECRET_KEY: 'k'.repeat(40), APP_CODE, ADMIN_PASSWORD, RATE_LIMIT: 'off' };

/** A service, on as many addresses as it has nodes, and what starts another node on the same database. */
interface Cluster {
  readonly nodes: Program[];
  start(): Promise<string>;
  close(): Promise<void>;
}

async function twoNodesOnPostgres(): Promise<Cluster> {
  const database = await createDatabase();
  const nodes: Program[] = [];
  const start = async () => {
    const node = startProgram({ ...SETTINGS, DATABASE_URL: database.url });
    nodes.push(node);
    return node.ready();
  };
  const close = async () => {
    await Promise.all(nodes.map((node) => node.dispose()));
    await database.drop();
  };
  return { nodes, start, close };
}

/** Two processes that share a port and a file: which of them serves a connection is left to the kernel. */
async function twoWorkersOnSqlite(): Promise<Cluster> {
  const folder = createFolder();
  const nodes: Program[] = [];
  const start = async () => {
    const [running] = nodes;
    if (running !== undefined) return running.ready();
    const node = startProgram({ ...SETTINGS, DATA_DIR: folder.path, WORKERS: '2' });
    nodes.push(node);
    const address = await node.ready();
    await node.line('"msg":"all workers serve"');
    return address;
  };
  const close = async () => {
    await Promise.all(nodes.map((node) => node.dispose()));
    folder.remove();
  };
  return { nodes, start, close };
}

describe.each([
  ['two nodes on Postgres', twoNodesOnPostgres],
  ['two workers on SQLite', twoWorkersOnSqlite],
])('streams of %s', (_name, create) => {
  let cluster: Cluster;
  let addresses: readonly string[];
  let here: Client;
  let admin: string;
  let count = 0;
  const open: StreamClient[] = [];

  async function expectOk(answer: Promise<Answer>): Promise<Answer> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`${status}: ${text}`);
    return answer;
  }

  async function person(): Promise<{ name: string; token: string }> {
    const name = `person${++count}`;
    const { data } = await expectOk(here('POST', '/user', { body: { username: name, password: 'secret' } }));
    return { name, token: data['X-BB-SESSION'] };
  }

  async function collection(): Promise<string> {
    const name = `books${++count}`;
    await expectOk(here('POST', `/admin/collection/${name}`, { token: admin, body: {} }));
    return name;
  }

  /** Streams of one caller, several on each address. */
  async function everywhere(query: string, token: string): Promise<StreamClient[]> {
    const streams = await Promise.all(
      addresses.flatMap((address) => [1, 2, 3].map(() => openStream(address, query, { token, appCode: APP_CODE }))),
    );
    open.push(...streams);
    for (const stream of streams) await stream.line('ready');
    return streams;
  }

  beforeAll(async () => {
    cluster = await create();
    addresses = [await cluster.start(), await cluster.start()];
    here = createClient(addresses[0] ?? '', APP_CODE);
    const { data } = await expectOk(here('POST', '/login', { body: { username: 'admin', password: ADMIN_PASSWORD } }));
    admin = data['X-BB-SESSION'];
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  afterAll(() => cluster.close());

  it('have what is changed anywhere', async () => {
    const [owner, name] = [await person(), await collection()];
    const streams = await everywhere(`collection=${name}`, owner.token);
    const { data } = await expectOk(here('POST', `/document/${name}`, { token: owner.token, body: { n: 1 } }));
    await expectOk(here('PUT', `/document/${name}/${data.id}`, { token: owner.token, body: { n: 2 } }));
    for (const stream of streams) await stream.line(`put 2 ${data.id}`);
    await expectOk(here('DELETE', `/document/${name}/${data.id}`, { token: owner.token }));
    for (const stream of streams) await stream.line(`gone ${data.id}`);
  });

  it('end everywhere with their session', async () => {
    const [owner, other, name] = [await person(), await person(), await collection()];
    const streams = await everywhere(`collection=${name}`, owner.token);
    const others = await everywhere(`collection=${name}`, other.token);
    await expectOk(here('PUT', `/admin/user/suspend/${owner.name}`, { token: admin, body: {} }));
    for (const stream of streams) await stream.line('end session.invalid');
    for (const stream of streams) await stream.ended();
    expect(others.some(({ hasEnded }) => hasEnded)).toBe(false);
  });

  it('end when the service stops, and resume elsewhere with nothing lost', async () => {
    const [owner, name] = [await person(), await collection()];
    const streams = await everywhere(`collection=${name}`, owner.token);
    const { data: first } = await expectOk(here('POST', `/document/${name}`, { token: owner.token, body: { n: 1 } }));
    for (const stream of streams) await stream.line(`put 1 ${first.id}`);
    const [node, remaining] = cluster.nodes;
    node?.kill('SIGTERM');
    const own = streams.slice(0, remaining === undefined ? streams.length : 3);
    for (const stream of own) await stream.line('end service.stopping');
    expect((await node?.exit)?.code).toBe(0);
    if (remaining === undefined) return; // nobody else serves this file
    const there = createClient(addresses[1] ?? '', APP_CODE);
    await expectOk(there('PUT', `/document/${name}/${first.id}`, { token: owner.token, body: { n: 2 } }));
    const headers = { 'last-event-id': own[0]?.lastId ?? '' };
    const resumed = await openStream(there.address, `collection=${name}`, {
      token: owner.token,
      appCode: APP_CODE,
      headers,
    });
    open.push(resumed);
    // Another transaction may hold back the feed for a moment: then the change comes after `ready`.
    for (const line of [`put 2 ${first.id}`, 'ready']) await resumed.line(line);
    expect(resumed.lines().toSorted()).toEqual([`put 2 ${first.id}`, 'ready']);
    for (const stream of streams.slice(3)) await stream.line(`put 2 ${first.id}`);
  });
});
