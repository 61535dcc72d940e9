import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';

let backends: TestBackend[];
let one: World;
let two: World;

beforeAll(async () => {
  backends = await Promise.all([
    createTestBackend({ appCode: 'one', adminPassword: 'first' }),
    createTestBackend({ appCode: 'two', adminPassword: 'second' }),
  ]);
  const [first, second] = backends;
  if (first === undefined || second === undefined) throw new Error('this test needs two backends');
  [one, two] = [createWorld(first), createWorld(second)];
});
afterAll(() => Promise.all(backends.map((backend) => backend.close())));

it('gives each of two backends in one process its own application code', async () => {
  const { token } = await one.user();
  expect((await one.call('GET', '/user', { token })).status).toBe(200);
  expect((await one.call('GET', '/user', { token, appCode: 'two' })).status).toBe(400);
  expect((await two.call('GET', '/user', { appCode: 'one' })).status).toBe(400);
});

it('gives each backend its own users, administrator and sessions', async () => {
  const { token } = await one.user('ann');
  await two.user('ann');
  expect((await two.call('GET', '/user', { token })).status).toBe(401);
  for (const [world, right, wrong] of [
    [one, 'first', 'second'],
    [two, 'second', 'first'],
  ] as const) {
    const login = (password: string) => world.call('POST', '/login', { body: { username: 'admin', password } });
    expect((await login(right)).status).toBe(200);
    expect((await login(wrong)).status).toBe(401);
  }
});

it('gives each backend its own collections and documents', async () => {
  const { token } = await one.user();
  const collection = await one.collection();
  const { data } = await one.call('POST', `/document/${collection}`, { token, body: { a: 1 } });
  const admin = { token: await two.admin() };
  expect((await two.call('GET', `/document/${collection}`, admin)).status).toBe(404);
  expect((await two.call('GET', `/document/${data.id}`, admin)).status).toBe(404);
});

it('closes one backend without affecting the other', async () => {
  const third = await createTestBackend({ appCode: 'three' });
  const world = createWorld(third);
  await world.user();
  await third.close();
  expect((await one.call('GET', '/health/ready')).status).toBe(200);
  await one.user();
});
