import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../packages/adapters/src/sqlite/database.ts';
import { createReader, type Reader } from '../../packages/adapters/src/sqlite/reader.ts';
import { SearchStopped } from '../../packages/adapters/src/sqlite/search-work.ts';

let folder: string;
let writing: Connection;
let reader: Reader;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const read = () => reader.enter().get<{ n: number }>('select n from numbers', [])?.n;
const write = (n: number) => writing.run('update numbers set n = ?1', [n]);

async function busyTurn(): Promise<void> {
  for (let i = 0; i < 10; i++) read();
  await nextTurn();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baobab-test-'));
  const path = join(folder, 'numbers.db');
  writing = openConnection(path, { readOnly: false });
  writing.exec('create table numbers (n integer); insert into numbers values (0)');
  reader = createReader(openConnection(path, { readOnly: true }));
});

afterEach(() => {
  reader.close();
  writing.close();
  rmSync(folder, { recursive: true });
});

it('sees the latest commit in a turn with a single read', () => {
  expect(read()).toBe(0);
  write(1);
  expect(read()).toBe(1);
});

it('shares one snapshot among the reads of a turn that follows a busy one', async () => {
  await busyTurn();
  expect(read()).toBe(0);
  write(1);
  expect(read()).toBe(0);
  await nextTurn();
  expect(read()).toBe(1);
});

it('sees a commit as soon as it is notified', async () => {
  await busyTurn();
  expect(read()).toBe(0);
  write(1);
  reader.renew();
  expect(read()).toBe(1);
  write(2);
  expect(read()).toBe(2);
});

it('continues after a statement that failed in a shared transaction', async () => {
  await busyTurn();
  expect(read()).toBe(0);
  expect(() => reader.enter().all('select nothing from numbers', [])).toThrow();
  expect(read()).toBe(0);
  await nextTurn();
  write(1);
  expect(read()).toBe(1);
});

it('releases the file when it is closed in the middle of a turn', async () => {
  await busyTurn();
  expect(read()).toBe(0);
  reader.close();
  expect(writing.all<{ mode: string }>('pragma journal_mode = delete', [])).toEqual([{ journal_mode: 'delete' }]);
});

it.each([undefined, { maxBytes: 100, heavy: [] }])(
  'runs a search again after one that reached its limit, bounded by %o',
  (bound) => {
    const search = (ms: number) =>
      writing.search('select n from numbers where search_work(0)', [], { ms, rowBytes: 100 }, bound);
    expect(search(Number.POSITIVE_INFINITY)).toEqual([{ n: 0 }]);
    expect(() => search(-1)).toThrow(SearchStopped);
    expect(search(Number.POSITIVE_INFINITY)).toEqual([{ n: 0 }]);
  },
);
