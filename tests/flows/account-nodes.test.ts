import { createNodeSecrets } from '@baobab/adapters/system';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { openPostgres, type TestStorage } from '../support/databases.ts';
import { expectStatus, loginAs, setSettings } from '../support/people.ts';

const clock = createHandDrivenClock();
const backends: TestBackend[] = [];
let storage: TestStorage;
let here: World;
let there: World;

beforeAll(async () => {
  storage = await openPostgres();
  const options = { databaseUrl: storage.url, secrets: createNodeSecrets('a key that nodes share'.repeat(2)), clock };
  const [first, second] = [await createTestBackend(options), await createTestBackend(options)];
  backends.push(first, second);
  [here, there] = [createWorld(first), createWorld(second)];
});
afterAll(async () => {
  for (const backend of backends) await backend.close();
  await storage.dispose();
});

const statusThere = async (token: string) => (await there.call('GET', '/me', { token })).status;

it('a login on one node ends the surplus session on the other', async () => {
  const { name, token } = await here.user();
  expect(await statusThere(token)).toBe(200);
  await setSettings(here, 'Application', { 'session_tokens.max.per.user': 1 });
  const second = await loginAs(here, name);
  expect([await statusThere(token), await statusThere(second)]).toEqual([401, 200]);
  const logins = Array.from({ length: 50 }, (_, i) => loginAs(i % 2 === 0 ? here : there, name));
  const tokens = [second, ...(await Promise.all(logins))];
  const statuses = await Promise.all(tokens.map(statusThere));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  await setSettings(here, 'Application', { 'session_tokens.max.per.user': 0 });
});

it('a guest who becomes permanent on one node has the new name and the usual session on the other', async () => {
  await setSettings(here, 'Application', { 'guests.allowed': true });
  const { data } = await expectStatus(here.call('POST', '/user/guest'), 201);
  const token = data['X-BB-SESSION'] as string;
  expect(await statusThere(token)).toBe(200);
  const body = { username: 'gina', password: 'secret' };
  await expectStatus(here.call('PUT', '/me/credentials', { token, body }), 200);
  const collection = await here.collection();
  const created = await expectStatus(there.call('POST', `/document/${collection}`, { token, body: {} }), 200);
  expect(created.data._author).toBe('gina');
  expect((await there.call('GET', '/me', { token })).data).not.toHaveProperty('guest');
  clock.advance(16 * MINUTE);
  expect(await statusThere(token)).toBe(401);
});
