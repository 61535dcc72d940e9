import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, NOW, newDocument, newFile, newSession, uuid } from './fixtures.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(NOW / DAY_MS);
const SINCE = { activeSince: NOW, createdSince: (TODAY - 1) * DAY_MS, without: 'zoe' };

export function statisticsContract(current: () => Storage): void {
  const measure = (since = SINCE) => current().statistics.measure(since);

  const storedFile = (size: number) => ({ fileName: 'a', contentType: 'text/plain', size, sha256: '0'.repeat(64) });

  async function addFile(authorId: string, size: number, created: number): Promise<void> {
    await current().files.add(newFile(authorId, { created, ...storedFile(size) }));
  }

  it('are zero at first', async () => {
    expect(await measure()).toEqual({
      users: 0,
      sessions: 0,
      collections: [],
      files: { count: 0, size: 0 },
      assets: { count: 0, size: 0 },
      days: [],
    });
  });

  it('count everything that is stored', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    await addUser(current(), 'Zoe');
    await current().sessions.add(newSession(ann.id, { lastUsed: NOW }));
    await current().sessions.add(newSession(bob.id, { lastUsed: NOW - 1 }));
    const [books, empty] = [await addCollection(current(), 'Books'), await addCollection(current(), 'Authors')];
    await current().documents.add(newDocument(ann.id, books, { content: '{"é":1}' }));
    await current().documents.add(newDocument(bob.id, books, { content: '{}', created: NOW - 40 * DAY_MS }));
    await addFile(ann.id, 7, NOW);
    await addFile(bob.id, 5_000_000_000, NOW);
    const asset = { meta: '{}', authorId: ann.id, created: NOW };
    await current().assets.add({ ...asset, id: uuid(), name: 'hours', file: null });
    await current().assets.add({ ...asset, id: uuid(), name: 'logo', file: storedFile(11) });
    const measured = await measure();
    expect(measured).toMatchObject({
      users: 2,
      sessions: 1,
      files: { count: 2, size: 5_000_000_007 },
      assets: { count: 2, size: 11 },
      days: [{ day: TODAY, users: 2, documents: 1, files: 2 }],
    });
    expect(measured.collections).toEqual([
      { name: 'Authors', records: 0, size: 0 },
      { name: 'Books', records: 2, size: 10 },
    ]);
    expect(measured.collections).toEqual(await current().collections.list());
    expect(empty).not.toBe(books);
  });

  it('name the days on which something was created, from the given moment on', async () => {
    const days = [TODAY - 2, TODAY - 1, TODAY];
    for (const day of days) await addUser(current(), `On ${day}`, { created: day * DAY_MS });
    await addUser(current(), 'At the end of the day', { created: TODAY * DAY_MS - 1 });
    expect((await measure()).days).toEqual([
      { day: TODAY - 1, users: 2, documents: 0, files: 0 },
      { day: TODAY, users: 1, documents: 0, files: 0 },
    ]);
    expect((await measure()).users).toBe(4);
  });
}
