import type { Signal, Storage } from '@baobab/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { until } from './transactions.ts';

/** Two processes on the same data, which is migrated and empty. */
export interface OpenedShared {
  /** The same storage twice for adapters that cannot share data. */
  readonly storages: readonly [Storage, Storage];
  dispose(): Promise<void>;
}

const KEY = 'contract.shared';

/** Creates a cache like those of the server: trusted while signals are live, cleared by signals. */
function createCache(storage: Storage) {
  let known: string | null = null;
  let generation = 0;
  const stop = storage.signals.subscribe((signal) => {
    if (signal !== null && signal.topic !== 'settings') return;
    generation++;
    known = null;
  });
  return {
    stop,
    async read(): Promise<string> {
      if (known !== null && storage.signals.live) return known;
      const before = generation;
      const value = (await storage.settings.all()).find(({ key }) => key === KEY)?.value ?? '';
      if (before === generation) known = value;
      return value;
    },
  };
}

type Cache = ReturnType<typeof createCache>;

/** Reads in a loop until `isOver`. */
async function keepReading(cache: Cache, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await cache.read();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Contract of signals between processes that share a storage. */
export function sharedStorageContract(name: string, open: () => Promise<OpenedShared>): void {
  describe(`shared storage contract: ${name}`, PATIENT, () => {
    let opened: OpenedShared;
    let here: Storage;
    let there: Storage;
    beforeEach(async () => {
      opened = await open();
      [here, there] = opened.storages;
    });
    afterEach(() => opened.dispose());

    const set = (storage: Storage, value: string) =>
      storage.transaction(async ({ settings, announcer }) => {
        await settings.set({ key: KEY, value });
        await announcer.announce({ topic: 'settings', key: KEY });
      });

    async function listen(storage: Storage) {
      const heard: Array<Signal | null> = [];
      storage.signals.subscribe((signal) => heard.push(signal));
      await until(() => storage.signals.live);
      return heard;
    }

    it('has informed every process when a change is acknowledged', async () => {
      const [inHere, inThere] = [await listen(here), await listen(there)];
      for (let n = 0; n < 40; n++) {
        const signal: Signal = { topic: 'user', key: `${n}` };
        const from = n % 2 === 0 ? here : there;
        if (n % 4 < 2) await from.transaction(({ announcer }) => announcer.announce(signal));
        else await from.announcer.announce(signal);
        expect(inHere.at(-1)).toEqual(signal);
        expect(inThere.at(-1)).toEqual(signal);
      }
    });

    it('informs every process of every change, however many are concurrent', async () => {
      const [inHere, inThere] = [await listen(here), await listen(there)];
      const change = async (from: Storage, key: string) => {
        const signal: Signal = { topic: 'session', key };
        await from.transaction(({ announcer }) => announcer.announce(signal));
        expect(inHere).toContainEqual(signal);
        expect(inThere).toContainEqual(signal);
      };
      await Promise.all(Array.from({ length: 100 }, (_, n) => change(n % 2 === 0 ? here : there, `${n}`)));
    });

    it('passes messages between rooms on to every process, in order and whole', async () => {
      const [inHere, inThere] = [await listen(here), await listen(there)];
      const keys = Array.from({ length: 20 }, (_, n) => `${n} ${'x'.repeat(7_000)} "\\u00e9"`);
      for (const key of keys) await here.announcer.announce({ topic: 'rooms', key });
      for (const heard of [inHere, inThere]) {
        const inRooms = () => heard.filter((signal) => signal?.topic === 'rooms').map((signal) => signal?.key);
        await until(() => inRooms().length >= keys.length);
        expect(inRooms()).toEqual(keys);
      }
    });

    it('leaves no stale value in any cache, even one that is created during changes', async () => {
      const caches: Cache[] = [];
      const readers: Array<Promise<void>> = [];
      let isOver = false;
      const begin = (storage: Storage) => {
        const cache = createCache(storage);
        caches.push(cache);
        readers.push(keepReading(cache, () => isOver));
      };
      begin(here);
      for (let n = 0; n < 60; n++) {
        if (n === 20) begin(there);
        await set(n % 3 === 0 ? there : here, `${n}`);
        const read = await Promise.all(caches.map((cache) => cache.read()));
        expect(new Set(read)).toEqual(new Set([`${n}`]));
      }
      isOver = true;
      await Promise.all(readers);
      for (const { stop } of caches) stop();
    });

    it('acknowledges changes when another process has ended', async () => {
      const heard = await listen(here);
      await listen(there);
      if (there !== here) await there.close();
      const signal: Signal = { topic: 'roles', key: 'x' };
      await here.announcer.announce(signal);
      expect(heard.at(-1)).toEqual(signal);
    });

    it('acknowledges changes when no process listens', async () => {
      await set(here, 'x');
      expect((await there.settings.all()).find(({ key }) => key === KEY)?.value).toBe('x');
    });
  });
}
