import type { Storage } from '@baobab/core';
import { afterAll, beforeAll, expect } from 'vitest';
import { STORAGES, type TestStorage } from './databases.ts';

/**
 * Opens every storage adapter for the tests of a file, to compare their answers.
 *
 * @param prepare runs on each storage before the tests
 */
export function compareStorages(prepare: (storage: Storage) => Promise<void> = async () => undefined) {
  let opened: (readonly [name: string, storage: TestStorage])[] = [];
  beforeAll(async () => {
    opened = await Promise.all(Object.entries(STORAGES).map(async ([name, open]) => [name, await open()] as const));
    for (const [, { storage }] of opened) await prepare(storage);
  });
  afterAll(async () => {
    for (const [, storage] of opened) await storage.dispose();
  });

  return {
    /** Runs `work` on each storage. */
    async each(work: (storage: Storage) => Promise<void>): Promise<void> {
      for (const [, { storage }] of opened) await work(storage);
    },
    /** Returns the answer of all storages. Asserts that they agree. */
    async answers<T>(ask: (storage: Storage) => Promise<T>): Promise<T> {
      const [[, memory], ...others] = opened as [(typeof opened)[number], ...typeof opened];
      const expected = await ask(memory.storage);
      for (const [name, { storage }] of others) expect({ [name]: await ask(storage) }).toEqual({ [name]: expected });
      return expected;
    },
  };
}
