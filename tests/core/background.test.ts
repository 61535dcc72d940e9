import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Background, runInBackground } from '../../packages/server/src/background.ts';
import { silentLogger } from '../support/logger.ts';

const MINUTE = 60_000;

describe('work in the background', () => {
  let background: Background | null = null;
  let runs = 0;
  beforeEach(() => {
    vi.useFakeTimers();
    runs = 0;
  });
  afterEach(async () => {
    await background?.stop();
    vi.useRealTimers();
  });

  function start(work: () => Promise<number | null>): Background {
    const counted = () => {
      runs++;
      return work();
    };
    background = runInBackground({ work: counted, name: 'test', logger: silentLogger });
    return background;
  }

  it('is looked for but twice a minute while there is none', async () => {
    start(async () => null);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(runs).toBeGreaterThanOrEqual(18);
    expect(runs).toBeLessThanOrEqual(24);
  });

  it('does not run in circles when it says that it is due and does nothing', async () => {
    start(async () => Date.now() - 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBeLessThanOrEqual(12);
  });

  it('runs when it said that it would be due', async () => {
    start(async () => Date.now() + 5_000);
    await vi.advanceTimersByTimeAsync(4_400);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(1_200);
    expect(runs).toBe(2);
  });

  it('runs at once when it is woken, also once more after a run that is under way, and one at a time', async () => {
    let underWay = 0;
    let most = 0;
    const { wake } = start(async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      underWay--;
      return null;
    });
    for (let i = 0; i < 5; i++) wake();
    await vi.advanceTimersByTimeAsync(2_500);
    expect([runs, most]).toEqual([2, 1]);
    wake();
    await vi.advanceTimersByTimeAsync(1_500);
    expect([runs, most]).toEqual([3, 1]);
  });

  it('is tried again after it failed', async () => {
    start(async () => {
      throw new Error('the database is away');
    });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(runs).toBe(2);
  });

  it('is over when it is stopped, after what is under way', async () => {
    let isDone = false;
    const { stop, wake } = start(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      isDone = true;
      return Date.now();
    });
    const stopping = stop();
    await vi.advanceTimersByTimeAsync(500);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(600);
    await stopping;
    wake();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect([isDone, runs]).toEqual([true, 1]);
  });
});
