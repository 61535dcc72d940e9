import { createNodeSecrets } from '@baobab/adapters/system';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { openPostgres, type TestStorage } from '../support/databases.ts';

const NODES = 3;
let storage: TestStorage;
let backends: TestBackend[] = [];
let worlds: World[] = [];

beforeAll(async () => {
  storage = await openPostgres();
  // Nodes of one service have one secret key.
  const shared = { secrets: createNodeSecrets('a key that nodes share'.repeat(2)), clock: createHandDrivenClock() };
  const options = { databaseUrl: storage.url, rateLimit: true, ...shared };
  for (let i = 0; i < NODES; i++) backends.push(await createTestBackend(options));
  worlds = backends.map((backend) => createWorld(backend));
});
afterAll(async () => {
  for (const backend of backends) await backend.close();
  backends = [];
  await storage.dispose();
});

it.each([0, 5, 150])('three nodes together examine ten of 200 guesses, the right one being number %i', async (at) => {
  const [first] = worlds;
  const name = `ann${at}`;
  const signedUp = await first?.call('POST', '/user', { body: { username: name, password: 'secret' } });
  const { client } = signedUp?.data ?? {};
  const login = (node: number, password: string, more: object = {}) => {
    const world = worlds[node % NODES];
    if (world === undefined) throw new Error('there is no such node');
    return world.call('POST', '/login', { from: `192.0.2.${node}`, body: { username: name, password, ...more } });
  };
  const guesses = Array.from({ length: 200 }, (_, i) => login(i, i === at ? 'secret' : `wrong ${i}`));
  // The owner gets in meanwhile, on every node.
  const owners = Array.from({ length: NODES }, (_, node) => login(node, 'secret', { client }));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200 || status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(190);
  expect((await Promise.all(owners)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await login(1, 'secret')).status).toBe(429);
});
