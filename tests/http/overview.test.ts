import { join } from 'node:path';
import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, onEveryStorage, type World } from '../support/backend.ts';
import { createFolder } from '../support/databases.ts';
import { adminOf, loginAs, setSettings } from '../support/people.ts';

interface Check {
  readonly check: string;
  readonly state: string;
  readonly text: string;
  readonly remedy: string | null;
  readonly variables: readonly string[];
  readonly section: string | null;
}

const asAdminOf = (world: World) => (method: string, url: string, body?: unknown) =>
  world.call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });

describe('GET /admin/checks', () => {
  let world: World;
  const open: Awaited<ReturnType<typeof createTestBackend>>[] = [];

  async function worldOf(options: Parameters<typeof createTestBackend>[0]): Promise<World> {
    const backend = await createTestBackend(options);
    open.push(backend);
    return createWorld(backend);
  }

  async function checksOf(of: World, only = ''): Promise<readonly Check[]> {
    const { status, data } = await asAdminOf(of)('GET', `/admin/checks${only}`);
    expect(status).toBe(200);
    return data;
  }

  const stateOf = async (of: World, name: string) => (await checksOf(of, `?check=${name}`))[0]?.state;

  beforeAll(async () => {
    world = await worldOf({});
  });
  afterAll(() => Promise.all(open.map((backend) => backend.close())));

  it('says what is unsafe and what mends it, without secrets', async () => {
    const checks = await checksOf(world);
    const found = new Map(checks.map((one) => [one.check, one]));
    expect(found.get('app_code')).toEqual({
      check: 'app_code',
      state: 'fault',
      text: expect.stringContaining('well-known default'),
      remedy: expect.stringContaining('APP_CODE'),
      variables: ['APP_CODE'],
      section: null,
    });
    const states = (...names: string[]) => names.map((name) => found.get(name)?.state);
    expect(states('database', 'blobs', 'secret_key', 'webhooks')).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(states('public_url', 'address', 'rate_limit')).toEqual(['fault', 'fault', 'fault']);
    expect(states('mail', 'push', 'social', 'proxy', 'backups')).toEqual(Array(5).fill('skipped'));
    expect(found.get('mail')).toMatchObject({ section: 'PasswordRecovery' });
    expect(JSON.stringify(checks)).not.toContain(world.backend.appCode);
  });

  it('knows that a well-known password of the environment is still in use, until it is changed', async () => {
    const own = await worldOf({ adminPassword: 'changeme' });
    expect(await checksOf(own, '?check=password')).toMatchObject([
      { state: 'fault', text: expect.stringContaining('ADMIN_PASSWORD') },
    ]);
    await asAdminOf(own)('PUT', '/admin/user/admin/password', {
      password: 'a much longer one',
      current_password: 'changeme',
    });
    const token = await loginAs(own, 'admin', 'a much longer one');
    const { data } = await own.call('GET', '/admin/checks?check=password', { token });
    expect(data).toMatchObject([{ state: 'ok' }]);
  });

  it('reports a mail server on an address that is not public, and names the variable that allows it', async () => {
    const folder = createFolder();
    const databaseUrl = `sqlite:${join(folder.path, 'moved.db')}`;
    const before = await worldOf({ databaseUrl, outboundPrivate: true });
    await setSettings(before, 'PasswordRecovery', { 'network.smtp.host': '10.0.0.1' });
    await before.backend.close();
    open.splice(open.indexOf(before.backend), 1);
    const own = await worldOf({ databaseUrl, outboundPrivate: false });
    expect(await checksOf(own, '?check=mail')).toMatchObject([
      { state: 'fault', text: expect.stringMatching(/10\.0\.0\.1: it is not public .*OUTBOUND_PRIVATE=on allows it/) },
    ]);
  });

  it.each([
    ['PasswordRecovery', 'network.smtp.host', '10.0.0.1', 'mail.nowhere.invalid'],
    ['Social', 'social.openid.issuer', 'https://[fd00::1]:8443/realms/app', 'https://login.nowhere.invalid'],
  ])('refuses such an address in a setting, and names the variable: %s %s', async (section, key, hidden, unknown) => {
    const set = (of: World, value: string) => asAdminOf(of)('PUT', `/admin/configuration/${section}/${key}`, { value });
    const own = await worldOf({ outboundPrivate: false });
    expect(await set(own, hidden)).toMatchObject({
      status: 400,
      body: { code: 'setting.value_invalid', message: expect.stringContaining('OUTBOUND_PRIVATE=on allows it') },
    });
    expect((await set(own, unknown)).status).toBe(200);
    expect((await set(await worldOf({ outboundPrivate: true }), hidden)).status).toBe(200);
  });

  it('reports secrets that another key has encrypted, as after a move without SECRET_KEY', async () => {
    const folder = createFolder();
    const databaseUrl = `sqlite:${join(folder.path, 'moved.db')}`;
    // Each test backend generates its key.
    const before = await worldOf({ databaseUrl });
    await setSettings(before, 'PasswordRecovery', { 'network.smtp.password': 'hush' });
    expect(await checksOf(before, '?check=secrets')).toMatchObject([{ state: 'ok' }]);
    await before.backend.close();
    open.splice(open.indexOf(before.backend), 1);
    const after = await worldOf({ databaseUrl });
    expect(await checksOf(after, '?check=secrets')).toMatchObject([
      {
        state: 'fault',
        text: 'No known key opens these encrypted values: settings 1',
        remedy: expect.stringContaining('SECRET_KEY_PREVIOUS'),
        variables: ['SECRET_KEY', 'SECRET_KEY_PREVIOUS'],
      },
    ]);
  });

  it('knows that the generated password is still in use, until it is changed', async () => {
    const own = await worldOf({ adminPassword: null });
    const generated = own.backend.adminPassword;
    expect(generated).not.toBe('');
    expect(await checksOf(own, '?check=password')).toMatchObject([
      { state: 'fault', text: expect.stringContaining('generated') },
    ]);
    // Another user's change does not count.
    const ann = await own.user();
    await asAdminOf(own)('PUT', `/admin/user/${ann.name}/password`, { password: 'another' });
    expect(await stateOf(own, 'password')).toBe('fault');
    await asAdminOf(own)('PUT', '/admin/user/admin/password', { password: 'chosen', current_password: generated });
    const token = await loginAs(own, 'admin', 'chosen');
    const { data } = await own.call('GET', '/admin/checks?check=password', { token });
    expect(data).toMatchObject([{ state: 'ok' }]);
  });

  it('checks again at every call', async () => {
    const own = await worldOf({});
    expect(await stateOf(own, 'public_url')).toBe('fault');
    await setSettings(own, 'Application', { 'network.http.url': 'api.example.org' });
    expect(await stateOf(own, 'public_url')).toBe('ok');
    await setSettings(own, 'PasswordRecovery', { 'network.smtp.host': '127.0.0.1', 'network.smtp.port': '9' });
    expect(await checksOf(own, '?check=mail')).toMatchObject([
      { state: 'fault', text: expect.stringContaining('cannot be reached'), remedy: expect.stringContaining('smtp') },
    ]);
    await setSettings(own, 'Social', { 'social.google.enabled': 'true', 'social.google.token': 'client-id' });
    expect(await checksOf(own, '?check=social')).toMatchObject([{ text: expect.stringContaining('google') }]);
  });

  it('is for administrators, and knows no other checks', async () => {
    const { token } = await world.user();
    for (const url of ['/admin/checks', '/admin/traffic']) {
      expect((await world.call('GET', url, { token })).body.code).toBe('admin.required');
      expect((await world.call('GET', url)).body.code).toBe('auth.required');
    }
    expect((await asAdminOf(world)('GET', '/admin/checks?check=luck')).status).toBe(400);
  });

  it('counts the requests of the last hour', async () => {
    const own = await worldOf({});
    const trafficOf = async () => (await asAdminOf(own)('GET', '/admin/traffic')).data;
    const sum = (minutes: readonly Record<string, number>[], name: string) =>
      minutes.reduce((total, minute) => total + (minute[name] ?? 0), 0);
    const before = await trafficOf();
    expect(before.minutes).toHaveLength(60);
    for (const date of [before.since, before.minutes[0].time])
      expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
    await own.call('GET', '/user/nobody', { basic: adminOf(own) });
    await own.call('GET', '/nowhere');
    const { minutes } = await trafficOf();
    expect(sum(minutes, 'requests') - sum(before.minutes, 'requests')).toBe(3);
    expect(sum(minutes, 'clientErrors') - sum(before.minutes, 'clientErrors')).toBe(2);
    expect(sum(minutes, 'serverErrors')).toBe(0);
    const busy = minutes.filter(({ requests }: { requests: number }) => requests > 0);
    for (const { p50, p95 } of busy) expect(p95).toBeGreaterThanOrEqual(p50);
    expect(minutes.find(({ requests }: { requests: number }) => requests === 0)).toMatchObject({
      p50: null,
      p95: null,
    });
  });
});

