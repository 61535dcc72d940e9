import { DatabaseSync } from 'node:sqlite';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { accessScopeOfUser, addUser, EVERYTHING, NOW, newDocument, uuid } from '@baobab/contracts/storage';
import { RIGHTS, type Storage } from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as SQL from '../../packages/adapters/src/sql/changes/feed-statements.ts';
import type { Sql } from '../../packages/adapters/src/sql/statements/statement.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { sqlitePlan } from '../support/query-plans.ts';

const DOCUMENTS = 3_000;
const REMOVED = 400;
const AT_ONCE = 500;
const COLLECTIONS = 3;
const SIZE = 64;
const ID = uuid();
const HORIZON = 1_000_000;
const IDS = Array.from({ length: COLLECTIONS }, () => uuid());

/** Returns the user who may read few documents. */
async function fill(storage: Storage): Promise<string> {
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  await storage.follows.add(bob.id, ann.id);
  const removed: string[] = [];
  for (const [i, id] of IDS.entries()) await storage.collections.add({ id, name: `c${i}`, created: NOW });
  for (let start = 0; start < DOCUMENTS; start += AT_ONCE) {
    await storage.transaction(async ({ documents }) => {
      for (let i = start; i < start + AT_ONCE; i++) {
        const grants = [{ principal: `r:role${i % 100}`, rights: RIGHTS.read }];
        const document = newDocument(i % 300 === 0 ? bob.id : ann.id, `c${i % COLLECTIONS}`, { grants });
        if (i < REMOVED) removed.push(document.id);
        await documents.add(document);
      }
    });
  }
  await storage.transaction(async ({ documents }) => {
    for (const id of removed) await documents.remove({ collection: null, id }, EVERYTHING);
  });
  return bob.id;
}

interface Planner {
  readonly isLocal: boolean;
  explain(text: string, values: readonly unknown[]): Promise<string>;
}

/** A statement, its values, and the index that it uses. */
type Wanted = readonly [name: string, text: Sql, values: readonly unknown[], index: RegExp];

const PLACE = [1, ID, HORIZON];
const DOCUMENTS_INDEX = /documents_by_position/;
const AUDIENCE_INDEX = /access_changes_of_audience/;

const scopedBy = (reader: string) => [reader, ...accessScopeOfUser(reader).principals, ''];

function statementsOfPostgres(reader: string): Wanted[] {
  const perCollection = (name: string, text: (source: string) => string, values: readonly unknown[]): Wanted => [
    name,
    SQL.ofEachCollection(text),
    [JSON.stringify(IDS), ...values],
    DOCUMENTS_INDEX,
  ];
  const readable = (followed: boolean) => SQL.readablePlaces({ size: SIZE, followed, many: false });
  const values = [null, ...scopedBy(reader), 1, ID, HORIZON, ID];
  return [
    ['collections with changes', SQL.CHANGED_ANYWHERE, PLACE, DOCUMENTS_INDEX],
    ['wanted collections with changes', SQL.CHANGED_IN, [...PLACE, '["c1"]'], DOCUMENTS_INDEX],
    perCollection('all changed documents', SQL.allPlaces(SIZE), PLACE),
    perCollection('the end of a window', SQL.windowEnd(SIZE), PLACE),
    perCollection('readable changed documents', readable(false), values),
    perCollection('readable changed documents, followed ones too', readable(true), values),
    ['access changes', SQL.ofEachAudience(SQL.accessPlaces(SIZE)), ['["*"]', ...PLACE], AUDIENCE_INDEX],
  ];
}

function statementsOfSqlite(reader: string): Wanted[] {
  const extent = { size: SIZE, everything: false, followed: true, many: false, isLimited: true, hasOpen: true };
  const values = [1, ID, ...scopedBy(reader), HORIZON, '["c1"]', '["c2"]'];
  const all = SQL.localPlaces({ ...extent, everything: true, isLimited: false, hasOpen: false });
  return [
    ['a window', SQL.WINDOW_OF(SIZE), [1, HORIZON], DOCUMENTS_INDEX],
    ['all changed documents', all, values, DOCUMENTS_INDEX],
    ['readable changed documents', SQL.localPlaces(extent), values, DOCUMENTS_INDEX],
    ['access changes', SQL.accessPlaces(SIZE)('?1'), ['*', ...PLACE], AUDIENCE_INDEX],
  ];
}

function statements({ isLocal }: Planner, reader: string): Wanted[] {
  return [
    ...(isLocal ? statementsOfSqlite : statementsOfPostgres)(reader),
    ['all access changes', SQL.anyAccessPlaces(SIZE), PLACE, /access_changes_by_position/],
    ['changed audiences', SQL.CHANGED_AUDIENCES({ isLocal }), ['["u:x"]', ...PLACE], AUDIENCE_INDEX],
    ['the first mark', SQL.FIRST_MARK({ isLocal }), [1, '["u:x"]'], /sight_marks/],
    ['marks', SQL.MARKS_FROM, [1], /sight_marks/],
  ];
}

function plansOf(planner: () => Planner, reader: () => string): void {
  it('use an index for every way of reading', async () => {
    for (const [name, text, values, index] of statements(planner(), reader())) {
      const compiled = compile(planner().isLocal ? 'anonymous' : 'dollar', text);
      const plan = await planner().explain(compiled.text, compiled.bind(values as string[]));
      expect(plan, name).toMatch(index);
      expect(plan, name).not.toMatch(/Seq Scan on (documents|access_changes)|SCAN (documents|d|a)(?! USING)/);
    }
  });

  it('look up a reader’s few documents by their keys', async () => {
    const values = [JSON.stringify(IDS), null, reader(), 'u:x', 'r:y', 'r:z', '', 1, ID, HORIZON];
    for (const followed of [true, false]) {
      const { isLocal } = planner();
      const text = SQL.reach(isLocal, { followed, many: false }, SIZE);
      const compiled = compile(isLocal ? 'anonymous' : 'dollar', text);
      const plan = await planner().explain(compiled.text, compiled.bind(values));
      expect(plan).toMatch(/documents_of_author/);
      expect(plan).toMatch(/document_grants_of_principal/);
      expect(plan).not.toMatch(/Seq Scan on (documents|document_grants)|SCAN (documents|d|g)(?! USING)/);
    }
  });
}

describe('the change feed on SQLite', () => {
  const folder = createFolder();
  const path = `${folder.path}/baobab.db`;
  let storage: Storage;
  let database: DatabaseSync;
  let reader = '';

  beforeAll(async () => {
    storage = createSqliteStorage({ path, logger: silentLogger });
    await storage.migrate();
    reader = await fill(storage);
    database = new DatabaseSync(path, { readOnly: true });
  });
  afterAll(async () => {
    database.close();
    await storage.close();
    folder.remove();
  });

  const planner: Planner = {
    isLocal: true,
    explain: async (text, values) => sqlitePlan(database, text, values),
  };
  plansOf(
    () => planner,
    () => reader,
  );
});

describe('the change feed on Postgres', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let storage: Storage;
  let sql: ReturnType<typeof postgres>;
  let reader = '';

  beforeAll(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 1, connection: { plan_cache_mode: 'force_generic_plan' } as object });
    storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    reader = await fill(storage);
    await sql.unsafe('analyze');
  });
  afterAll(async () => {
    await sql.end();
    await storage.close();
    await database.drop();
  });

  const planner: Planner = {
    isLocal: false,
    async explain(text, values) {
      const rows = await sql.unsafe(`explain ${text}`, values as string[]);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    },
  };
  plansOf(
    () => planner,
    () => reader,
  );
});
