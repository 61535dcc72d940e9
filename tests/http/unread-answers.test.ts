import type { Socket } from 'node:net';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { until } from '../support/patience.ts';
import { connected, head, openSocket } from '../support/sockets.ts';

const MEGABYTE = 1_000_000;
/** One caller may use a quarter: one page of eight documents fits, two do not. */
const MAX_UNREAD_BYTES = 48 * MEGABYTE;

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function prepare() {
  const backend = await createTestBackend({ maxUnreadBytes: MAX_UNREAD_BYTES });
  opened.push(backend);
  const world = createWorld(backend);
  const shelf = await createShelf(world);
  for (let n = 0; n < 8; n++) {
    const { id } = await shelf.create({ n, text: 'x'.repeat(MEGABYTE) });
    await shelf.share(id, 'read/role/registered');
  }
  const url = `/document/${shelf.collection}`;
  const list = (token: string) => world.call('GET', url, { token });
  const port = await openSocket(backend.app);
  const sockets: Socket[] = [];

  /** Requests the list and never reads the answer. */
  async function ask(token: string): Promise<void> {
    const socket = await connected(port);
    socket.pause();
    sockets.push(socket);
    opened.push({ close: () => socket.destroy() });
    socket.write(head('GET', url, { 'x-service-appcode': backend.appCode, 'x-bb-session': token }));
  }
  async function unread(): Promise<number> {
    const { text } = await world.call('GET', '/metrics', { basic: ['admin', backend.adminPassword] });
    return Number(/^baobab_answers_unread_bytes (\d+)/m.exec(text)?.[1]);
  }
  return { world, shelf, list, ask, sockets, unread };
}

it('rejects callers who leave large answers unread, and no others', async () => {
  const { world, shelf, list, ask, sockets, unread } = await prepare();
  const { token } = shelf.owner;
  const other = await world.user();
  for (let n = 0; n < 8; n++) await ask(token);
  await until(async () => (await list(token)).status === 503);
  const refused = await list(token);
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(refused.body.code).toBe('service.answers_unread');
  // Two pages of eight, but not sixteen more.
  expect(await unread()).toBeLessThan(17 * MEGABYTE);
  expect((await list(other.token)).data).toHaveLength(8);
  const write = await world.call('POST', `/document/${shelf.collection}`, { token, body: { n: 9 } });
  expect(write.status).toBe(200);

  for (const socket of sockets) socket.destroy();
  await until(async () => (await list(token)).status === 200);
  await until(async () => (await unread()) === 0);
});

it('counts no answer whose client has gone before it is ready', async () => {
  const { shelf, ask, sockets, unread, list } = await prepare();
  for (let n = 0; n < 20; n++) await ask(shelf.owner.token).then(() => sockets.at(-1)?.destroy());
  await until(async () => (await list(shelf.owner.token)).status === 200);
  await until(async () => (await unread()) === 0);
});

it('rejects everybody’s large answers when the memory for them is used up, but no small ones', async () => {
  const { world, shelf, list, ask, unread } = await prepare();
  for (let n = 0; n < 4; n++) {
    const { token } = await world.user();
    for (const _ of [1, 2]) await ask(token);
  }
  await until(async () => (await unread()) >= MAX_UNREAD_BYTES);
  const { token } = await world.user();
  expect((await list(token)).status).toBe(503);
  expect((await world.call('GET', '/me', { token })).status).toBe(200);
  const { id } = await shelf.create({ n: 10 });
  expect((await world.call('GET', shelf.path(id), { token: shelf.owner.token })).status).toBe(200);
});
