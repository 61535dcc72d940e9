import { join } from 'node:path';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import type { Signal, SignalRelay, Storage } from '@baobab/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LEASE_MS, type Order, type Report } from '../../packages/server/src/workers/messages.ts';
import { type Channel, createPeerWorkers } from '../../packages/server/src/workers/peer-workers.ts';
import { createScatterGather } from '../../packages/server/src/workers/scatter-gather.ts';
import { createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { createLatch } from '../support/patience.ts';

describe('several processes on one SQLite file', () => {
  const cleanups: Array<() => unknown> = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** Two storages that pass each other their signals, as workers do through their primary. */
  async function two() {
    const { path: folder, remove } = createFolder();
    cleanups.push(remove);
    const path = join(folder, 'x.db');
    const receivers: Array<(signal: Signal | null) => void> = [];
    const link = { live: true, heard: Promise.resolve() };
    const relay = (other: number, own: number): SignalRelay => ({
      get live() {
        return link.live;
      },
      send: (signal) => receivers[other]?.(signal),
      heard: () => link.heard,
      receive: (listener) => {
        receivers[own] = listener;
      },
    });
    const open = (other: number, own: number) => {
      const storage = createSqliteStorage({ path, logger: silentLogger, relay: relay(other, own) });
      cleanups.push(() => storage.close());
      return storage;
    };
    const storages: [Storage, Storage] = [open(1, 0), open(0, 1)];
    await storages[0].migrate();
    return { storages, link, lose: () => receivers[1]?.(null) };
  }

  const signal: Signal = { topic: 'user', key: 'ann' };

  it('receive signals of what others committed, once, and nothing of what was rolled back', async () => {
    const { storages, lose } = await two();
    const [here, there] = storages;
    const heard: Array<[string, Signal | null]> = [];
    here.signals.subscribe((one) => heard.push(['here', one]));
    there.signals.subscribe((one) => heard.push(['there', one]));
    await expect(
      here.transaction(async ({ announcer }) => {
        await announcer.announce(signal);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(heard).toEqual([]);
    await here.transaction(async ({ announcer }) => {
      await announcer.announce(signal);
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual([
      ['here', signal],
      ['there', signal],
    ]);
    lose();
    expect(heard.at(-1)).toEqual(['there', null]);
  });

  it('acknowledge a commit with a signal only when the others have received it, and any other commit immediately', async () => {
    const { storages, link } = await two();
    const [here] = storages;
    const { open, opened } = createLatch();
    link.heard = opened;
    const ends: string[] = [];
    const announcing = here
      .transaction(({ announcer }) => announcer.announce(signal))
      .then(() => ends.push('in a transaction'));
    const alone = here.announcer.announce(signal).then(() => ends.push('alone'));
    await here.transaction(({ announcer }) => announcer.announce({ topic: 'push', key: '' }));
    await here.settings.set({ key: 'n', value: '1' });
    expect(ends).toEqual([]);
    open();
    await Promise.all([announcing, alone]);
    expect(ends.toSorted()).toEqual(['alone', 'in a transaction']);
  });

  it("trust no cache while they cannot receive each other's signals", async () => {
    const { storages, link } = await two();
    expect(storages.map(({ signals }) => signals.live)).toEqual([true, true]);
    link.live = false;
    expect(storages.map(({ signals }) => signals.live)).toEqual([false, false]);
  });

  it('read the latest commit of another process, however many reads run at once', async () => {
    const { storages } = await two();
    const [here, there] = storages;
    const read = () => there.settings.all();
    for (let n = 0; n < 20; n++) {
      // With one process, reads of one turn share a snapshot.
      await Promise.all(Array.from({ length: 5 }, read));
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(Array.from({ length: 5 }, read));
      // In the turn in which the other one commits, before the commit.
      setImmediate(() => void Promise.all(Array.from({ length: 5 }, read)));
      await here.settings.set({ key: 'n', value: String(n) });
      expect(await read()).toEqual([{ key: 'n', value: String(n) }]);
    }
  });
});

describe('the connection to the primary', () => {
  function channel() {
    const sent: Report[] = [];
    let listener: (order: Order) => void = () => undefined;
    const state = { connected: true };
    const link: Channel = {
      get connected() {
        return state.connected;
      },
      send: (report) => sent.push(report),
      on: (_event, hear) => {
        listener = hear;
      },
    };
    return { link, sent, state, order: (order: Order) => listener(order) };
  }

  it('is live after the first answer and while it is open, and sends nothing otherwise', () => {
    const { link, sent, state, order } = channel();
    const { relay } = createPeerWorkers(link);
    expect(relay.live).toBe(false);
    order({ kind: 'beat' });
    expect(relay.live).toBe(true);
    relay.send({ topic: 'settings', key: '' });
    state.connected = false;
    expect(relay.live).toBe(false);
    relay.send({ topic: 'settings', key: '' });
    expect(sent).toEqual([{ kind: 'beat' }, { kind: 'signal', signal: { topic: 'settings', key: '' } }]);
  });

  it('is no longer live when the primary has been silent for one lease', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    try {
      const { link, sent, order } = channel();
      const { relay } = createPeerWorkers(link);
      order({ kind: 'beat' });
      vi.advanceTimersByTime(LEASE_MS - 1);
      expect(relay.live).toBe(true);
      expect(sent).toEqual([{ kind: 'beat' }, { kind: 'beat' }]);
      vi.advanceTimersByTime(1);
      expect(relay.live).toBe(false);
      // An answer that arrives so late counts from the time of its question.
      vi.advanceTimersByTime(LEASE_MS);
      order({ kind: 'beat' });
      expect(relay.live).toBe(false);
      vi.advanceTimersByTime(1_000);
      order({ kind: 'beat' });
      expect(relay.live).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reports when the others have received the signals sent before', async () => {
    const { link, sent, order } = channel();
    const { relay } = createPeerWorkers(link);
    let isHeard = false;
    const heard = relay.heard().then(() => {
      isHeard = true;
    });
    expect(sent.at(-1)).toEqual({ kind: 'barrier', id: 1 });
    order({ kind: 'heard', id: 2 });
    await Promise.resolve();
    expect(isHeard).toBe(false);
    order({ kind: 'heard', id: 1 });
    await heard;
    order({ kind: 'barrier', id: 9 });
    expect(sent.at(-1)).toEqual({ kind: 'heard', id: 9 });
  });

  it('passes on signals of the others, that some may be lost, and that it is time to stop', () => {
    const { link, order } = channel();
    const peers = createPeerWorkers(link);
    const [hear, stop] = [vi.fn(), vi.fn()];
    peers.relay.receive(hear);
    peers.onStop(stop);
    order({ kind: 'signal', signal: { topic: 'user', key: 'ann' } });
    order({ kind: 'signal', signal: null });
    expect(hear.mock.calls).toEqual([[{ topic: 'user', key: 'ann' }], [null]]);
    order({ kind: 'stop' });
    expect(stop).toHaveBeenCalledOnce();
  });

  it('answers with its metrics, and collects those of all', async () => {
    const { link, sent, order } = channel();
    const peers = createPeerWorkers(link);
    peers.onMeasure(async () => [{ name: 'x' }]);
    order({ kind: 'measure', what: 'metrics', id: 7 });
    await expect.poll(() => sent.at(-1)).toEqual({ kind: 'numbers', id: 7, numbers: [{ name: 'x' }] });
    const all = peers.gather();
    expect(sent.at(-1)).toEqual({ kind: 'gather', what: 'metrics', id: 1 });
    order({ kind: 'gathered', id: 1, numbers: [[{ name: 'x' }], []] });
    expect(await all).toEqual([[{ name: 'x' }], []]);
    peers.onMeasure(async () => [{ path: '/x' }], 'requests');
    order({ kind: 'measure', what: 'requests', id: 8 });
    await expect.poll(() => sent.at(-1)).toEqual({ kind: 'numbers', id: 8, numbers: [{ path: '/x' }] });
  });
});

describe('a question to several processes', () => {
  it('is answered by all, by those that are still alive, or by those that answer in time', async () => {
    const { gather, answered, gone } = createScatterGather(50);
    expect(await gather([1, 2], (worker, id) => answered(worker, id, [{ worker }]))).toEqual([
      [{ worker: 1 }],
      [{ worker: 2 }],
    ]);
    expect(await gather([1, 2], (worker, id) => (worker === 1 ? answered(1, id, [{}]) : gone(2)))).toEqual([[{}]]);
    expect(await gather([1, 2], (worker, id) => worker === 1 && answered(1, id, [{}]))).toEqual([[{}]]);
    expect(await gather([], () => undefined)).toEqual([]);
  });
});
