import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Background, runInBackground } from '../../packages/server/src/background.ts';
import { silentLogger } from '../support/logger.ts';

const MINUTE = 60_000;

describe('background work', () => {
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

  it('polls only twice a minute while there is nothing to do', async () => {
    start(async () => null);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(runs).toBeGreaterThanOrEqual(18);
    expect(runs).toBeLessThanOrEqual(24);
  });

  it('does not loop when it says that it is due and does nothing', async () => {
    start(async () => Date.now() - 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBeLessThanOrEqual(12);
  });

  it('runs at the time when it said that it would be due', async () => {
    start(async () => Date.now() + 5_000);
    await vi.advanceTimersByTimeAsync(4_400);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(1_200);
    expect(runs).toBe(2);
  });

  it('runs immediately when it is woken, once more after a run in progress, and never twice at a time', async () => {
    let inProgress = 0;
    let most = 0;
    const { wake } = start(async () => {
      most = Math.max(most, ++inProgress);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      inProgress--;
      return null;
    });
    for (let i = 0; i < 5; i++) wake();
    await vi.advanceTimersByTimeAsync(2_500);
    expect([runs, most]).toEqual([2, 1]);
    wake();
    await vi.advanceTimersByTimeAsync(1_500);
    expect([runs, most]).toEqual([3, 1]);
  });

  it('is retried after a failure', async () => {
    start(async () => {
      throw new Error('database unreachable');
    });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(runs).toBe(2);
  });

  it('ends when it is stopped, after the run in progress', async () => {
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
