import { DatabaseSync } from 'node:sqlite';
import { createMemoryStorage } from '@baobab/adapters/memory';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { accessScopeOfUser, EVERYTHING, NOW } from '@baobab/contracts/storage';
import {
  type AccessScope,
  assetNames,
  createQueryParser,
  fileNames,
  type IndexedList,
  type ProfileScope,
  pathIn,
  type Query,
  type Storage,
  seenBy,
  storedSortValues,
  userSortValues,
} from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathsOfText } from '../../packages/adapters/src/index-paths.ts';
import { createPostgresCriteria } from '../../packages/adapters/src/postgres/criteria.ts';
import type { CriteriaDialect } from '../../packages/adapters/src/sql/criteria/dialect.ts';
import { type ObjectPlan, pageQuery } from '../../packages/adapters/src/sql/criteria/object-pages.ts';
import { createObjectStatement, type MakeSource } from '../../packages/adapters/src/sql/criteria/object-statement.ts';
import { SOURCE } from '../../packages/adapters/src/sql/files/assets.ts';
import { sourceOf as filesOf } from '../../packages/adapters/src/sql/files/files.ts';
import type { ReadyIndex } from '../../packages/adapters/src/sql/lists/index-choice.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { sourceOf as usersOf } from '../../packages/adapters/src/sql/users/user-lists.ts';
import { SQLITE_CRITERIA } from '../../packages/adapters/src/sqlite/criteria.ts';
import { WATCHED_CRITERIA } from '../../packages/adapters/src/sqlite/search-work.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { ANN_ID, ASSETS, BOB_ID, fill } from '../support/indexed-lists.ts';
import { silentLogger } from '../support/logger.ts';
import { sqlitePlan } from '../support/query-plans.ts';

const parse = createQueryParser({ clock: { now: () => NOW } });
const query = (where: string | null, orderBy: string | null = null): Query =>
  parse({ where, orderBy, fields: null, groupBy: null, params: [] });

const ADMIN: ProfileScope = { viewer: null, everything: true, asFriend: false };
const ANN: ProfileScope = { viewer: ANN_ID, everything: false, asFriend: false };
const ANYONE: ProfileScope = { viewer: null, everything: false, asFriend: false };
const selected = (profileScope: ProfileScope, { where }: Pick<Query, 'where'>) =>
  ({ userSet: { kind: 'all' }, profileScope, without: 'admin', where }) as const;

type Case = readonly [title: string, list: IndexedList, asked: Query, plan: ObjectPlan, index: string];

/** The query of somebody who may read everything, and the index that it uses. */
const INDEXED: readonly Case[] = [
  [
    'equality in a section',
    'users',
    query("visibleByRegisteredUsers.city = 'city 3'"),
    'scan',
    'visibleByRegisteredUsers.city',
  ],
  ['the order of a section', 'users', query(null, 'visibleByTheUser.n desc'), 'scan', 'visibleByTheUser.n'],
  ['a name', 'users', query("user.name = 'user 007'"), 'scan', 'user.name'],
  ['the beginning of a name', 'users', query("user.name like 'user 00%'"), 'ranges', 'user.name'],
  [
    'a status in the order of a section',
    'users',
    query("user.status = 'ACTIVE'", 'visibleByAnonymousUsers.n'),
    'scan',
    'user.status,visibleByAnonymousUsers.n',
  ],
  ['equality in attached data', 'files', query("attachedData.kind = 'k1'", 'id desc'), 'scan', 'attachedData.kind'],
  ['a range of lengths', 'files', query('contentLength between 5 and 9'), 'ranges', 'contentLength'],
  ['the order of lengths', 'files', query(null, 'contentLength'), 'scan', 'contentLength'],
  [
    'two equalities',
    'files',
    query("contentType = 'image/png' and attachedData.n = 4", '_creation_date'),
    'scan',
    'contentType,attachedData.n',
  ],
  ['a range of names', 'assets', query("name >= 'asset 2590'", 'id'), 'ranges', 'name'],
  ['the order of names', 'assets', query(null, 'name desc'), 'scan', 'name'],
  [
    'equality in the order of another member',
    'assets',
    query("meta.kind = 'k1'", 'meta.n'),
    'scan',
    'meta.kind,meta.n',
  ],
  ['several values', 'assets', query('meta.n in [3, 5, 8]', '_creation_date desc'), 'ranges', 'meta.n'],
  ['names like those of tables', 'assets', query('meta.u.a.files = 5'), 'scan', 'meta.u.a.files'],
];

interface Planner {
  readonly dialect: CriteriaDialect;
  readonly style: 'anonymous' | 'dollar';
  /** The database's query plan. */
  explain(text: string, values: readonly unknown[]): Promise<string>;
  ready(list: IndexedList): Promise<readonly ReadyIndex[]>;
}

