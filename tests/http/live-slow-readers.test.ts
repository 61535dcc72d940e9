import type { Duplex } from 'node:stream';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createWorld } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { type LiveSocket, openLive } from '../support/live-sockets.ts';
import { until } from '../support/patience.ts';
import { expectStatus } from '../support/people.ts';
import { openSocket } from '../support/sockets.ts';

const SUBSCRIPTIONS = 100;
const DOCUMENT_BYTES = 500_000;
const CHANGES = 30;
/** Unread bytes at which a socket waits, one change, and the heads of messages. */
const MAX_UNREAD = 65_536 + DOCUMENT_BYTES + 10_000;
const PING_MS = 5_000;

let backend: TestBackend;
let address: string;
/** Connections of the sockets, in the order of their handshakes. */
const connections: Duplex[] = [];

beforeAll(async () => {
  backend = await createTestBackend();
  backend.app.server.on('upgrade', (_request, connection) => connections.push(connection));
  address = `http://127.0.0.1:${await openSocket(backend.app)}`;
});
afterAll(() => backend.close());

it('closes a socket that is not read with 1013, holds little for it meanwhile, and serves the others', async () => {
  const world = createWorld(backend);
  const { create, path, owner, collection } = await createShelf(world);
  const hello = { appCode: backend.appCode, session: owner.token };
  const [slow, quick] = [await openLive(address, { hello }), await openLive(address, { hello })];
  for (const live of [slow, quick]) {
    const count = live === slow ? SUBSCRIPTIONS : 1;
    for (let id = 0; id < count; id++) live.send({ type: 'subscribe', id, collection });
    await live.line(`ready ${count - 1}`);
  }
  slow.socket.pause();
  // It answers no heartbeat, as it does not read them, and shows by these that it is there.
  const pings = setInterval(() => slow.send({ type: 'ping' }), PING_MS);
  let unread = 0;
  try {
    const { id } = await create({ n: 1 });
    for (let version = 2; version <= CHANGES; version++) {
      const body = { n: version, text: 'x'.repeat(DOCUMENT_BYTES) };
      await expectStatus(world.call('PUT', path(id), { token: owner.token, body }), 200);
      await quick.line(`put 0 ${version}`);
      unread = Math.max(unread, connections[0]?.writableLength ?? 0);
    }
    expect(unread).toBeGreaterThan(65_536);
    expect(unread).toBeLessThan(MAX_UNREAD);
    const cut = async () => {
      const { text } = await world.call('GET', '/metrics', { token: await world.admin() });
      return /^baobab_changes_streams_cut_total [1-9]/m.test(text);
    };
    await until(cut);
    slow.socket.resume();
    await slow.line('end changes.too_slow');
    expect(await slow.closed()).toBe(1013);
  } finally {
    clearInterval(pings);
  }
  await create({ n: 0 });
  await until(() => quick.lines().filter((line) => line === 'put 0 1').length === 2);
  for (const live of [slow, quick]) live.close();
});

it('admits a slow reader to a room whose states together are larger than what may be unread', async () => {
  const world = createWorld(backend);
  const { create, owner, collection } = await createShelf(world);
  const room = `${collection}/${(await create({})).id}`;
  const hello = { appCode: backend.appCode, session: owner.token };
  const open: LiveSocket[] = [];
  async function socket(): Promise<LiveSocket> {
    const live = await openLive(address, { hello });
    open.push(live);
    await live.line('welcome');
    return live;
  }
  const states = Array.from({ length: 70 }, (_, at) => `${at} ${'x'.repeat(16_000)}`);
  for (const state of states) {
    const live = await socket();
    live.send({ type: 'join', room, state });
    await live.line('presence');
  }
  const slow = await socket();
  const connection = connections.at(-1);
  connection?.cork(); // as if the network took nothing
  slow.send({ type: 'join', room, state: 'slow' });
  await until(() => (connection?.writableLength ?? 0) > 65_536);
  connection?.uncork();
  const presence = await slow.line('presence');
  const shown = () =>
    [...presence.members, ...slow.messages.flatMap(({ type, member }) => (type === 'joined' ? [member] : []))].map(
      ({ state }: { state: string }) => state,
    );
  await until(() => shown().length > states.length || slow.socket.readyState !== WebSocket.OPEN);
  expect(shown().toSorted()).toEqual([...states, 'slow'].toSorted());
  for (const live of open) live.close();
});
