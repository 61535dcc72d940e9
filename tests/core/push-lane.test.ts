import { fcmService } from '@baobab/adapters/fcm';
import { createMemoryPush, type MemoryPush } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import { addUser } from '@baobab/contracts/storage';
import { createBreaker, createLane, type Logger } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trusting } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { createWith } from '../support/fixed-settings.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch } from '../support/patience.ts';

const secrets = createNodeSecrets('lanes');
const clock = createSystemClock();
const SETTINGS = { 'push.android.service_account': 'x', 'push.android.project': 'p' };
const COUNT = 300;

describe.each(Object.entries(STORAGES))('the push outbox, on %s', (_name, open) => {
  let opened: TestStorage;
  beforeEach(async () => {
    opened = await open();
    const { storage } = opened;
    const ann = await addUser(storage, 'Ann');
    for (let i = 0; i < COUNT; i++) {
      await storage.devices.register({ id: `d${i}`, userId: ann.id, os: 'android', registered: clock.now() });
    }
    const now = clock.now();
    const payload = JSON.stringify({ message: 'Hi', timeToLive: null, collapseKey: null });
    const message = { id: secrets.uuid(now), senderId: ann.id, payload, created: now, expires: now + 60_000 };
    await storage.outbox.add(message, { userIds: [ann.id], platforms: ['android'] });
  });
  afterEach(() => opened.dispose());

  const lane = (push: Pick<MemoryPush, 'send' | 'close'>, logger: Logger = silentLogger) =>
    createLane('android', {
      storage: opened.storage,
      service: createWith(fcmService(push), SETTINGS),
      clock,
      logger,
      timeWatch: trusting(clock),
    });

  it('sends everything that is due in one run, each notification once, even with two runs at a time', async () => {
    const push = createMemoryPush();
    await Promise.all([lane(push).run(), lane(push).run()]);
    expect(push.sent.map(({ device }) => device).sort()).toEqual(
      Array.from({ length: COUNT }, (_, i) => `d${i}`).sort(),
    );
  });

  it('has at most fifty messages in progress, and sends others while some are slow', async () => {
    const [full, others] = [createLatch(), createLatch()];
    const slow = Array.from({ length: 10 }, (_, i) => `d1${i}7`);
    let inProgress = 0;
    let most = 0;
    const memory = createMemoryPush();
    const push: Pick<MemoryPush, 'send' | 'close'> = {
      ...memory,
      async send(config, notification, isWanted) {
        most = Math.max(most, ++inProgress);
        if (inProgress === 50) setTimeout(full.open, 100); // more would arrive meanwhile
        await full.opened;
        if (slow.includes(notification.device)) await others.opened;
        inProgress--;
        const outcome = await memory.send(config, notification, isWanted);
        if (memory.sent.length >= COUNT - slow.length) others.open();
        return outcome;
      },
    };
    expect(await lane(push).run()).toBeNull();
    expect(memory.sent).toHaveLength(COUNT);
    expect(most).toBe(50);
  });

  it('finishes the messages in progress when it is stopped, and leaves the rest', async () => {
    const memory = createMemoryPush();
    let begun = 0;
    let stop: () => void = () => undefined;
    const push: Pick<MemoryPush, 'send' | 'close'> = {
      ...memory,
      async send(...args) {
        if (++begun === 10) stop();
        await new Promise((resolve) => setTimeout(resolve, 20));
        return memory.send(...args);
      },
    };
    const stopped = lane(push);
    stop = stopped.stop;
    await stopped.run();
    expect(memory.sent).toHaveLength(begun);
    expect(begun).toBeLessThan(COUNT);
    await lane(memory).run();
    expect(memory.sent).toHaveLength(COUNT);
  });

  it('probes a service that is down only now and then', async () => {
    let asked = 0;
    const push: Pick<MemoryPush, 'send' | 'close'> = {
      ...createMemoryPush(),
      async send() {
        asked++;
        return { kind: 'retry', reason: 'ECONNREFUSED', after: null };
      },
    };
    const due = await lane(push).run();
    expect(asked).toBeLessThan(COUNT);
    expect(due).toBeGreaterThan(clock.now());
  });

  it('reports once that the service rejects our credentials, and leaves it alone', async () => {
    const errors: object[] = [];
    const push = createMemoryPush(() => ({ kind: 'refused', of: 'service', reason: 'InvalidProviderToken' }));
    const refused = lane(push, { ...silentLogger, error: (bindings) => errors.push(bindings) });
    const due = await refused.run();
    expect(refused.refusal()).toBe('InvalidProviderToken');
    expect(errors).toEqual([{ os: 'android', reason: 'InvalidProviderToken' }]);
    expect(due).toBeGreaterThan(clock.now() + 50_000);
  });
});

describe('the circuit breaker', () => {
  const retry = { kind: 'retry', reason: 'x', after: null } as const;
  const fill = (breaker: ReturnType<typeof createBreaker>, count: number, began: number, now: number) => {
    for (let i = 0; i < count; i++) breaker.record(retry, began, now);
  };

  it('treats one cut connection as a failure of one message', () => {
    const breaker = createBreaker(() => 1);
    fill(breaker, 50, 0, 100);
    expect([breaker.allowance(50, 100), breaker.pausedUntil(100)]).toEqual([1, null]);
    breaker.record({ kind: 'delivered' }, 100, 110);
    expect(breaker.allowance(50, 110)).toBe(50);
  });

  it('backs off from a service that is down, longer each time, up to half a minute', () => {
    const breaker = createBreaker(() => 1);
    fill(breaker, 20, 0, 100);
    let now = 100;
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      breaker.record(retry, now, now + 5);
      const until = breaker.pausedUntil(now + 5) ?? 0;
      expect(breaker.allowance(50, until - 1)).toBe(0);
      expect(breaker.allowance(50, until)).toBe(1);
      pauses.push(until - now - 5);
      now = until;
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('does not open on a few failures among many successes', () => {
    const breaker = createBreaker(() => 1);
    for (let i = 0; i < 100; i++) {
      fill(breaker, 19, i, i);
      breaker.record({ kind: 'dead', reason: 'x', since: null }, i, i);
    }
    expect(breaker.allowance(50, 100)).toBe(50);
  });
});
