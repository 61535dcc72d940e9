import { createArgon2Passwords } from '@baobab/adapters/argon2';
import { addUser } from '@baobab/contracts/storage';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { expectStatus } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

/** Names that could be taken before they were reserved or refused. */
const OLDER = ['suspend', 'sessions', 'root', '..', '.', 'x/../vic', 'a\\b', '50%', 'why?', 'a#b'];
/** A backend does not share the storage in memory. */
const SHARED = Object.entries(STORAGES).filter(([name]) => name !== 'memory');

describe.each(SHARED)('users with names older than the rules, on %s', (_storage, open) => {
  let storage: TestStorage;
  let backend: TestBackend;
  let world: World;
  let ids: ReadonlyMap<string, string>;

  beforeAll(async () => {
    storage = await open();
    const hashing = createArgon2Passwords({ memoryCost: 64, timeCost: 1, concurrency: 1, maxWaiting: 10 });
    const passwordHash = await hashing.hash('secret');
    const users = await Promise.all(
      ['vic', ...OLDER, ...OLDER.map((name) => `${name}2`)].map((name) =>
        addUser(storage.storage, name, { passwordHash }),
      ),
    );
    ids = new Map(users.map(({ name, id }) => [name, id]));
    backend = await createTestBackend({ databaseUrl: storage.url });
    world = createWorld(backend);
  });
  afterAll(async () => {
    await backend.close();
    await storage.dispose();
  });

  const login = (username: string) => world.call('POST', '/login', { body: { username, password: 'secret' } });

  it.each(OLDER)('log in, and rename themselves: %s', async (name) => {
    const older = `${name}2`;
    const { data } = await expectStatus(login(older), 200);
    const username = world.unique('renamed');
    await expectStatus(world.call('PUT', '/me', { token: data['X-BB-SESSION'], body: { username: older } }), 200);
    await expectStatus(world.call('PUT', '/me/username', { token: data['X-BB-SESSION'], body: { username } }), 200);
    await expectStatus(login(username), 200);
  });

  it.each(OLDER)('are suspended, renamed and removed by their ids: %s', async (name) => {
    const [token, id] = [await world.admin(), ids.get(name) ?? ''];
    const path = `/admin/user/${id.toUpperCase()}`;
    await expectStatus(world.call('PUT', `/admin/user/suspend/${id}`, { token }), 200);
    await expectStatus(login(name), 401);
    const username = world.unique('renamed');
    await expectStatus(world.call('PUT', path, { token, body: { username } }), 200);
    await expectStatus(world.call('GET', `/user/${username}`, { token }), 200);
    await expectStatus(world.call('DELETE', path, { token }), 200);
    expectCode(await world.call('DELETE', path, { token }), 404, 'user.not_found');
    await expectStatus(login('vic'), 200);
  });

  it('cannot make the built-in administrator reachable by the id', async () => {
    const token = await world.admin();
    const { data } = await world.call('GET', '/me', { token });
    for (const [method, path, body] of [
      ['DELETE', `/admin/user/${data.id}`],
      ['PUT', `/admin/user/suspend/${data.id}`],
      ['PUT', `/admin/user/${data.id}`, { username: 'somebody' }],
    ] as const) {
      expectCode(await world.call(method, path, { token, ...(body && { body }) }), 400, 'user.internal');
    }
  });

  it('cannot be imitated by a name that looks like an id', async () => {
    const [id = ''] = ids.values();
    expectCode(await world.call('POST', '/user', { body: { username: id, password: 'x' } }), 400, 'user.name_invalid');
  });
});