const SOURCES: Readonly<Record<IndexedList, (asked: Query) => MakeSource>> = {
  users: (asked) => usersOf(selected(ADMIN, asked)),
  files: () => filesOf({ scope: EVERYTHING, where: null }, true),
  assets: () => SOURCE,
};

/** The answers of a storage to a query, for each viewer: whole lists, and pages of them. */
async function answersOf({ users: all, files: stored, assets: published }: Storage, list: IndexedList, asked: Query) {
  const { where, order } = asked;
  const everything = { where, order, after: null, skip: 0, limit: ASSETS + 1 };
  const answers: unknown[] = [];
  async function pages<Row extends { readonly id: string }>(
    read: (part: Pick<typeof everything, 'skip' | 'limit'> & { after: Position | null }) => Promise<Row[]>,
    positionOf: (row: Row) => Position,
  ): Promise<void> {
    const rows = await read(everything);
    const middle = rows[Math.floor(rows.length / 2)];
    const after = middle === undefined ? null : positionOf(middle);
    const parts = [
      { after: null, skip: 0, limit: 20 },
      { after: null, skip: 15, limit: 20 },
      { after, skip: 0, limit: 20 },
    ];
    answers.push(rows.map(({ id }) => id));
    for (const part of parts) answers.push((await read(part)).map(({ id }) => id));
  }
  if (list === 'users') {
    for (const profileScope of [ADMIN, ANN, ANYONE]) {
      const selection = selected(profileScope, asked);
      await pages(
        (part) => all.list({ ...selection, order, ...part }),
        (user) => ({ keys: userSortValues(order, seenBy(profileScope, user)), id: user.id }),
      );
      answers.push(await all.count(selection));
    }
  }
  if (list === 'files') {
    const scopes: readonly AccessScope[] = [EVERYTHING, accessScopeOfUser(ANN_ID), accessScopeOfUser(BOB_ID)];
    for (const scope of scopes) {
      await pages(
        (part) => stored.list({ where, order, scope, ...part }),
        (file) => ({ keys: storedSortValues(order, fileNames(file)), id: file.id }),
      );
      answers.push(await stored.count({ scope, where }));
    }
  }
  if (list === 'assets') {
    await pages(
      (part) => published.list({ where, order, ...part }),
      (asset) => ({ keys: storedSortValues(order, assetNames(asset)), id: asset.id }),
    );
    answers.push(await published.count(where));
  }
  return answers;
}

type Position = { readonly keys: ReturnType<typeof userSortValues>; readonly id: string };

const FURTHER: readonly (readonly [IndexedList, Query])[] = [
  ['users', query("visibleByFriend.city in ['city 0', 'city 1']")],
  ['users', query("visibleByTheUser.n = 0 and visibleByFriend.city like 'city%'")],
  ['users', query("visibleByFriend.city = 'city 1' and visibleByRegisteredUsers.city like 'city%'", 'user.name desc')],
  ['users', query('visibleByTheUser.n > 3', 'visibleByFriend.city')],
  ['users', query('visibleByTheUser.n is null', 'visibleByTheUser.n')],
  ['users', query("not visibleByFriend.city = 'city 1'")],
  ['users', query("user.status = 'ACTIVE' and user.name > 'user 100'", 'visibleByAnonymousUsers.n desc')],
  ['users', query('user.name = 5 or user.name is null')],
  ['users', query('user.name is null')],
  ['files', query(null, 'fileName')],
  ['files', query("attachedData.kind in ['k1', 'k2']", 'attachedData.n, contentLength desc')],
  ['assets', query('meta.n > 100', '_creation_date desc')],
  ['assets', query('meta.n > 100', 'id')],
  ['assets', query('meta.n > 100 and meta.n < 2500', 'meta.n desc')],
  ['assets', query("meta.n > 100 and name like '%25'", 'id')],
  ['assets', query("meta.kind = 'k2' and meta.n > 7", 'meta.kind, meta.n desc')],
  ['assets', query(null, 'meta.kind, meta.n')],
];

function plansOf(planner: () => Planner, current: () => Storage): void {
  it.each(INDEXED)('use the index for %s', async (_title, list, asked, plan, index) => {
    const { dialect, style, explain, ready } = planner();
    const known = await ready(list);
    const name =
      known.find(({ paths }) => paths.map((path) => pathIn(path).join('.')).join() === index)?.name ?? 'none';
    const statement = createObjectStatement(dialect, SOURCES[list](asked), known);
    const { text, values } = pageQuery(statement, { ...asked, after: null, skip: 0, limit: 21 }, plan);
    const compiled = compile(style, text);
    const shown = await explain(compiled.text, compiled.bind(values));
    const found = style === 'dollar' ? `${name}.*\\n\\s+Index Cond` : `SEARCH \\w+ USING INDEX ${name}`;
    expect(shown).toMatch(asked.where === null ? new RegExp(name) : new RegExp(found));
    expect(shown).not.toMatch(/Seq Scan on (?:users|files|assets)|SCAN (?:u|files|a)\b(?! USING INDEX)/);
    if (plan === 'scan') expect(shown).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
  });

  it('have the same rows and pages as in memory, for every viewer', async () => {
    for (const [list, asked] of [...INDEXED.map(([, list, asked]) => [list, asked] as const), ...FURTHER]) {
      const wanted = await answersOf(memory, list, asked);
      expect({ list, asked, answers: await answersOf(current(), list, asked) }).toEqual({
        list,
        asked,
        answers: wanted,
      });
    }
  });
}

