import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../packages/adapters/src/sqlite/database.ts';
import { createWriter, type Writer } from '../../packages/adapters/src/sqlite/writer.ts';
import { createFolder } from '../support/databases.ts';

describe('the single writer of SQLite', () => {
  let folder: ReturnType<typeof createFolder>;
  let connection: Connection;
  let reader: Connection;
  let writer: Writer;
  let heard: string[];

  beforeEach(() => {
    folder = createFolder();
    connection = openConnection(join(folder.path, 'x.db'), { readOnly: false });
    connection.exec('create table t (n integer primary key)');
    // A foreign key that is checked only when the transaction commits: a violation makes the commit fail.
    connection.exec('create table late (n integer references t (n) deferrable initially deferred)');
    reader = openConnection(join(folder.path, 'x.db'), { readOnly: true });
    heard = [];
    writer = createWriter(connection, {
      committed: () => undefined,
      deliver: (signal) => heard.push(signal?.key ?? ''),
    });
  });
  afterEach(async () => {
    await writer.drain();
    reader.close();
    connection.close();
    folder.remove();
  });

  const stored = () => reader.all<{ n: number }>('select n from t order by n', []).map(({ n }) => n);
  const insert = (n: number) => connection.run('insert into t (n) values (?1)', [n]);
  const single = (n: number) => writer.run(() => insert(n), { isCompound: false });
  const double = (a: number, b: number) =>
    writer.run(
      async (signals) => {
        signals.push({ topic: 'user', key: `${a}` });
        insert(a);
        await Promise.resolve();
        insert(b);
        return 'done';
      },
      { isCompound: true },
    );

  it('has everything on disk that it has acknowledged', async () => {
    await Promise.all(Array.from({ length: 1500 }, (_, n) => single(n).then(() => expect(stored()).toContain(n))));
    expect(stored()).toHaveLength(1500);
  });

  it('lets a job fail without affecting the others of its commit', async () => {
    const outcomes = await Promise.allSettled([
      single(1),
      single(1),
      double(2, 3),
      double(4, 1),
      double(5, 6),
      single(7),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(stored()).toEqual([1, 2, 3, 5, 6, 7]);
    expect(heard).toEqual(['2', '5']);
  });

  it('rolls back a compound job that throws', async () => {
    const failing = writer.run(
      () => {
        insert(1);
        throw new Error('no more');
      },
      { isCompound: true },
    );
    await expect(failing).rejects.toThrow('no more');
    expect(stored()).toEqual([]);
  });

  it('acknowledges none of the jobs whose shared commit fails, sends no signals, and continues', async () => {
    const breaking = () =>
      writer.run(() => connection.run('insert into late (n) values (99)', []), { isCompound: false });
    const outcomes = await Promise.allSettled([single(1), double(2, 3), breaking(), single(4)]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(stored()).toEqual([]);
    expect(heard).toEqual([]);
    await single(5);
    expect(stored()).toEqual([5]);
  });

  it('runs jobs one at a time, in the order of their arrival', async () => {
    const order: string[] = [];
    const job = (name: string) =>
      writer.run(
        async () => {
          order.push(`${name} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(`${name} ends`);
        },
        { isCompound: true },
      );
    await Promise.all([job('a'), job('b'), job('c')]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('finishes the jobs that were submitted before it closed, and rejects later ones', async () => {
    const before = Array.from({ length: 600 }, (_, n) => single(n));
    writer.close();
    await expect(single(1000)).rejects.toMatchObject({ code: 'storage.unavailable' });
    await writer.drain();
    await Promise.all(before);
    expect(stored()).toHaveLength(600);
  });

  describe('while another process writes', () => {
    let other: Connection;

    beforeEach(() => {
      other = openConnection(join(folder.path, 'x.db'), { readOnly: false });
      other.exec('begin immediate');
    });
    afterEach(() => other.close());

    it('waits without blocking anything else, and commits later jobs together', async () => {
      const first = single(1);
      const gaps: number[] = [];
      for (let i = 0, last = performance.now(); i < 40; i++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        gaps.push(performance.now() - last);
        last = performance.now();
      }
      const second = double(2, 3);
      // Most turns are short; one may be long on a busy machine.
      expect(gaps.toSorted((a, b) => a - b)[20]).toBeLessThan(1_000);
      expect(stored()).toEqual([]);
      expect(heard).toEqual([]);
      other.exec('rollback');
      await Promise.all([first, second]);
      expect(stored()).toEqual([1, 2, 3]);
      expect(heard).toEqual(['2']);
    });

    it('gives up after its limit, and continues when the other process has ended', async () => {
      const impatient = createWriter(
        connection,
        { committed: () => undefined, deliver: () => undefined },
        { lockLimit: 50 },
      );
      const attempt = impatient.run(() => insert(1), { isCompound: false });
      await expect(attempt).rejects.toMatchObject({ code: 'storage.unavailable' });
      other.exec('commit');
      await impatient.run(() => insert(2), { isCompound: false });
      expect(stored()).toEqual([2]);
    });
  });

  it('lets other processes write between its commits', async () => {
    const [here, there] = [0, 1].map(() => openConnection(join(folder.path, 'x.db'), { readOnly: false }));
    const ends: string[] = [];
    const busy = async (own: Connection, name: string, from: number) => {
      const hooks = { committed: () => undefined, deliver: () => undefined };
      const busyWriter = createWriter(own, hooks, { isAlone: false });
      const jobs = Array.from({ length: 3_000 }, (_, n) =>
        busyWriter.run(() => own.run('insert into t (n) values (?1)', [from + n]), { isCompound: false }),
      );
      await Promise.all(jobs.map((job) => job.then(() => ends.push(name))));
    };
    await Promise.all([busy(here as Connection, 'here', 0), busy(there as Connection, 'there', 10_000)]);
    here?.close();
    there?.close();
    expect(stored()).toHaveLength(6_000);
    // Neither was done before the other had begun.
    expect(ends.indexOf('there')).toBeLessThan(3_000);
    expect(ends.indexOf('here')).toBeLessThan(3_000);
  });
});
