import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createWorkerPool, type WorkerPool } from '../../packages/adapters/src/worker-pool.ts';
import { PATIENCE_MS, pause } from '../support/patience.ts';

type Job = readonly [what: 'answer' | 'fail' | 'wear' | 'throw' | 'exit' | 'exit later' | 'hang' | 'eat', ms?: number];

/** A thread that does as it is told, and returns its own number. */
const ENTRY = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ([what, ms = 0]) => {
      if (what === 'throw') throw new Error('thrown');
      if (what === 'exit') process.exit(3);
      if (what === 'hang') for (;;);
      if (what === 'eat') for (const all = []; ; ) all.push(new Array(1e5).fill(0.5));
      setTimeout(() => {
        if (what === 'fail') parentPort.postMessage({ problem: 'no', isWorn: false });
        else parentPort.postMessage({ value: threadId, isWorn: what === 'wear' });
        if (what === 'exit later') setTimeout(() => process.exit(0), 1);
      }, ms);
    });`)}`,
);

describe('the pool of threads', () => {
  const pools: WorkerPool<Job, number>[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  function open({ size = 1, limitMs = PATIENCE_MS, idleMs = PATIENCE_MS } = {}) {
    const pool = createWorkerPool<Job, number>({ entry: ENTRY, size, limitMs, idleMs });
    pools.push(pool);
    return (...job: Job) => pool.run(job, []);
  }

  it('keeps a thread for the next job', async () => {
    const run = open();
    const first = await run('answer');
    expect([await run('answer'), await run('answer')]).toEqual([first, first]);
  });

  it('starts no more threads than its limit, and queues other jobs', async () => {
    const run = open({ size: 2 });
    const threads = await Promise.all(Array.from({ length: 8 }, () => run('answer', 5)));
    expect(new Set(threads).size).toBe(2);
  });

  it('passes on the error of a failed job, and keeps the thread', async () => {
    const run = open();
    const first = await run('answer');
    await expect(run('fail')).rejects.toMatchObject({ reason: 'job', message: 'no' });
    expect(await run('answer')).toBe(first);
  });

  it('replaces a thread that is worn out', async () => {
    const run = open();
    const first = await run('wear');
    expect(await run('answer')).not.toBe(first);
  });

  it.each([
    ['throw', 'thread'],
    ['exit', 'thread'],
    ['eat', 'memory'],
  ] as const)('replaces a thread that dies (%s)', async (what, reason) => {
    const run = open();
    const [died, waited] = await Promise.allSettled([run(what), run('answer')]);
    expect(died).toMatchObject({ status: 'rejected', reason: { reason } });
    expect(waited).toMatchObject({ status: 'fulfilled' });
    expect(await run('answer')).toBeGreaterThan(0);
  });

  it('replaces a thread that died while it was idle', async () => {
    const run = open();
    const first = await run('exit later');
    await pause(1_000); // Until it is dead, which no event reports.
    expect(await run('answer')).not.toBe(first);
  });

  it('aborts a job that takes too long, and ends its thread', async () => {
    const run = open({ limitMs: 500 });
    await expect(run('hang')).rejects.toMatchObject({ reason: 'time' });
    // The limit includes the start of the thread, which may take as long on a busy machine.
    await expect.poll(() => run('answer').catch(() => 0)).toBeGreaterThan(0);
  });

  it('ends idle threads', async () => {
    const run = open({ idleMs: 20 });
    const first = await run('answer');
    await expect.poll(() => run('answer'), { interval: 300 }).not.toBe(first);
  });

  it('ends running and queued jobs when it is closed', async () => {
    const run = open();
    const jobs = Promise.allSettled([run('answer', 60_000), run('answer')]);
    await pause(100);
    await pools[0]?.close();
    expect(await jobs).toMatchObject([{ reason: { reason: 'closed' } }, { reason: { reason: 'closed' } }]);
    await expect(run('answer')).rejects.toMatchObject({ reason: 'closed' });
  });

  describe('with processes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-pool-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    /** @param source runs when a process starts */
    function openProcesses<Value>(source: string) {
      const file = join(folder, 'entry.mjs');
      writeFileSync(file, source);
      const entry = pathToFileURL(file);
      const variables = { GIVEN: folder };
      const pool = createWorkerPool<Job, Value>({
        entry,
        size: 1,
        limitMs: PATIENCE_MS,
        idleMs: PATIENCE_MS,
        process: variables,
      });
      pools.push(pool as WorkerPool<Job, never>);
      return (...job: Job) => pool.run(job, []);
    }

    it('runs its jobs with none of the other variables of the environment', async () => {
      const run = openProcesses<readonly unknown[]>(`process.on('message', ([what]) => {
        if (what === 'exit') process.exit(3);
        const value = [process.pid, process.env.GIVEN, process.env.HOME];
        process.send({ value, isWorn: what === 'wear' });
      });`);
      const first = await run('answer');
      expect(first).toEqual([expect.not.toSatisfy((pid: number) => pid === process.pid), folder, undefined]);
      expect(await run('wear')).toEqual(first);
      expect(await run('answer')).not.toEqual(first);
      await expect(run('exit')).rejects.toMatchObject({ reason: 'thread' });
      expect(await run('answer')).toEqual([expect.any(Number), folder, undefined]);
    });

    it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
      'runs a job again whose process %s ends while it starts',
      async (signal) => {
        const run = openProcesses<string>(`import { existsSync, writeFileSync } from 'node:fs';
        const mark = process.env.GIVEN + '/${signal}';
        if (!existsSync(mark)) {
          writeFileSync(mark, '');
          process.kill(process.pid, '${signal}');
        }
        process.on('message', () => process.send({ value: 'done', isWorn: false }));`);
        expect(await run('answer')).toBe('done');
      },
    );

    it('does not run a job again whose process was killed', async () => {
      const run = openProcesses(`process.on('message', () => process.kill(process.pid, 'SIGKILL'));`);
      await expect(run('answer')).rejects.toMatchObject({ reason: 'thread' });
    });
  });
});
