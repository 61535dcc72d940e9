import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { SearchAnswer, SearchJob } from '../../packages/adapters/src/sqlite/search-thread.ts';
import { SearchStopped } from '../../packages/adapters/src/sqlite/search-work.ts';
import { createSharedSearches, type SharedSearches } from '../../packages/adapters/src/sqlite/shared-searches.ts';

const SLOW_MS = 3;

interface World {
  readonly searches: SharedSearches;
  /** Where the searches ran. */
  readonly here: string[];
  readonly there: string[];
  readonly watched: string[];
  readonly workers: { ended: boolean }[];
}

let open: SharedSearches[] = [];
afterEach(() => {
  for (const searches of open) searches.close();
  open = [];
});

/** @param answer what the thread answers, later */
function createWorld(answer: (job: SearchJob) => SearchAnswer | Error, { ms = SLOW_MS, threads = true } = {}): World {
  const world: Omit<World, 'searches'> = { here: [], there: [], watched: [], workers: [] };
  let time = 0;
  function startWorker() {
    const state = { ended: false };
    world.workers.push(state);
    return {
      async run(job: SearchJob): Promise<SearchAnswer> {
        world.there.push(job.sql);
        await pause(1);
        const result = answer(job);
        if (result instanceof Error) throw result;
        return result;
      },
      end() {
        state.ended = true;
      },
    };
  }
  const searches = createSharedSearches({
    here<Row>(sql: string) {
      world.here.push(sql);
      time += ms;
      if (sql === 'too long') throw new SearchStopped();
      return [{ n: 'here' }] as Row[];
    },
    startWorker: threads ? startWorker : null,
    watch: (sql) => world.watched.push(sql),
    now: () => time,
  });
  open.push(searches);
  return { searches, ...world };
}

const found: SearchAnswer = { kind: 'rows', rows: [{ n: 'there' }], ms: 1 };
const many = (searches: SharedSearches, count = 10) =>
  Promise.all(Array.from({ length: count }, () => searches.search('slow', [])));

describe('short searches', () => {
  it('run on the event loop, one after the other, without a thread', async () => {
    const { searches, here, workers } = createWorld(() => found);
    for (let i = 0; i < 10; i++) {
      expect(await searches.search('slow', [])).toEqual([{ n: 'here' }]);
      await nextTurn();
    }
    expect(here).toHaveLength(10);
    expect(workers).toHaveLength(0);
  });

  it('are shared with a thread when many come at once', async () => {
    const { searches, here, there, watched, workers } = createWorld(() => found);
    await many(searches);
    expect([here.length, there.length]).toEqual([10, 0]);
    await nextTurn();
    expect(workers).toHaveLength(1);
    const rows = await many(searches);
    expect([here.length, there.length]).toEqual([15, 5]);
    expect(rows.filter((one) => JSON.stringify(one) === '[{"n":"there"}]')).toHaveLength(5);
    expect(watched).toHaveLength(5);
  });

  it('stay on the event loop when they take little time', async () => {
    const { searches, there, workers } = createWorld(() => found, { ms: 0.1 });
    await many(searches, 200);
    await nextTurn();
    await many(searches);
    expect(workers).toHaveLength(1);
    expect(there).toHaveLength(0);
  });

  it('stay on the event loop where there is no processor for a thread', async () => {
    const { searches, here } = createWorld(() => found, { threads: false });
    await many(searches);
    await nextTurn();
    await many(searches);
    expect(here).toHaveLength(20);
  });

  it('resolve to null at their limit, wherever they ran', async () => {
    const { searches } = createWorld(() => ({ kind: 'stopped' }));
    expect(await searches.search('too long', [])).toBeNull();
    await many(searches);
    await nextTurn();
    expect((await many(searches)).filter((rows) => rows === null)).toHaveLength(5);
  });

  it('are run again here when the thread fails, and another thread is started', async () => {
    const { searches, here, workers } = createWorld(() => new Error('the thread has ended'));
    await many(searches);
    await nextTurn();
    expect(await many(searches)).toEqual(Array.from({ length: 10 }, () => [{ n: 'here' }]));
    expect(here).toHaveLength(20);
    expect(workers[0]?.ended).toBe(true);
    await nextTurn();
    await many(searches);
    await nextTurn();
    expect(workers.length).toBeGreaterThan(1);
  });

  it('are run again here when the thread reports an error, so that it is told as one', async () => {
    const { searches, here, workers } = createWorld(() => ({ kind: 'failed', error: 'no such column' }));
    await many(searches);
    await nextTurn();
    await many(searches);
    expect(here).toHaveLength(20);
    expect(workers.map(({ ended }) => ended)).toEqual([false]);
  });

  it('start no thread after the end', async () => {
    const { searches, workers } = createWorld(() => found);
    const running = many(searches);
    searches.close();
    await running;
    await nextTurn();
    expect(workers).toHaveLength(0);
  });
});
