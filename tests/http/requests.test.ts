import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { adminOf } from '../support/people.ts';

interface Logged {
  readonly id: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly user: string | null;
  readonly key: string | null;
}

describe('GET /admin/requests', () => {
  let backend: TestBackend;
  let world: World;

  beforeAll(async () => {
    backend = await createTestBackend({});
    world = createWorld(backend);
  });
  afterAll(() => backend?.close());

  const admin = (method: string, url: string, body?: unknown) =>
    world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
  const logged = async (query = ''): Promise<readonly Logged[]> => (await admin('GET', `/admin/requests${query}`)).data;
  const setting = (key: string, value: unknown) => admin('PUT', `/admin/configuration/Application/${key}`, { value });

  it('lists the newest requests first, with who sent them, without queries and secrets', async () => {
    const ann = await world.user();
    await world.call('GET', '/document/nothing?where=secret%3D1', { token: ann.token });
    await world.call('GET', '/user/password/reset/not-a-real-token');
    // Requests are logged after their answer.
    await expect.poll(async () => (await logged())[0]).toMatchObject({ method: 'GET', user: null, key: null });
    const [newest, before] = await logged();
    expect(newest?.path).not.toContain('not-a-real-token');
    expect(before).toMatchObject({ path: '/document/nothing', status: 404, user: ann.name, key: null });
    expect(before?.ms).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(await logged())).not.toMatch(/secret|"body"|"headers"/);
  });

  it('filters by status, class of status, path and user, and limits the number', async () => {
    const bob = await world.user();
    for (let n = 0; n < 3; n++) await world.call('GET', '/me', { token: bob.token });
    await world.call('GET', '/me');
    const own = await logged(`?user=${bob.name}&path=/me`);
    expect(own.map(({ status, user }) => [status, user])).toEqual([
      [200, bob.name],
      [200, bob.name],
      [200, bob.name],
    ]);
    expect(await logged(`?user=${bob.name}&limit=2`)).toHaveLength(2);
    expect((await logged('?status=401')).every(({ status }) => status === 401)).toBe(true);
    expect((await logged('?status=4xx')).every(({ status }) => status >= 400 && status < 500)).toBe(true);
    for (const query of ['?status=many', '?limit=0', '?limit=501', '?other=1'])
      expect((await admin('GET', `/admin/requests${query}`)).status).toBe(400);
  });

  it('is for administrators only', async () => {
    const eve = await world.user();
    expect((await world.call('GET', '/admin/requests', { token: eve.token })).status).toBe(403);
    expect((await world.call('GET', '/admin/requests')).status).toBe(401);
  });

  it('does not log health checks', async () => {
    await world.call('GET', '/health/live');
    expect(await logged('?path=/health')).toEqual([]);
  });

  it('logs changes and failures of administrators, but not their reads', async () => {
    await setting('requests.log.size', 1000);
    await admin('GET', '/admin/nothing');
    await admin('GET', '/admin/traffic');
    expect((await logged('?limit=2')).map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/admin/nothing', 404],
      ['PUT', '/admin/configuration/Application/requests.log.size', 200],
    ]);
  });

  it('keeps as many requests as the settings say, and which', async () => {
    await setting('requests.log.size', 5);
    const isShort = async () => {
      await world.call('GET', '/me');
      return (await logged('?limit=500')).length <= 5;
    };
    await expect.poll(isShort).toBe(true);
    await setting('requests.log.level', 'errors');
    const hasOnlyErrors = async () => {
      await world.call('GET', '/me');
      return (await logged()).every(({ status }) => status >= 400);
    };
    await expect.poll(hasOnlyErrors).toBe(true);
    await setting('requests.log.level', 'off');
    await expect.poll(async () => (await logged()).length).toBe(0);
    expect((await setting('requests.log.level', 'loud')).status).toBe(400);
    expect((await setting('requests.log.size', 10_001)).status).toBe(400);
  });
});
