import { expect, it } from 'vitest';
import { createSearchTurns } from '../../packages/adapters/src/sqlite/search-work.ts';

/** Blocks the event loop. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('lets other work run between searches, which keep their order', async () => {
  const inTurn = createSearchTurns();
  const done: string[] = [];
  setImmediate(() => done.push('other'));
  const searches = ['a', 'b', 'c', 'd'].map((name) =>
    inTurn(() => {
      work(3);
      done.push(name);
    }),
  );
  await Promise.all(searches);
  expect(done).toEqual(['a', 'other', 'b', 'c', 'd']);
});

it('goes on after a search that fails', async () => {
  const inTurn = createSearchTurns();
  const failing = inTurn(() => {
    work(3);
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await inTurn(() => 'found')).toBe('found');
});