onEveryStorage('what belongs to a user', (world) => {
  it('is counted and listed for administrators', async () => {
    const asAdmin = asAdminOf(world);
    const [ann, bob] = [await world.user(), await world.user()];
    const collection = await world.collection();
    await world.call('POST', `/document/${collection}`, { token: ann.token, body: { a: 1 } });
    const { data: group } = await world.call('POST', '/group', { token: ann.token, body: { name: 'Readers' } });
    await world.call('POST', `/follow/${ann.name}`, { token: bob.token });
    const device = world.unique('device');
    await loginAs(world, ann.name, 'secret', { os: 'ios', deviceId: device });
    const { status, data } = await asAdmin('GET', `/admin/user/${ann.name.toUpperCase()}/belongings`);
    expect(status).toBe(200);
    expect(data).toEqual({
      documents: 1,
      files: 0,
      sessions: 2,
      followers: 1,
      following: 0,
      groups: [{ id: group.id, name: 'Readers', role: 'owner' }],
      devices: [{ id: device, os: 'ios', registered: expect.any(String) }],
    });
    const refused = await world.call('GET', `/admin/user/${ann.name}/belongings`, { token: bob.token });
    expect(refused.body.code).toBe('admin.required');
    expect((await asAdmin('GET', '/admin/user/nobody-at-all/belongings')).body.code).toBe('user.not_found');
  });
});
