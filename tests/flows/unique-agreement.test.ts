import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, uuid } from '@baobab/contracts/storage';
import { isAppError, NOBODY, type Storage } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STORAGES } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const RUNS = Number(process.env.RUNS ?? 6);

/** Values that documents compete for. Null and an absent value never collide. */
const VALUES = ['a', 'A', '1', 1, true, 'x'.repeat(3000), null] as const;
const value = fc.constantFrom(...VALUES);

const write = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), value, which: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('replace' as const), value, which: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), value, which: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), value, which: fc.nat(30) }) },
);
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never;
/** Writes of one round run in parallel. */
const rounds = fc.array(fc.array(write, { minLength: 4, maxLength: 16 }), { minLength: 2, maxLength: 5 });

const keyOf = (content: string) => JSON.stringify(JSON.parse(content).code ?? null);

interface Target {
  readonly collection: string;
  /** Null for a new document. */
  readonly id: string | null;
  readonly content: string;
  readonly author: string;
}

async function perform({ documents }: Storage, kind: Write['kind'], { collection, id, content, author }: Target) {
  if (kind === 'add') return documents.add(newDocument(author, collection, { content }));
  if (id === null) return null;
  const place = { collection, id };
  const change = { by: NOBODY, updated: NOW, version: null };
  if (kind === 'replace') return documents.replace(place, EVERYTHING, { ...change, content });
  if (kind === 'edit') return documents.edit(place, EVERYTHING, { ...change, change: () => content });
  return documents.remove(place, EVERYTHING);
}

/** Resolves to false if another document has the value. */
async function attempt(storage: Storage, kind: Write['kind'], target: Target): Promise<boolean> {
  try {
    await perform(storage, kind, target);
    return true;
  } catch (error) {
    if (!isAppError(error) || error.code !== 'document.duplicate') throw error;
    return false;
  }
}

describe.each(Object.entries(STORAGES))('unique values under parallel writes, on %s', (name, open) => {
  /** Plays a schedule on one or two connections, in a new collection. */
  async function play(schedule: readonly (readonly Write[])[], nodes: readonly Storage[], n: number): Promise<void> {
    const [storage] = nodes;
    if (storage === undefined) return;
    const collection = await addCollection(storage, `Codes ${n}`);
    const ann = await addUser(storage, `Ann ${n}`);
    const index = { collection, paths: [['code']], name: uuid().replaceAll('-', '_'), isUnique: true } as const;
    expect(await storage.indexes.declare(index, 1)).toBe('declared');
    await storage.indexes.reconcile();
    const list = async () => {
      const all = { collection, scope: EVERYTHING, where: null, order: [], after: null, skip: 0, limit: 500 };
      return (await storage.documents.list(all)) ?? [];
    };

    for (const round of schedule) {
      const before = await list();
      const touched = new Set<string>();
      const results = await Promise.all(
        round.map(async (one, at) => {
          const content = JSON.stringify({ code: one.value, at });
          const id = one.kind === 'add' ? null : (before[one.which % Math.max(1, before.length)]?.id ?? null);
          if (id !== null) touched.add(id);
          const isDone = await attempt(nodes[at % nodes.length] ?? storage, one.kind, {
            collection,
            id,
            content,
            author: ann.id,
          });
          return { kind: one.kind, key: keyOf(content), isDone };
        }),
      );
      const after = await list();
      const keys = after.map(({ content }) => keyOf(content)).filter((key) => key !== 'null');
      expect(keys).toHaveLength(new Set(keys).size);
      // A value that a document keeps during the round is refused to all others.
      const kept = new Set(before.filter(({ id }) => !touched.has(id)).map(({ content }) => keyOf(content)));
      const wronglyDone = results.filter(
        ({ kind, key, isDone }) => isDone && kind === 'add' && key !== 'null' && kept.has(key),
      );
      // A value that is free before the round is refused only if another write of the round stored it.
      const taken = new Set(before.map(({ content }) => keyOf(content)));
      const wronglyRefused = results.filter(
        ({ key, isDone }) =>
          !isDone &&
          !taken.has(key) &&
          !results.some((other) => other.isDone && other.key === key && other.kind !== 'remove'),
      );
      expect({ wronglyDone, wronglyRefused }).toEqual({ wronglyDone: [], wronglyRefused: [] });
      expect(results.filter(({ key, isDone }) => key === 'null' && !isDone)).toEqual([]);
    }
  }

  it('has them once, and refuses nothing else', async () => {
    const opened = await open();
    const other = name === 'postgres' ? createPostgresStorage({ url: opened.url, logger: silentLogger }) : null;
    const nodes = other === null ? [opened.storage] : [opened.storage, other];
    let n = 0;
    try {
      await fc.assert(
        fc.asyncProperty(rounds, (schedule) => play(schedule, nodes, ++n)),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      );
    } finally {
      await other?.close();
      await opened.dispose();
    }
  });
});
