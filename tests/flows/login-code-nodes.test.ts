import { createNodeSecrets } from '@baobab/adapters/system';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { createWorld, type World } from '../support/backend.ts';
import { openPostgres, type TestStorage } from '../support/databases.ts';
import { expectStatus, setSettings } from '../support/people.ts';

const NODES = 2;
let storage: TestStorage;
let backends: TestBackend[] = [];
let worlds: World[] = [];

beforeAll(async () => {
  storage = await openPostgres();
  // Nodes of one service have one secret key.
  const shared = {
    secrets: createNodeSecrets('a key that nodes share'.repeat(2)),
    publicUrl: 'https://app.example.com',
  };
  for (let i = 0; i < NODES; i++) backends.push(await createTestBackend({ databaseUrl: storage.url, ...shared }));
  worlds = backends.map((backend) => createWorld(backend));
});
afterAll(async () => {
  for (const backend of backends) await backend.close();
  backends = [];
  await storage.dispose();
});

const node = (i: number): World => {
  const world = worlds[i % NODES];
  if (world === undefined) throw new Error('there is no such node');
  return world;
};

it.each([0, 1, 2])('two nodes accept a code once, when it is used 50 times at once (%i)', async () => {
  const [here, there] = [node(0), node(1)];
  const mailbox = createMailbox(here);
  await mailbox.setUp();
  await setSettings(here, 'Application', { 'login.by.mail': true });
  const { name, email } = await mailbox.verifiedUser();
  const body = { username: name };
  const { challenge } = (await expectStatus(there.call('POST', '/login/code', { body }), 200)).data;
  await there.backend.deliver();
  const { code } = await createMailbox(there).mailTo(email);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => node(i).call('POST', '/login/code/confirm', { body: { challenge, code } })),
  );
  const tokens = answers.flatMap(({ status, data }) => (status === 200 ? [data['X-BB-SESSION']] : []));
  expect(tokens).toHaveLength(1);
  for (const world of worlds) {
    const { data } = await expectStatus(world.call('GET', '/me', { token: tokens[0] }), 200);
    expect(data.user.name).toBe(name);
  }
});

it('a node lets a user in whose address was verified on the other one a moment ago', async () => {
  const [here, there] = [node(0), node(1)];
  const mailbox = createMailbox(here);
  await setSettings(here, 'Application', { 'registration.verified.email': true });
  const [username, email] = [here.unique('ann'), mailbox.unique()];
  const credentials = { username, password: 'secret' };
  await expectStatus(here.call('POST', '/user', { body: { ...credentials, email } }), 201);
  const basic = [username, 'secret'] as const;
  for (const world of worlds) {
    expect((await world.call('GET', '/me', { basic })).body.code).toBe('auth.email_unverified');
  }
  const { code } = await mailbox.mailTo(email);
  await expectStatus(here.call('POST', `/user/${username}/email/confirm`, { body: { code } }), 200);
  await expectStatus(there.call('GET', '/me', { basic }), 200);
  await expectStatus(there.call('POST', '/login', { body: { ...credentials, username: email } }), 200);
});
