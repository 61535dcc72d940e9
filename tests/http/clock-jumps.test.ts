import { createTestBackend } from '@baobab/server/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock, type HandDrivenClock, MINUTE } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { adminOf, setSettings } from '../support/people.ts';

const DAY = 24 * 60 * MINUTE;
const JUMP = 40 * DAY;
/** Minutes between two runs of the housekeeping. */
const STEP = 2;

describe.each(Object.entries(STORAGES))('a clock that is wrong for a while, on %s', (_name, open) => {
  let storage: TestStorage;
  let clock: HandDrivenClock;
  let world: World;

  async function start(): Promise<void> {
    const backend = await createTestBackend({ databaseUrl: storage.url, clock });
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

  const isThere = async (name: string) =>
    (await world.call('GET', `/admin/user/${name}`, { basic: adminOf(world) })).status === 200;
  const checked = async () => (await world.call('GET', '/admin/checks?check=clock', { basic: adminOf(world) })).data[0];

  it('deletes nothing while it is fast, nor after its correction', async () => {
    const name = await guest();
    expect(await checked()).toMatchObject({ state: 'ok' });
    clock.jump(JUMP);
    await pass(2);
    expect(await isThere(name)).toBe(true);
    expect(await checked()).toMatchObject({
      state: 'fault',
      text: expect.stringMatching(/jumped to 2026-03-12T09:1\d.* at 2026-01-31T09:1\d.*until it is trusted/),
      remedy: expect.stringContaining('clock.grace.minutes'),
      section: 'Application',
    });
    clock.jump(-JUMP);
    await pass(90);
    expect(await isThere(name)).toBe(true);
    expect(await checked()).toMatchObject({ state: 'fault', text: expect.stringMatching(/trusted again$/) });
    clock.advance(DAY);
    expect(await checked()).toMatchObject({ state: 'ok' });
  });

  it('is trusted after the grace period, or when an administrator confirms it', async () => {
    const name = await guest();
    clock.jump(JUMP);
    await pass(58);
    expect(await isThere(name)).toBe(true);
    await pass(2 * STEP);
    expect(await isThere(name)).toBe(false);
    const other = await guest();
    clock.jump(JUMP);
    await setSettings(world, 'Application', { 'clock.grace.minutes': 0 });
    await pass(STEP);
    expect(await isThere(other)).toBe(false);
  });

  it('deletes nothing after a correction by days, for guests who came while it was slow', async () => {
    clock.jump(-JUMP);
    await pass(STEP);
    const name = await guest();
    await pass(STEP);
    clock.jump(JUMP);
    await pass(90);
    expect(await isThere(name)).toBe(true);
  });

  it.skipIf(_name === 'memory')('deletes nothing if it is fast at the start, even after several starts', async () => {
    const name = await guest();
    await restartAfter(JUMP);
    await pass(40);
    await restartAfter(0);
    await pass(40);
    expect(await isThere(name)).toBe(true);
    expect(await checked()).toMatchObject({ state: 'fault' });
    clock.jump(-JUMP);
    await pass(90);
    expect(await isThere(name)).toBe(true);
  });

  it.skipIf(_name === 'memory')('deletes nothing of what is stored while it is slow at the start', async () => {
    await restartAfter(-JUMP);
    expect(await checked()).toMatchObject({ state: 'fault' });
    const name = await guest();
    await pass(2);
    clock.jump(JUMP);
    await pass(90);
    expect(await isThere(name)).toBe(true);
  });
});
