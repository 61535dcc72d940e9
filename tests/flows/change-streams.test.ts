import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { type ClusterWorld, expectOk, startCluster } from '../support/cluster-world.ts';
import { CLUSTER_SETTINGS, twoNodesOnPostgres, twoWorkersOnSqlite } from '../support/clusters.ts';
import { openStream, type StreamClient } from '../support/streams.ts';

const APP_CODE = CLUSTER_SETTINGS.APP_CODE;

describe.each([
  ['two nodes on Postgres', twoNodesOnPostgres],
  ['two workers on SQLite', twoWorkersOnSqlite],
])('streams of %s', (_name, create) => {
  let world: ClusterWorld;
  const open: StreamClient[] = [];

  const person = () => world.person();
  const collection = () => world.collection();

  /** Streams of one caller, several on each address. */
  async function everywhere(query: string, token: string): Promise<StreamClient[]> {
    const streams = await Promise.all(
      world.addresses.flatMap((address) =>
        [1, 2, 3].map(() => openStream(address, query, { token, appCode: APP_CODE })),
      ),
    );
    open.push(...streams);
    for (const stream of streams) await stream.line('ready');
    return streams;
  }

  beforeAll(async () => {
    world = await startCluster(create);
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  afterAll(() => world.close());

  it('have what is changed anywhere', async () => {
    const [owner, name] = [await person(), await collection()];
    const streams = await everywhere(`collection=${name}`, owner.token);
    const { data } = await expectOk(world.here('POST', `/document/${name}`, { token: owner.token, body: { n: 1 } }));
    await expectOk(world.here('PUT', `/document/${name}/${data.id}`, { token: owner.token, body: { n: 2 } }));
    for (const stream of streams) await stream.line(`put 2 ${data.id}`);
    await expectOk(world.here('DELETE', `/document/${name}/${data.id}`, { token: owner.token }));
    for (const stream of streams) await stream.line(`gone ${data.id}`);
  });

  it('end everywhere with their session', async () => {
    const [owner, other, name] = [await person(), await person(), await collection()];
    const streams = await everywhere(`collection=${name}`, owner.token);
    const others = await everywhere(`collection=${name}`, other.token);
    await expectOk(world.here('PUT', `/admin/user/suspend/${owner.name}`, { token: world.admin, body: {} }));
    for (const stream of streams) await stream.line('end session.invalid');
    for (const stream of streams) await stream.ended();
    expect(others.some(({ hasEnded }) => hasEnded)).toBe(false);
  });

  it('end when the service stops, and resume elsewhere with nothing lost', async () => {
    const [owner, name] = [await person(), await collection()];
    const streams = await everywhere(`collection=${name}`, owner.token);
    const { data: first } = await expectOk(
      world.here('POST', `/document/${name}`, { token: owner.token, body: { n: 1 } }),
    );
    for (const stream of streams) await stream.line(`put 1 ${first.id}`);
    const [node, remaining] = world.nodes;
    node?.kill('SIGTERM');
    const own = streams.slice(0, remaining === undefined ? streams.length : 3);
    for (const stream of own) await stream.line('end service.stopping');
    expect((await node?.exit)?.code).toBe(0);
    if (remaining === undefined) return; // nobody else serves this file
    const there = createClient(world.addresses[1] ?? '', APP_CODE);
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
