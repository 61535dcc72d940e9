import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createAuthority } from '../support/certificates.ts';
import { createClient } from '../support/client.ts';
import { type ClusterWorld, expectOk, startCluster } from '../support/cluster-world.ts';
import { CLUSTER_SETTINGS, twoNodesOnPostgres, twoWorkersOnSqlite } from '../support/clusters.ts';
import { createFolder } from '../support/databases.ts';
import { type LiveSocket, openLive } from '../support/live-sockets.ts';
import { startNginx } from '../support/nginx.ts';
import { until } from '../support/patience.ts';

const { APP_CODE } = CLUSTER_SETTINGS;

describe.each([
  ['two nodes on Postgres', twoNodesOnPostgres],
  ['two workers on SQLite', twoWorkersOnSqlite],
])('sockets of %s', (_name, create) => {
  let world: ClusterWorld;
  const open: LiveSocket[] = [];

  const person = () => world.person();
  const collection = () => world.collection();

  async function socket(address: string, token: string): Promise<LiveSocket> {
    const opened = await openLive(address, { hello: { appCode: APP_CODE, session: token } });
    open.push(opened);
    await opened.line('welcome');
    return opened;
  }

  /** Sockets of one caller, several on each address, each with a subscription. */
  async function everywhere(name: string, token: string): Promise<LiveSocket[]> {
    const sockets = await Promise.all(
      world.addresses.flatMap((address) => [1, 2, 3].map(() => socket(address, token))),
    );
    for (const one of sockets) one.send({ type: 'subscribe', id: 1, collection: name });
    for (const one of sockets) await one.line('ready 1');
    return sockets;
  }

  beforeAll(async () => {
    world = await startCluster(create);
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  afterAll(() => world.close());

  it('have what is changed anywhere, and end everywhere with their session', async () => {
    const [owner, other, name] = [await person(), await person(), await collection()];
    const sockets = await everywhere(name, owner.token);
    const others = await everywhere(name, other.token);
    const { data } = await expectOk(world.here('POST', `/document/${name}`, { token: owner.token, body: { n: 1 } }));
    for (const one of sockets) expect((await one.line('put 1 1')).data.id).toBe(data.id);
    await expectOk(world.here('PUT', `/admin/user/suspend/${owner.name}`, { token: world.admin, body: {} }));
    for (const one of sockets) expect(await one.closed()).toBe(4401);
    expect(others.every((one) => one.socket.readyState === WebSocket.OPEN)).toBe(true);
  });

  it('work with TLS in front', async () => {
    const folder = createFolder();
    const { certFile, keyFile } = createAuthority(folder.path, 'live').issue('localhost', ['IP:127.0.0.1']);
    const proxy = await startNginx(
      (port) => `server {
        listen 127.0.0.1:${port} ssl;
        ssl_certificate ${certFile};
        ssl_certificate_key ${keyFile};
        location / {
          proxy_pass ${world.addresses[0]};
          proxy_http_version 1.1;
          proxy_set_header Upgrade $http_upgrade;
          proxy_set_header Connection upgrade;
        }
      }`,
    );
    try {
      const live = await openLive(proxy.url.replace('http:', 'https:'), {
        hello: { appCode: APP_CODE, session: (await person()).token },
        rejectUnauthorized: false,
      });
      open.push(live);
      await live.line('welcome');
    } finally {
      await proxy.stop();
      folder.remove();
    }
  });

  it('are closed when the client no longer answers', async () => {
    const silent = new WebSocket(`${(world.addresses[0] ?? '').replace(/^http/, 'ws')}/live`, 'baobab.v1', {
      autoPong: false,
      headers: { 'x-service-appcode': APP_CODE },
    });
    const answering = await socket(world.addresses[0] ?? '', (await person()).token);
    let isClosed = false;
    silent.on('close', () => {
      isClosed = true;
    });
    await until(() => isClosed);
    expect(answering.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('close with 1012 when the service stops, and resume elsewhere with nothing lost', async () => {
    const [owner, name] = [await person(), await collection()];
    const sockets = await everywhere(name, owner.token);
    const { data: first } = await expectOk(
      world.here('POST', `/document/${name}`, { token: owner.token, body: { n: 1 } }),
    );
    for (const one of sockets) await one.line('put 1 1');
    const { cursor } = (await sockets[0]?.line('put 1 1')) ?? {};
    const [node, remaining] = world.nodes;
    node?.kill('SIGTERM');
    const own = sockets.slice(0, remaining === undefined ? sockets.length : 3);
    for (const one of own) expect(await one.closed()).toBe(1012);
    expect((await node?.exit)?.code).toBe(0);
    if (remaining === undefined) return; // nobody else serves this file
    const there = createClient(world.addresses[1] ?? '', APP_CODE);
    await expectOk(there('PUT', `/document/${name}/${first.id}`, { token: owner.token, body: { n: 2 } }));
    const resumed = await socket(there.address, owner.token);
    resumed.send({ type: 'subscribe', id: 5, collection: name, since: cursor });
    await resumed.line('put 5 2');
    for (const one of sockets.slice(3)) await one.line('put 1 2');
  });
});
