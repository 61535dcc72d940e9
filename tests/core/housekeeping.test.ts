import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemTimers } from '@baobab/adapters/system';
import {
  createHousekeeping,
  createPolicies,
  createRemovals,
  type HousekeepingDeps,
  type Settings,
  type Sweep,
} from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE, trusting } from '../support/clock.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const DAY = 24 * 60 * MINUTE;

describe.each(Object.entries(STORAGES))('housekeeping of many nodes, on %s', (_name, open) => {
  let opened: TestStorage;
  let deps: HousekeepingDeps;
  const clock = createHandDrivenClock();
  const warnings: object[] = [];

  beforeEach(async () => {
    opened = await open();
    warnings.length = 0;
    const nothing = () => undefined;
    const { storage } = opened;
    const secrets = createNodeSecrets('housekeeping');
    const timers = createSystemTimers();
    deps = {
      storage,
      blobs: createMemoryBlobs(),
      clock,
      secrets,
      removals: createRemovals({ storage, clock, secrets, timers, logger: silentLogger }),
      erasures: { eraseDue: async () => 0 },
      settings: {} as Settings,
      policies: createPolicies({ storage, clock }),
      timeWatch: trusting(clock),
      logger: { debug: nothing, info: nothing, error: nothing, warn: (bindings) => warnings.push(bindings) },
    };
  });
  afterEach(() => opened.dispose());

  const counted = (name: string, period: number) => {
    const runs: number[] = [];
    const sweep: Sweep = {
      name,
      period,
      async remove(now) {
        runs.push(now);
        return 0;
      },
    };
    return { runs, sweep };
  };

  it('runs each job once per period', async () => {
    const [often, seldom] = [counted('often', MINUTE), counted('seldom', 10 * MINUTE)];
    const nodes = Array.from({ length: 5 }, () => createHousekeeping(deps, [often.sweep, seldom.sweep]));
    for (let minute = 0; minute < 20; minute++) {
      await Promise.all(nodes.map((node) => node.runDue()));
      await nodes[minute % 5]?.runDue();
      clock.advance(MINUTE);
    }
    expect([often.runs.length, seldom.runs.length]).toEqual([20, 2]);
  });

  it('lets another node run a job when the node that claimed it died', async () => {
    const { runs, sweep } = counted('deadly', MINUTE);
    const begun = new Promise<void>((resolve) => {
      const remove = () => {
        resolve();
        return new Promise<never>(() => undefined);
      };
      void createHousekeeping(deps, [{ ...sweep, remove }]).runDue();
    });
    await begun;
    const living = createHousekeeping(deps, [sweep]);
    await living.runDue();
    expect(runs).toHaveLength(0);
    for (let minute = 0; minute < 10 && runs.length === 0; minute++) {
      clock.advance(MINUTE);
      await living.runDue();
    }
    expect(runs).toHaveLength(1);
  });

  it('runs jobs that were postponed while the clock was fast', async () => {
    const { runs, sweep } = counted('postponed', MINUTE);
    const node = createHousekeeping(deps, [sweep]);
    clock.jump(40 * DAY);
    await node.runDue();
    clock.jump(-40 * DAY);
    clock.advance(MINUTE);
    await createHousekeeping(deps, [sweep]).runDue();
    await node.runDue();
    expect(runs).toHaveLength(2);
  });

  it('reports a failed job, runs the others, and retries it', async () => {
    const { runs, sweep } = counted('sound', MINUTE);
    const broken: Sweep = { ...sweep, name: 'broken', remove: () => Promise.reject(new Error('broken')) };
    const node = createHousekeeping(deps, [broken, sweep]);
    for (let turn = 1; turn <= 2; turn++) {
      await node.runDue();
      expect([runs.length, warnings.length]).toEqual([turn, turn]);
      clock.advance(MINUTE);
    }
  });

  it('forgets changes of visibility and departures after their retention', async () => {
    const values = {
      'changes.retention.days': 2,
      'session_tokens.timeout': 0,
      'session_tokens.lifetime': 0,
      'guests.expire.days': 0,
    };
    const settings = { current: async () => values };
    const { sweep } = createHousekeeping({ ...deps, settings: settings as unknown as Settings });
    const { changes } = opened.storage;
    await changes.markVisibility([{ audience: '*', collection: 'books', reason: 'collection' }], clock.now());
    const find = () => changes.visibilityChange({ since: 0, audiences: ['*'], collections: null });
    const mark = await find();
    clock.advance(2 * DAY);
    await sweep();
    expect(await find()).toEqual(mark);
    clock.advance(1);
    await sweep();
    expect(await find()).toBeNull();
    expect((await changes.state()).oldest).toBe((mark?.position ?? 0) + 1);
  });
});
