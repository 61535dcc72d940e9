import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';

interface Entry {
  readonly number: number;
  readonly act: string;
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly to: { readonly kind: string; readonly id: string | null; readonly name: string | null } | null;
  readonly network: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

describe('GET /admin/audit', () => {
  const clock = createHandDrivenClock();
  let backend: TestBackend;
  let world: World;
  beforeAll(async () => {
    backend = await createTestBackend({ clock });
    world = createWorld(backend);
  });
  afterAll(() => backend.close());

  const asAdmin = (method: string, url: string, body?: object) =>
    world.call(method, url, { basic: adminOf(world), ...(body && { body }) });
  const page = async (query = '') =>
    (await expectStatus(asAdmin('GET', `/admin/audit${query}`), 200)).body as {
      readonly data: readonly Entry[];
      readonly more: boolean;
      readonly next?: string;
    };
  const list = async (query = '') => (await page(query)).data;

  it('lists who did what to whom, from where, newest first', async () => {
    const ann = await world.user();
    await expectStatus(asAdmin('PUT', `/admin/user/suspend/${ann.name}`), 200);
    const [suspended, signedUp] = await list(`?to=${ann.name}`);
    expect(suspended).toEqual({
      number: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-/),
      act: 'user.suspended',
      by: { kind: 'user', id: expect.any(String), name: 'admin' },
      to: { kind: 'user', id: ann.id, name: ann.name },
      network: '127.0.0.0/24',
      details: {},
      hash: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(signedUp).toMatchObject({
      act: 'user.signed_up',
      by: { kind: 'anonymous' },
      details: { method: 'password' },
    });
  });

  it('keeps events of users who are removed', async () => {
    const ann = await world.user();
    await loginAs(world, ann.name);
    await expectStatus(asAdmin('DELETE', `/admin/user/${ann.name}`), 200);
    expect((await list(`?to=${ann.id}`)).map(({ act }) => act)).toEqual([
      'user.removed',
      'login.succeeded',
      'user.signed_up',
    ]);
  });

  it('records no change that fails', async () => {
    const ann = await world.user();
    const before = await list();
    await expectStatus(asAdmin('PUT', `/admin/user/${ann.name}`, { role: 'nobody-has-it' }), 400);
    expect(await list()).toEqual(before);
  });

  it('filters by act, actor and time', async () => {
    const ann = await personWithRole(world, 'administrator');
    const from = new Date(clock.now() + 60_000).toISOString();
    clock.advance(60_000);
    await setSettings(world, 'Application', { 'lockout.minutes': '20' });
    const since = `?from=${encodeURIComponent(from)}`;
    expect((await list(since)).map(({ act }) => act)).toContain('setting.changed');
    expect((await list(`${since}&act=user.created`)).map(({ act }) => act)).toEqual([]);
    expect(await list(`?until=${encodeURIComponent(from)}&act=setting.changed`)).toEqual([]);
    expect(await list(`?by=${ann.name}&act=setting.changed`)).toEqual([]);
    const [changed] = await list('?by=admin&act=setting.changed');
    expect(changed).toMatchObject({ to: { kind: 'setting', id: 'lockout.minutes' }, details: { value: '20' } });
  });

  it('pages by cursor', async () => {
    const all = await list();
    const first = await page('?recordsPerPage=2');
    expect(first).toMatchObject({ more: true, data: all.slice(0, 2) });
    const second = await page(`?recordsPerPage=${all.length}&cursor=${first.next}`);
    expect(second).toMatchObject({ more: false, data: all.slice(2) });
  });

  it.each([
    ['act=nonsense', 'act'],
    ['from=yesterday', 'from'],
    ['cursor=i123', 'cursor'],
    ['page=1', 'query.page'],
    ['recordsPerPage=5&skip=5', 'query.skip'],
  ])('refuses %s', async (query, input) => {
    const { body } = await asAdmin('GET', `/admin/audit?${query}`);
    expect(body).toMatchObject({ http_code: 400, code: 'input.invalid' });
    expect(JSON.stringify(body)).toContain(input);
  });

  it('is for administrators', async () => {
    const ann = await world.user();
    const token = await loginAs(world, ann.name);
    await expectStatus(world.call('GET', '/admin/audit', { token }), 403);
    await expectStatus(world.call('GET', '/admin/audit'), 401);
  });

  it('stores the first failures of a minute, and of the others how many there were', async () => {
    const known = (await list())[0]?.number ?? 0;
    const fail = () => world.call('POST', '/login', { body: { username: 'nobody-at-all', password: 'wrong' } });
    for (let times = 0; times < 40; times++) await fail();
    const during = (await list('?act=login.failed')).filter(({ number }) => number > known);
    expect(during).toHaveLength(10);
    await backend.deliver();
    const [counted] = await list('?act=login.failed');
    expect(counted?.details).toEqual({ method: 'password', reason: 'auth.invalid', times: 30 });
    expect(counted?.network).toBe('127.0.0.0/24');
  });

  it('forgets what is older than the setting says', async () => {
    const before = await list();
    await setSettings(world, 'Application', { 'audit.retention.days': '1' });
    clock.advance(2 * 24 * 3_600_000);
    await backend.sweep();
    expect(await list()).toEqual([]);
    const ann = await world.user();
    const [first] = await list();
    expect(first).toMatchObject({ act: 'user.signed_up', to: { id: ann.id } });
    expect(first?.number).toBeGreaterThan(before[0]?.number ?? 0);
  });
});

it('stores each account that is locked, however many logins fail in that minute', async () => {
  const backend = await createTestBackend({ clock: createHandDrivenClock(), rateLimit: true });
  const world = createWorld(backend);
  await setSettings(world, 'Application', { 'lockout.failures': '1' });
  const fail = (username: string, at: number) =>
    world.call('POST', '/login', { body: { username, password: 'wrong' }, from: `198.51.${at}.1` });
  for (let at = 0; at < 20; at++) await fail('nobody-at-all', at);
  const ids: string[] = [];
  for (let at = 100; at < 115; at++) {
    const { id, name } = await world.user();
    await fail(name, at);
    ids.push(id);
  }
  await backend.deliver();
  const { data } = await world.call('GET', '/admin/audit?act=account.locked', { basic: adminOf(world) });
  const locked = (data as readonly Entry[]).flatMap(({ to }) => to?.id ?? []);
  expect(locked.toSorted()).toEqual(ids.toSorted());
  await backend.close();
});
