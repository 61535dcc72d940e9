import { createPostgresStorage } from '@baobab/adapters/postgres';
import { accessScopeOfUser, addUser } from '@baobab/contracts/storage';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../support/client.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch, until } from '../support/patience.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/program.ts';
import { openStream } from '../support/streams.ts';

const APP_CODE = 'code';
const ADMIN_PASSWORD = 'admin password';
const DOCUMENTS = 30;

let primary: PostgresServer;
let replica: PostgresServer;
let replay: Sql;
let programs: readonly Program[] = [];
let nodes: readonly Client[] = [];
const cleanups: Array<() => unknown> = [];

beforeAll(async () => {
  primary = await startPostgres();
  cleanups.push(primary.stop);
  replica = await startPostgres({ replicaOf: primary });
  cleanups.push(replica.stop);
  replay = postgres(replica.url, { max: 1, onnotice: () => undefined });
  cleanups.push(() => replay.end());
  const env = {
    APP_CODE,
    ADMIN_PASSWORD,
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    BLOB_URL: 'memory:',
    SECRET_KEY: 'k'.repeat(32),
    RATE_LIMIT: 'off',
  };
  programs = [startProgram(env), startProgram(env)];
  for (const program of programs) cleanups.push(() => program.dispose());
  nodes = await Promise.all(programs.map(async (program) => createClient(await program.ready(), APP_CODE)));
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

const authorization = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

async function gauge(node: Client, name: string): Promise<number> {
  const { text } = await node('GET', '/metrics', { headers: { authorization } });
  return Number(new RegExp(`^baobab_${name} (\\d+)`, 'm').exec(text)?.[1]);
}

const replicaReads = (node: Client) => gauge(node, 'database_replica_reads');

async function signUp(node: Client, username: string): Promise<string> {
  const { data, text } = await node('POST', '/user', { body: { username, password: 'secret' } });
  if (data === undefined) throw new Error(text);
  return data['X-BB-SESSION'];
}

const asUser = (token: string | null) => (token === null ? {} : { token });

async function counted(node: Client, token: string | null, collection = 'notes'): Promise<number> {
  const { data, text } = await node('GET', `/document/${collection}?count=true`, asUser(token));
  if (data?.[0] === undefined) throw new Error(text);
  return data[0].count;
}

const onEach = <T>(work: (node: Client) => Promise<T>) => Promise.all(nodes.map(work));

/** Until both nodes read this user's lists from the replica, or those of anonymous callers when null. */
async function untilReplicaServes(token: string | null, collection?: string): Promise<void> {
  await onEach((node) =>
    expect
      .poll(
        async () => {
          const before = await replicaReads(node);
          await counted(node, token, collection);
          return (await replicaReads(node)) - before;
        },
        { interval: 100 },
      )
      .toBeGreaterThan(0),
  );
}

describe('lists with a streaming replica and two nodes', () => {
  it('show everybody their own writes at once, on either node, while the replica is behind', async () => {
    const [first, second] = nodes as [Client, Client];
    await first('POST', '/admin/collection/notes', { headers: { authorization } });
    await first('PUT', '/admin/collection/notes/rules', { headers: { authorization }, body: { read: ['registered'] } });
    const [writer, reader] = [await signUp(first, 'writer'), await signUp(first, 'reader')];
    await untilReplicaServes(reader);
    await untilReplicaServes(writer);

    await replay`select pg_wal_replay_pause()`;
    for (let i = 1; i <= DOCUMENTS; i++) {
      const [here, there] = i % 2 === 0 ? [first, second] : [second, first];
      const { status } = await here('POST', '/document/notes', { token: writer, body: { n: i } });
      expect(status).toBe(200);
      const listed = await there('GET', `/document/notes?where=n%3D${i}`, { token: writer });
      expect(listed.data).toHaveLength(1);
      expect([await counted(there, writer), await counted(here, writer)]).toEqual([i, i]);
    }
    // Streams that continue from a list begin with a current one, for every caller.
    const sync = await second('GET', '/changes?collection=notes&since=0', { token: reader });
    expect(sync.data).toHaveLength(DOCUMENTS);
    // The holder of a key is no user.
    const body = { name: 'import', role: 'administrator', current_password: ADMIN_PASSWORD };
    const made = await first('POST', '/admin/key', { headers: { authorization }, body });
    const byKey = { headers: { authorization: `Bearer ${made.data.key}` } };
    expect((await first('POST', '/document/notes', { ...byKey, body: { n: 0 } })).status).toBe(200);
    for (const node of nodes) expect((await node('GET', '/document/notes?where=n%3D0', byKey)).data).toHaveLength(1);
    // Others read the replica, which has none of them yet, as long as it is not too far behind.
    await onEach(async (node) => {
      const before = await replicaReads(node);
      const count = await counted(node, reader);
      expect(count).toBe((await replicaReads(node)) > before ? 0 : DOCUMENTS + 1);
    });
  });

  it('are read from the replica again when it has everything that the user wrote', async () => {
    const writer = await signUp(nodes[0] as Client, 'late');
    await replay`select pg_wal_replay_resume()`;
    await untilReplicaServes(writer);
    // The documents are others': the replica may serve this user before it has them.
    await expect.poll(() => onEach((node) => counted(node, writer))).toEqual([DOCUMENTS + 1, DOCUMENTS + 1]);
  });

  it('have everything before the events of a stream from which a client goes on', async () => {
    const [first] = nodes as [Client, Client];
    await first('POST', '/admin/collection/shown', { headers: { authorization } });
    const setRules = (rules: object) =>
      first('PUT', '/admin/collection/shown/rules', { headers: { authorization }, body: rules });
    await setRules({ read: ['registereduser'] });
    const address = (await programs[1]?.ready()) ?? '';
    const open = (token?: string) => openStream(address, 'collection=shown', { token, appCode: APP_CODE });
    const [early, late] = [await signUp(first, 'early'), await signUp(first, 'latecomer')];
    const add = () => first('POST', '/document/shown', { headers: { authorization }, body: {} });
    const listed = (token?: string) =>
      onEach(async (node) => (await node('GET', '/document/shown', token === undefined ? {} : { token })).data?.length);
    const stream = await open(early);
    cleanups.push(stream.close);
    await stream.line('ready');
    await untilReplicaServes(early);
    await untilReplicaServes(late);

    await replay`select pg_wal_replay_pause()`;
    await add();
    const other = await open(late);
    await other.line('ready');
    expect(await listed(late)).toEqual([1, 1]);
    await setRules({ read: ['registereduser', 'anonymous'] });
    await stream.line('resync rules');
    expect(await listed(early)).toEqual([1, 1]);
    const anonymous = await open();
    await anonymous.line('ready');
    expect(await listed()).toEqual([1, 1]);
    for (const one of [stream, other, anonymous]) one.close();
    await replay`select pg_wal_replay_resume()`;
  });

  it('have everything before a cursor that an anonymous caller was given', async () => {
    const [first, second] = nodes as [Client, Client];
    await untilReplicaServes(null, 'shown');
    await replay`select pg_wal_replay_pause()`;
    await first('POST', '/document/shown', { headers: { authorization }, body: {} });
    const sync = await second('GET', '/changes?collection=shown&since=0');
    expect(sync.data).toHaveLength(2);
    expect(await onEach((node) => counted(node, null, 'shown'))).toEqual([2, 2]);
    await replay`select pg_wal_replay_resume()`;
  });

  it('are read from the replica while every connection to the database is in use', async () => {
    const options = { url: primary.url, readUrls: [replica.url], logger: silentLogger };
    const storage = createPostgresStorage({ ...options, connections: 1, maxWaiting: 0 });
    storage.signals.subscribe(() => undefined);
    const ann = await addUser(storage, 'Ann');
    const [begun, done] = [createLatch(), createLatch()];
    const end = storage.transaction(() => {
      begun.open();
      return done.opened;
    });
    await begun.opened;
    const scope = { ...accessScopeOfUser(ann.id), everything: true };
    const count = () => storage.documents.count('notes', scope, null);
    await expect(count()).rejects.toMatchObject({ code: 'storage.unavailable' });
    // It begins to listen for the writes of others, and trusts replicas later.
    let counts = -1;
    await until(async () => {
      counts = (await count().catch(() => null)) ?? -1;
      return counts !== -1;
    });
    expect(counts).toBe(DOCUMENTS + 1);
    done.open();
    await end;
    await storage.close();
  });

  it('are read from the database when the replica is gone', async () => {
    const reader = await signUp(nodes[0] as Client, 'last');
    await untilReplicaServes(reader);
    await replay.end();
    await replica.stop();
    expect(await onEach((node) => counted(node, reader))).toEqual([DOCUMENTS + 1, DOCUMENTS + 1]);
    await onEach((node) => expect.poll(() => gauge(node, 'database_replicas_ready')).toBe(0));
  });
});
