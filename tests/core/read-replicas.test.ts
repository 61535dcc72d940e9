import { describe, expect, it } from 'vitest';
import { createPositions } from '../../packages/adapters/src/postgres/replicas/positions.ts';
import { createWriters, HOLD_MS } from '../../packages/adapters/src/postgres/replicas/writers.ts';

const MAX_LAG = 10_000;

/** Writers of one process, with a clock that stands still, and what it told the others. */
function process() {
  const clock = { now: 100_000 };
  const told: string[] = [];
  let answer: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const tell = (userId: string) => {
    told.push(userId);
    return new Promise<void>((resolve, reject) => {
      [answer, fail] = [resolve, reject];
    });
  };
  const writers = createWriters(tell, MAX_LAG, () => clock.now);
  clock.now += HOLD_MS;
  return { clock, told, writers, answer: () => answer(), fail: (error: Error) => fail(error) };
}

describe('the time that a replica must have reached before a user may read it', () => {
  it('is the end of the first hold for everybody: others may have told of writes before this process listened', () => {
    const { clock, writers } = process();
    expect(writers.until('ann')).toBe(clock.now);
    expect(writers.until(null)).toBe(clock.now);
  });

  it('is the last acknowledgement of the user here', () => {
    const { clock, writers } = process();
    clock.now += 500;
    void writers.wrote('ann');
    expect(writers.until('ann')).toBe(clock.now);
    expect(writers.until('bob')).toBe(clock.now - 500);
  });

  it('is a hold later for a user of whom another process tells, and for everybody when it may have missed some', () => {
    const { clock, writers } = process();
    writers.told('ann');
    expect(writers.until('ann')).toBe(clock.now + HOLD_MS);
    expect(writers.until('bob')).toBe(clock.now);
    writers.told(null);
    expect(writers.until('bob')).toBe(clock.now + HOLD_MS);
  });

  it('is not forgotten for a user while any replica that can be read may be older', () => {
    const { clock, writers } = process();
    writers.told('ann');
    const until = writers.until('ann');
    for (let i = 0; i < 60_000; i++) writers.told(`user-${i}`);
    expect(writers.until('ann')).toBeGreaterThanOrEqual(until);
    expect(clock.now).toBeLessThan(until);
  });
});

describe('acknowledging a write', () => {
  it('waits until the others know of the writer, together with writes that come meanwhile', async () => {
    const { told, writers, answer } = process();
    const [first, second] = [writers.wrote('ann'), writers.wrote('ann')];
    expect(told).toEqual(['ann']);
    expect(second).toBe(first);
    answer();
    await first;
    expect(writers.wrote('ann')).toBeNull();
  });

  it('tells them again before they stop holding, and again after they could not be told', async () => {
    const { clock, told, writers, answer, fail } = process();
    const first = writers.wrote('ann');
    answer();
    await first;
    clock.now += HOLD_MS / 2;
    const second = writers.wrote('ann');
    fail(new Error('no connection'));
    await expect(second).rejects.toThrow('no connection');
    expect(writers.wrote('ann')).not.toBeNull();
    expect(told).toEqual(['ann', 'ann', 'ann']);
  });
});

describe('the time that a replica has reached', () => {
  it('is that of the last known position that it has replayed', () => {
    const positions = createPositions();
    expect(positions.reached(5)).toBeNull();
    for (const [at, position] of [
      [1, 10],
      [2, 20],
      [3, 20],
      [4, 30],
    ] as const) {
      positions.add({ at, position });
    }
    expect([9, 10, 19, 20, 29, 30, 99].map(positions.reached)).toEqual([null, 1, 1, 3, 3, 4, 4]);
  });

  it('is unknown again after the database has gone back, as after a failover', () => {
    const positions = createPositions();
    positions.add({ at: 1, position: 100 });
    positions.add({ at: 2, position: 50 });
    expect(positions.reached(49)).toBeNull();
    expect(positions.reached(60)).toBe(2);
  });
});
