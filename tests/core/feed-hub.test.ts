import { createNodeSecrets, createSystemClock } from '@baobab/adapters/system';
import type { FeedState, Signal, SignalListener, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { createFeedCursors } from '../../packages/core/src/changes/cursor.ts';
import { createHub } from '../../packages/core/src/changes/hub.ts';
import { silentLogger as logger } from '../support/logger.ts';

/** Timers that fire when the test says so. */
function createHandDrivenTimers() {
  const waiting = new Map<() => void, number>();
  return {
    after(milliseconds: number, work: () => void) {
      waiting.set(work, milliseconds);
      return () => void waiting.delete(work);
    },
    /** Returns the time until the next timer, in milliseconds. */
    next: () => Math.min(...waiting.values()),
    async fire(): Promise<void> {
      for (const work of Array.from(waiting.keys())) {
        waiting.delete(work);
        work();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** A hub on a storage that responds when the test says so. */
function openHub() {
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
  return {
    hub,
    timers,
    states,
    signal: () => signal({ topic: 'changes', key: '' }),
    reads: () => reads,
  };
}

it('the reader of a node never reads twice at once, also when a signal comes while it starts', async () => {
  const { hub, timers, states, signal, reads } = openHub();
  hub.onMore(() => undefined);
  const ready = hub.ready();
  signal();
  await timers.fire();
  expect(states).toHaveLength(2);
  states[0]?.({ epoch: 'e', horizon: 1, oldest: 0 });
  await ready;
  states[1]?.({ epoch: 'e', horizon: 2, oldest: 0 });
  await timers.fire();
  expect(reads()).toBe(1);
  for (let n = 0; n < 3; n++) {
    await timers.fire();
    for (const answer of states.splice(0)) answer({ epoch: 'e', horizon: 3, oldest: 0 });
    await timers.fire();
  }
  expect(reads()).toBe(1);
  hub.dispose();
});

it('the reader of a node is woken by signals, also when the first read of its start is answered last', async () => {
  const { hub, timers, states, signal } = openHub();
  const ready = hub.ready();
  signal();
  await timers.fire();
  states[1]?.({ epoch: 'e', horizon: 1, oldest: 0 });
  await new Promise((resolve) => setImmediate(resolve));
  states[0]?.({ epoch: 'e', horizon: 1, oldest: 0 });
  await ready;
  hub.onMore(() => undefined);
  expect(timers.next()).toBe(1_000);
  signal();
  expect(timers.next()).toBeLessThan(100);
  hub.dispose();
});
