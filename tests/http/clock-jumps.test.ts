import { createNodeSecrets } from '@baobab/adapters/system';
import { defineExtension } from '@baobab/server/extensions';
import { createTestBackend } from '@baobab/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock, type HandDrivenClock, MINUTE } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { until } from '../support/patience.ts';
import { adminOf, setSettings } from '../support/people.ts';

const DAY = 24 * 60 * MINUTE;
const JUMP = 40 * DAY;
/** Minutes between two runs of the housekeeping. */
const STEP = 2;

describe.each(Object.entries(STORAGES))('a clock that is wrong for a while, on %s', (name, open) => {
  let storage: TestStorage;
  let clock: HandDrivenClock;
  let world: World;
  let fails = false;
  const delivered: string[] = [];
  const ran: string[] = [];
  const extension = defineExtension((app) => {
    app.after('document.put', 'copy', { collection: 'notes' }, ({ document }) => {
      if (fails) throw new Error('not now');
      delivered.push(String(document.title));
    });
    app.every('0 3 * * *', 'nightly', ({ at }) => void ran.push(at.toISOString()));
  });

  const options = { rateLimit: true, extensions: [extension], secrets: createNodeSecrets('a key that starts share') };

  async function start(): Promise<void> {
    const backend = await createTestBackend({ ...options, databaseUrl: storage.url, clock });
    world = createWorld(backend);
    await setSettings(world, 'Application', { 'guests.allowed': true });
  }

  /** Stops the server, and starts it with a clock that has jumped meanwhile. */
  async function restartAfter(jump: number): Promise<void> {
    await world.backend.sweep();
    await world.backend.close();
    clock.jump(jump);
    await start();
  }

  beforeEach(async () => {
    storage = await open();
    clock = createHandDrivenClock();
    await start();
  });
  afterEach(async () => {
    await world.backend.close();
    await storage.dispose();
  });

  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += STEP) {
      clock.advance(STEP * MINUTE);
      await world.backend.sweep();
    }
  }

  async function guest(): Promise<string> {
    const { data, text, status } = await world.call('POST', '/user/guest');
    if (status !== 201) throw new Error(text);
    return data.user.name;
  }

  /** Returns the status of a request with this session. */
  const use = async (token: string) => (await world.call('GET', '/me', { token })).status;
  const isThere = async (name: string) =>
    (await world.call('GET', `/admin/user/${name}`, { basic: adminOf(world) })).status === 200;
  const checked = async () => (await world.call('GET', '/admin/checks?check=clock', { basic: adminOf(world) })).data[0];

  it('deletes nothing while it is fast, nor after its correction', async () => {
    const visitor = await guest();
    expect(await checked()).toMatchObject({ state: 'ok' });
    clock.jump(JUMP);
    await pass(2);
    expect(await isThere(visitor)).toBe(true);
    expect(await checked()).toMatchObject({
      state: 'fault',
      text: expect.stringMatching(/jumped to 2026-03-12T09:1\d.* at 2026-01-31T09:1\d.*until it is trusted/),
      remedy: expect.stringContaining('clock.grace.minutes'),
      section: 'Application',
    });
    clock.jump(-JUMP);
    await pass(90);
    expect(await isThere(visitor)).toBe(true);
    expect(await checked()).toMatchObject({ state: 'fault', text: expect.stringMatching(/trusted again$/) });
    clock.advance(DAY);
    expect(await checked()).toMatchObject({ state: 'ok' });
  });

  it('ends no session while it is fast, nor after its correction', async () => {
    const { token } = await world.user();
    clock.jump(JUMP);
    expect(await use(token)).toBe(200);
    const { token: later } = await world.user();
    await pass(2);
    expect([await use(token), await use(later)]).toEqual([200, 200]);
    clock.jump(-JUMP);
    await pass(2);
    expect([await use(token), await use(later)]).toEqual([200, 200]);
    // A session lasts as long as any other from then on.
    clock.advance(20 * MINUTE);
    expect([await use(token), await use(later)]).toEqual([401, 401]);
  });

  it('ends no session that began while it was slow, nor one that was used', async () => {
    const { token } = await world.user();
    clock.jump(-JUMP);
    await pass(2);
    expect(await use(token)).toBe(200);
    const { token: later } = await world.user();
    clock.jump(JUMP);
    await pass(2);
    expect([await use(token), await use(later)]).toEqual([200, 200]);
    clock.advance(20 * MINUTE);
    expect([await use(token), await use(later)]).toEqual([401, 401]);
  });

  it.each([JUMP, -JUMP])(
    'is confirmed by an administrator who has just logged in, after a jump by %d ms',
    async (jump) => {
      clock.jump(jump);
      const token = await world.admin();
      const confirm = () =>
        world.call('PUT', '/admin/configuration/Application/clock.grace.minutes', { token, body: { value: 0 } });
      expect((await confirm()).status).toBe(200);
      await pass(STEP);
      clock.advance(10 * MINUTE);
      expect(await confirm()).toMatchObject({
        status: 401,
        text: expect.stringContaining('auth.fresh_login_required'),
      });
    },
  );

  it('does no harm if it is two hours slow', async () => {
    const [visitor, { token }] = [await guest(), await world.user()];
    clock.jump(-120 * MINUTE);
    await pass(20);
    expect([await isThere(visitor), await use(token)]).toEqual([true, 200]);
  });

  it('is trusted after the grace period, or when an administrator confirms it', async () => {
    const visitor = await guest();
    clock.jump(JUMP);
    await pass(58);
    expect(await isThere(visitor)).toBe(true);
    await pass(2 * STEP);
    expect(await isThere(visitor)).toBe(false);
    const other = await guest();
    clock.jump(JUMP);
    await setSettings(world, 'Application', { 'clock.grace.minutes': 0 });
    await pass(STEP);
    expect(await isThere(other)).toBe(false);
  });

  it('deletes nothing after a correction by days, for guests who came while it was slow', async () => {
    clock.jump(-JUMP);
    await pass(STEP);
    const visitor = await guest();
    await pass(STEP);
    clock.jump(JUMP);
    await pass(90);
    expect(await isThere(visitor)).toBe(true);
  });

  it('goes on in minutes after it was fast', async () => {
    const [{ name: user }, collection] = [await world.user(), 'notes'];
    const admin = { basic: adminOf(world) };
    await world.call('POST', `/admin/collection/${collection}`, admin);
    const write = (title: string) => world.call('POST', `/document/${collection}`, { ...admin, body: { title } });
    const login = (password: string) => world.call('POST', '/login', { body: { username: user, password } });
    const attempts = async () => {
      await world.backend.deliver();
      const [{ id }] = (await world.call('GET', '/admin/webhook', admin)).data;
      const { data } = await world.call('GET', `/admin/webhook/${id}/deliveries`, admin);
      return data[0]?.attempts;
    };
    [delivered.length, ran.length] = [0, 0];
    await world.backend.runJobs();

    fails = true;
    await write('late');
    await until(async () => (await attempts()) === 1);

    clock.jump(JUMP);
    await world.backend.runJobs();
    expect(ran).toHaveLength(1);
    await until(async () => (await attempts()) === 2);
    fails = false;
    for (let i = 0; i < 10; i++) await login('wrong');
    expect((await login('secret')).status).toBe(429);
    await pass(2);

    clock.jump(-JUMP);
    expect((await login('secret')).status).toBe(200);
    await pass(2);
    await until(async () => (await attempts()) > 2 || delivered.includes('late'));
    expect(delivered).toEqual(['late']);
    await world.backend.runJobs();
    clock.advance(DAY);
    await world.backend.runJobs();
    expect(ran.map((at) => at.slice(0, 10))).toEqual(['2026-03-12', '2026-02-01']);
  });

  // Memory does not outlast a restart.
  if (name !== 'memory') {
    it('deletes nothing if it is fast at the start, even after several starts', async () => {
      const [visitor, { token }] = [await guest(), await world.user()];
      await restartAfter(JUMP);
      expect(await use(token)).toBe(200);
      await pass(40);
      await restartAfter(0);
      await pass(40);
      expect(await isThere(visitor)).toBe(true);
      expect(await checked()).toMatchObject({ state: 'fault' });
      clock.jump(-JUMP);
      await pass(90);
      expect(await isThere(visitor)).toBe(true);
    });

    it('deletes nothing of what is stored while it is slow at the start', async () => {
      await restartAfter(-JUMP);
      expect(await checked()).toMatchObject({ state: 'fault' });
      const [visitor, { token }] = [await guest(), await world.user()];
      await pass(2);
      clock.jump(JUMP);
      expect(await use(token)).toBe(200);
      await pass(90);
      expect(await isThere(visitor)).toBe(true);
    });
  }
});
