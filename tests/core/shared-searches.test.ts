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
function createWorld(
  answer: (job: SearchJob) => SearchAnswer | Error,
  { ms = SLOW_MS, threads = true }: { ms?: number | ((at: number) => number); threads?: boolean } = {},
): World {
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
    here(sql: string) {
      world.here.push(sql);
      time += typeof ms === 'number' ? ms : ms(world.here.length);
      if (sql === 'too long') throw new SearchStopped();
      return [{ n: 'here' }];
    },
    startWorker: threads ? startWorker : null,
    watch: (sql) => world.watched.push(sql),
    now: () => time,
  });
  open.push(searches);
  return { searches, ...world };
}

const found: SearchAnswer = { kind: 'rows', rows: [{ n: 'there' }], ms: 1 };
const HERE = [{ n: 'here' }];
/** Enough to keep the last ones waiting until a thread is started. */
const MANY = 40;
const many = (searches: SharedSearches, count = MANY) =>
  Promise.all(Array.from({ length: count }, (_, n) => searches.search(`search ${n % 2}`, [])));

describe('short searches', () => {
  it('run at once while there are few', async () => {
    const { searches, here, workers } = createWorld(() => found);
    for (let i = 0; i < 30; i++) {
      expect(await searches.search('slow', [])).toEqual(HERE);
      await nextTurn();
    }
    expect(here).toHaveLength(30);
    expect(workers).toHaveLength(0);
  });

  it('wait for later turns of the event loop when there are many, in their order', async () => {
    const { searches, here } = createWorld(() => found, { threads: false });
    const names = ['a', 'b', 'a', 'b', 'c', 'a'];
    await Promise.all(['a', 'b', 'c'].map((sql) => searches.search(sql, [])));
    await nextTurn();
    here.length = 0;
    const all = Promise.all(names.map((sql) => searches.search(sql, [])));
    expect(here).toEqual(names.slice(0, 1));
    await nextTurn();
    expect(here).toEqual(names.slice(0, 2));
    expect(await all).toEqual(names.map(() => HERE));
    expect(here).toEqual(names);
  });

  it('that usually take little time never wait', () => {
    const { searches, here, workers } = createWorld(() => found, { ms: 0.1 });
    void many(searches, 200);
    expect(here).toHaveLength(200);
    expect(workers).toHaveLength(0);
  });

  it('that were interrupted once are not taken for long ones', () => {
    const { searches, here } = createWorld(() => found, { ms: (at) => (at === 100 ? 50 : 0.1) });
    void many(searches, 200);
    expect(here).toHaveLength(200);
  });

  it('are shared with a thread when they have been waiting for a while', async () => {
    const { searches, here, there, watched, workers } = createWorld(() => found, { ms: 1 });
    const rows = await many(searches, 100);
    expect(workers).toHaveLength(1);
    expect(there.length).toBeGreaterThan(3);
    expect(here.length + there.length).toBe(100);
    expect(rows.filter((one) => JSON.stringify(one) === JSON.stringify([{ n: 'there' }]))).toHaveLength(there.length);
    expect(watched).toEqual(there);
  });

  it('all run on the event loop where there is no processor for a thread', async () => {
    const { searches, here } = createWorld(() => found, { threads: false });
    await many(searches);
    expect(here).toHaveLength(MANY);
  });

  it('resolve to null at their limit, wherever they run', async () => {
    const { searches, there } = createWorld(() => ({ kind: 'stopped' }));
    expect(await searches.search('too long', [])).toBeNull();
    expect((await many(searches)).filter((rows) => rows === null)).toHaveLength(there.length);
    expect(there.length).toBeGreaterThan(0);
  });

  it('run on the event loop when the thread fails, and another thread is started', async () => {
    const { searches, there, workers } = createWorld(() => new Error('the thread has ended'));
    expect(await many(searches)).toEqual(Array.from({ length: MANY }, () => HERE));
    expect(there.length).toBeGreaterThan(0);
    expect(workers[0]?.ended).toBe(true);
    expect(await many(searches)).toEqual(Array.from({ length: MANY }, () => HERE));
    expect(workers.length).toBeGreaterThan(1);
  });

  it('run on the event loop when the thread answers with an error, so that it is told as one', async () => {
    const { searches, workers } = createWorld(() => ({ kind: 'failed', error: 'no such column' }));
    expect(await many(searches)).toEqual(Array.from({ length: MANY }, () => HERE));
    expect(workers.map(({ ended }) => ended)).toEqual([false]);
  });

  it('start no thread after the end', async () => {
    const { searches, workers } = createWorld(() => found);
    const running = many(searches);
    searches.close();
    await running;
    expect(workers).toHaveLength(0);
  });
});
