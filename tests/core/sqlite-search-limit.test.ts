import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../packages/adapters/src/sqlite/database.ts';
import {
  SearchStopped,
  SHORT_SEARCH,
  UNLIMITED,
  watchSearches,
} from '../../packages/adapters/src/sqlite/search-work.ts';
import { createFolder } from '../support/databases.ts';

const SEARCH = 'select n, text from texts where search_work(length(text)) order by n';
const LIMIT = { ms: Number.POSITIVE_INFINITY, rowBytes: 10 };
const ALL = [
  { n: 1, text: 'short' },
  { n: 2, text: 'longer than that' },
];

let connection: Connection;
let close: () => void;

beforeEach(() => {
  const { path, remove } = createFolder();
  connection = openConnection(join(path, 'texts.db'), { readOnly: false });
  connection.exec('create table texts (n integer, text text)');
  for (const { n, text } of ALL) connection.run('insert into texts values (?1, ?2)', [n, text]);
  close = () => {
    connection.close();
    remove();
  };
});
afterEach(() => close());

describe.each([
  ['of all rows', undefined],
  ['of rows up to a number of bytes', { maxBytes: 1_000, heavy: ['text'] }],
])('a search %s', (_what, bound) => {
  it('is stopped at its limit, and works again afterwards', () => {
    expect(() => connection.search(SEARCH, [], LIMIT, bound)).toThrow(SearchStopped);
    expect(connection.search(SEARCH, [], UNLIMITED, bound)).toEqual(ALL);
    connection.run('delete from texts where n = ?1', [2]);
    expect(connection.search(SEARCH, [], LIMIT, bound)).toEqual(ALL.slice(0, 1));
  });

  it('fails as itself when it does not reach its limit', () => {
    expect(() => connection.search('select n from texts where abs(-9223372036854775808)', [], LIMIT, bound)).toThrow(
      'The database is unavailable',
    );
  });
});

describe('a search on the event loop', () => {
  /** The result of a search of three rows, while the clocks advance by so much with each row. */
  function found(elapsed: number, busy: number): number {
    const database = new DatabaseSync(':memory:');
    let rows = 0;
    const clocks = { now: () => ++rows * elapsed, busy: () => rows * busy };
    const { limited } = watchSearches(database, clocks);
    const search = () => database.prepare('select 1 from (values (1), (2), (3)) where search_work(column1)').all();
    try {
      return limited(SHORT_SEARCH, search).length;
    } finally {
      database.close();
    }
  }

  it('goes on when it waited for a processor', () => {
    expect(found(30, 1)).toBe(3);
  });

  it('is stopped when it has worked for long', () => {
    expect(() => found(30, 30)).toThrow(SearchStopped);
  });

  it('is stopped when it has waited for long', () => {
    expect(() => found(60, 1)).toThrow(SearchStopped);
  });
});
