import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import type { FeedState, Signal, SignalListener, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { createFeedCursors } from '../../packages/core/src/changes/cursor.ts';
import { createHub } from '../../packages/core/src/changes/hub.ts';
import { silentLogger as logger } from '../support/logger.ts';

/** Timers that fire when the test says so. */
function createHandDrivenTimers() {
  const waiting = new Set<() => void>();
  return {
    after(_milliseconds: number, work: () => void) {
      waiting.add(work);
      return () => void waiting.delete(work);
    },
    async fire(): Promise<void> {
      for (const work of Array.from(waiting)) {
        waiting.delete(work);
        work();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('the reader of a node never reads twice at once, also when a signal comes while it starts', async () => {
  const timers = createHandDrivenTimers();
  const states: Array<(state: FeedState) => void> = [];
  let signal: (signal: Signal | null) => void = () => undefined;
  let reads = 0;
  const changes = {
    state: () => new Promise<FeedState>((resolve) => void states.push(resolve)),
    readAll() {
      reads++;
      return new Promise<never>(() => undefined);
    },
  };
  const signals = {
    live: true,
    subscribe({ hear }: SignalListener) {
      signal = hear;
      return () => undefined;
    },
  };
  const storage = { changes, signals } as unknown as Storage;
  const cursors = createFeedCursors({ secrets: createNodeSecrets('a key for tests') });
  const hub = createHub({ storage, cursors, timers, clock: createSystemClock(), logger });
  hub.onMore(() => undefined);
  const ready = hub.ready();
  signal({ topic: 'changes', key: '' });
  await timers.fire();
  expect(states).toHaveLength(2);
  states[0]?.({ epoch: 'e', horizon: 1, oldest: 0 });
  await ready;
  states[1]?.({ epoch: 'e', horizon: 2, oldest: 0 });
  await timers.fire();
  expect(reads).toBe(1);
  for (let n = 0; n < 3; n++) {
    await timers.fire();
    for (const answer of states.splice(0)) answer({ epoch: 'e', horizon: 3, oldest: 0 });
    await timers.fire();
  }
  expect(reads).toBe(1);
  hub.dispose();
});