const memory = createMemoryStorage();
beforeAll(() => fill(memory));
afterAll(() => memory.close());

describe('lists of users, files and assets on SQLite', () => {
  const folder = createFolder();
  const path = `${folder.path}/baobab.db`;
  const storage = createSqliteStorage({ path, logger: silentLogger });
  let database: DatabaseSync;

  beforeAll(async () => {
    await fill(storage);
    database = new DatabaseSync(path);
  });
  afterAll(async () => {
    database.close();
    await storage.close();
    folder.remove();
  });

  const planner: Planner = {
    dialect: SQLITE_CRITERIA,
    style: 'anonymous',
    explain: async (text, values) => sqlitePlan(database, text, values),
    async ready(list) {
      const rows = database.prepare("select path, name from list_indexes where state = 'ready' and list = ?").all(list);
      return rows.map(({ path: text, name }) => ({ paths: pathsOfText(String(text)), name: String(name) }));
    },
  };
  plansOf(
    () => planner,
    () => storage,
  );

  it('are the same when an index does not exist, and it is built again', async () => {
    const names = () =>
      database.prepare("select name from sqlite_master where type = 'index' and name glob 'list_index_*'").all();
    const count = names().length;
    for (const { name } of names()) database.exec(`drop index ${String(name)}`);
    const asked = query("meta.kind = 'k1'", 'meta.n');
    expect(await answersOf(storage, 'assets', asked)).toEqual(await answersOf(memory, 'assets', asked));
    await storage.indexes.reconcile();
    expect(names()).toHaveLength(count);
    expect(await answersOf(storage, 'assets', asked)).toEqual(await answersOf(memory, 'assets', asked));
  });
});

describe('lists of users, files and assets on Postgres', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let storage: Storage;
  let sql: ReturnType<typeof postgres>;
  const dialect = createPostgresCriteria();

  beforeAll(async () => {
    database = await createDatabase();
    // The tables are so small that reading them in full would be planned.
    const connection = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' } as object; // cspell:disable-line
    sql = postgres(database.url, { max: 1, connection });
    storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    await fill(storage);
    await sql.unsafe('analyze');
  });
  afterAll(async () => {
    await sql.end();
    await storage.close();
    await database.drop();
  });

  plansOf(
    () => ({
      dialect,
      style: 'dollar',
      async explain(text, values) {
        const rows = await sql.unsafe(`explain ${text}`, values as string[]);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      },
      async ready(list) {
        const rows = await sql<{ path: string; name: string }[]>`select path, name from list_indexes
          where list = ${list} and state = 'ready'`;
        return rows.map(({ path, name }) => ({ paths: pathsOfText(path), name }));
      },
    }),
    () => storage,
  );

  it('have indexes again that a crash left half-built, and none that nobody declared', async () => {
    const declared = await sql<{ name: string }[]>`select name from list_indexes order by name`;
    const name = declared[0]?.name ?? '';
    await sql.unsafe(`update pg_index set indisvalid = false where indexrelid = '${name}'::regclass`);
    await sql.unsafe('create index list_index_of_nobody on files (size)');
    await storage.indexes.reconcile();
    const left = await sql<{ name: string; valid: boolean }[]>`select c.relname as name, i.indisvalid as valid
      from pg_index i join pg_class c on c.oid = i.indexrelid where starts_with(c.relname::text, 'list_index_')
      order by c.relname`;
    expect(left).toEqual(declared.map((one) => ({ name: one.name, valid: true })));
  });
});

describe('a search with an index has a limit of time on SQLite, because each row is checked for the caller', () => {
  it.each(INDEXED)('for %s', (_title, list, asked, plan, index) => {
    const paths = index.split(',').map((path) => path.split('.')) as unknown as ReadyIndex['paths'];
    const ready = [{ paths, name: 'wanted' }];
    const statement = createObjectStatement(WATCHED_CRITERIA, SOURCES[list](asked), ready);
    const { text } = pageQuery(statement, { ...asked, after: null, skip: 0, limit: 10 }, plan);
    expect(text).toContain('search_work');
    expect(text).toContain('wanted');
  });
});
