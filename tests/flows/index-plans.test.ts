import type { DatabaseSync } from 'node:sqlite';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { accessScopeOfUser, addUser, EVERYTHING, NOW, newDocument, uuid } from '@baobab/contracts/storage';
import {
  type AccessScope,
  createQueryParser,
  documentResolver,
  type IndexedPath,
  type Principal,
  pathIn,
  type Query,
  type Storage,
  sortValues,
} from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathsOfText } from '../../packages/adapters/src/index-paths.ts';
import { createPostgresCriteria } from '../../packages/adapters/src/postgres/criteria.ts';
import type { CriteriaDialect } from '../../packages/adapters/src/sql/criteria/dialect.ts';
import { listQuery, type Plan } from '../../packages/adapters/src/sql/criteria/document-queries.ts';
import type { Target } from '../../packages/adapters/src/sql/criteria/document-statement.ts';
import { contentPaths } from '../../packages/adapters/src/sql/criteria/index-keys.ts';
import type { SqlExecutor } from '../../packages/adapters/src/sql/statements/executor.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { SQLITE_CRITERIA } from '../../packages/adapters/src/sqlite/criteria.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { openForPlans, sqlitePlan } from '../support/query-plans.ts';

const DOCUMENTS = 6_000;
const AT_ONCE = 500;
/** Users without documents: with them a join with the users might cost more than to sort. */
const READERS = 40;
const INDEXES: readonly (readonly IndexedPath[])[] = [
  [['n']],
  [{ lower: ['label'] }],
  [['isbn']],
  [['author', 'name']],
  [['tags', 0]],
  [['documents', 'content']],
  [['genre'], ['n']],
  [['genre'], ['isbn'], ['_creation_date']],
  [['shelf'], ['_creation_date']],
];
const COLLECTION = 'books';
/** By the id of the collection: not the column of its key. */
const ID = uuid();

const parse = createQueryParser({ clock: { now: () => NOW } });
const query = (where: string | null, orderBy: string | null = null, params: string[] = []): Query =>
  parse({ where, orderBy, fields: null, groupBy: null, params });

interface Filled {
  readonly storage: Storage;
  readonly scope: AccessScope;
}

const contentOf = (i: number) =>
  JSON.stringify({
    n: (i * 31) % DOCUMENTS,
    label: `${i % 2 === 0 ? 'L' : 'l'}abel ${String(i).padStart(5, '0')}`,
    isbn: `isbn-${String((i * 7) % DOCUMENTS).padStart(5, '0')}`,
    author: { name: `author ${i % 1000}` },
    documents: { content: i % 800 },
    tags: [i % 3 === 0 ? null : i % 500, 'x'],
    genre: `genre ${i % 2}`,
    shelf: i % 7,
  });

/** Every third document is readable by everybody: more than the limit for reading and filtering. */
async function fill(storage: Storage): Promise<Filled> {
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  for (let i = 0; i < READERS; i++) await addUser(storage, `Reader ${i}`);
  await storage.collections.add({ id: ID, name: COLLECTION, created: NOW });
  for (let start = 0; start < DOCUMENTS; start += AT_ONCE) {
    await storage.transaction(async ({ documents }) => {
      for (let i = start; i < start + AT_ONCE; i++) {
        const grants = i % 3 === 0 ? [{ principal: 'r:registereduser', rights: 1 }] : [];
        const author = i % 50 === 0 ? bob : ann;
        const document = { id: uuid(NOW + i), created: NOW + i, content: contentOf(i), grants };
        await documents.add(newDocument(author.id, COLLECTION, document));
      }
    });
  }
  return { storage, scope: accessScopeOfUser(bob.id) };
}

async function index(storage: Storage): Promise<void> {
  for (const paths of INDEXES) {
    const name = uuid().replaceAll('-', '_');
    await storage.indexes.declare({ collection: COLLECTION, paths, name }, INDEXES.length);
  }
  await storage.indexes.reconcile();
}

/** The query, and the index that it uses. */
const INDEXED: readonly (readonly [string, Query, Plan, string])[] = [
  ['equality with a number', query('n = 5'), 'scan', 'n'],
  ['equality with a string', query("isbn = 'isbn-00005'"), 'scan', 'isbn'],
  ['equality of a parameter', query('n = ?', null, ['5']), 'scan', 'n'],
  ['equality with other conditions', query("isbn = 'isbn-00005' and n > 3 and not n = 7"), 'scan', 'isbn'],
  ['a path through objects', query("author.name = 'author 5'", '_creation_date desc'), 'scan', 'author.name'],
  ['a path through arrays', query('tags[0] = 5'), 'scan', 'tags.0'],
  ['a path like the name of a column', query('documents.content = 5'), 'scan', 'documents.content'],
  ['absence', query('tags[0] is null'), 'scan', 'tags.0'],
  ['a range', query('n > 5990'), 'ranges', 'n'],
  ['a range with two limits', query('n between ? and ?', null, ['10', '20']), 'ranges', 'n'],
  ['a range of strings', query("isbn >= 'isbn-05990'"), 'ranges', 'isbn'],
  ['one of several', query("isbn in ['isbn-00001', 'isbn-00002', 'isbn-00009']"), 'ranges', 'isbn'],
  ['a prefix of a string', query("isbn like 'isbn-0001%'"), 'ranges', 'isbn'],
  ['an order', query(null, 'n'), 'scan', 'n'],
  ['an order in lower case', query(null, 'label.toLowerCase() desc'), 'scan', 'label'],
  ['equality in lower case', query("label.toLowerCase() = 'label 00005'"), 'scan', 'label'],
  ['a prefix in lower case', query("label.toLowerCase() like 'label 0001%'"), 'ranges', 'label'],
  ['a descending order', query(null, 'isbn desc'), 'scan', 'isbn'],
  ['equality in the order of another field', query("genre = 'genre 1'", 'n'), 'scan', 'genre,n'],
  ['equality in its descending order', query("genre = 'genre 1'", 'n desc'), 'scan', 'genre,n'],
  ['equality with a range in its order', query("genre = 'genre 1' and n > 50", 'n'), 'scan', 'genre,n'],
  ['equality with a range', query("genre = 'genre 1' and n between 5 and 9"), 'ranges', 'genre,n'],
  ['two equalities', query('genre = ? and n = 5', '_creation_date desc', ['genre 1']), 'scan', 'genre,n'],
  ['the order of one of two indexes', query("genre = 'genre 1'", 'isbn'), 'scan', 'genre,isbn'],
  ['the order of two fields', query(null, 'genre, n'), 'scan', 'genre,n'],
  ['equality in the order of creation', query('shelf = 3', '_creation_date desc'), 'scan', 'shelf'],
];

interface Planner {
  readonly dialect: CriteriaDialect;
  readonly style: 'anonymous' | 'dollar';
  /** The database's query plan. */
  explain(text: string, values: readonly unknown[]): Promise<string>;
  target(): Promise<Target>;
}

function plansOf(planner: () => Planner, filled: () => Filled): void {
  it.each(INDEXED)('use the index for %s', async (_title, { where, order }, plan, path) => {
    const { dialect, style, explain, target } = planner();
    const known = await target();
    const name =
      known.indexed.find((candidate) => candidate.paths.map((one) => pathIn(one).join('.')).join() === path)?.name ??
      'none';
    const asked = { where, order, after: null, skip: 0, scope: EVERYTHING };
    const { text, values } = listQuery(dialect, known, asked, { plan, size: 21, rows: 21, columns: 'documents.id' });
    const compiled = compile(style, text);
    const shown = await explain(compiled.text, compiled.bind(values));
    expect(shown).toContain(name);
    expect(shown).not.toMatch(/Seq Scan on documents|SCAN documents(?! USING INDEX)/);
  });

  it.each([
    ['equality', query("isbn = 'isbn-00005'", '_creation_date desc')],
    ['equality in the order of another field', query("genre = 'genre 1'", 'n')],
    ['equality in the order of creation', query('shelf = 3', '_creation_date desc')],
    ['an order', query(null, 'n')],
    ['an order in lower case', query(null, 'label.toLowerCase()')],
  ])('read documents only where the index finds them: %s', async (_title, { where, order }) => {
    const { dialect, style, explain, target } = planner();
    for (const scope of [EVERYTHING, filled().scope]) {
      const asked = { where, order, after: null, skip: 0, scope };
      const options = { plan: 'scan', size: 21, rows: 21, columns: 'documents.id, u.name' } as const;
      const { text, values } = listQuery(dialect, await target(), asked, options);
      const compiled = compile(style, text);
      const shown = await explain(compiled.text, compiled.bind(values));
      expect(shown.match(/(?:SEARCH|SCAN|Index .*Scan .*\bon) documents\b/g)).toHaveLength(1);
      expect(shown).not.toMatch(/(?:Seq|Heap) Scan on documents/);
      // The index has the order: at most the page is sorted again, never what it is cut from.
      expect(shown).not.toMatch(/Limit[\s\S]*\bSort\b|TEMP B-TREE/);
    }
  });

  it.each([
    ['an order', query(null, 'n')],
    ['a range in its order', query('n >= 0', 'n')],
    ['a range in the order of creation', query('n >= 0', '_creation_date desc')],
    ['equality in the order of another field', query("genre = 'genre 1'", 'author.name')],
  ])('leave the documents of an author to the index by author: %s', async (_title, { where, order }) => {
    const { dialect, style, explain, target } = planner();
    const { scope } = filled();
    const followed = dialect.joinsInOrder;
    const asked = { where, order, after: null, skip: 0, scope: { ...scope, principals: [], followed } };
    const options = { plan: 'accessPaths', size: 21, rows: 21, columns: 'documents.id' } as const;
    const { text, values } = listQuery(dialect, await target(), asked, options);
    const compiled = compile(style, text);
    const shown = await explain(compiled.text, compiled.bind(values));
    expect(shown.match(/documents_of_author/g)).toHaveLength(followed ? 2 : 1);
    expect(shown).not.toMatch(/document_index_|Seq Scan on documents/);
  });

  it('have the same content with and without an index, page by page', async () => {
    const { storage, scope } = filled();
    const cases = [
      ...INDEXED.map(([, asked]) => asked),
      ...[query('n > 10'), query('n > 10', 'n desc'), query("isbn like 'isbn-%'", 'n'), query('n > 5', 'isbn desc')],
      ...[query('n > 100 and tags[0] is null', '_creation_date desc'), query('n < ?', 'author.name, n desc', ['5000'])],
    ];
    for (const { where, order } of cases) {
      for (const by of [EVERYTHING, scope]) {
        const list = { collection: COLLECTION, where, order, scope: by, after: null };
        const all = (await storage.documents.list({ ...list, skip: 0, limit: DOCUMENTS })) ?? [];
        expect(await storage.documents.count(COLLECTION, by, where)).toBe(all.length);
        const page = await storage.documents.list({ ...list, skip: 0, limit: 20 });
        expect(page).toEqual(all.slice(0, 20));
        expect(await storage.documents.list({ ...list, skip: 30, limit: 20 })).toEqual(all.slice(30, 50));
        const last = all[Math.floor(all.length / 2)];
        if (last === undefined) continue;
        const after = { keys: sortValues(order, documentResolver(last)), id: last.id };
        const at = all.indexOf(last) + 1;
        expect(await storage.documents.list({ ...list, after, skip: 0, limit: 20 })).toEqual(all.slice(at, at + 20));
      }
    }
  });
}

describe('lists on SQLite', () => {
  const folder = createFolder();
  const path = `${folder.path}/baobab.db`;
  let filled: Filled;
  let database: DatabaseSync;

  beforeAll(async () => {
    const storage = createSqliteStorage({ path, logger: silentLogger, searchMs: 600_000 });
    await storage.migrate();
    filled = await fill(storage);
    await index(storage);
    database = openForPlans(path);
  });
  afterAll(async () => {
    database.close();
    await filled.storage.close();
    folder.remove();
  });

  const planner: Planner = {
    dialect: SQLITE_CRITERIA,
    style: 'anonymous',
    explain: async (text, values) => sqlitePlan(database, text, values),
    async target() {
      const rows = database.prepare('select path, name from collection_indexes').all();
      return {
        collection: ID,
        key: 'x',
        indexed: rows.map(({ path, name }) => ({ paths: contentPaths(pathsOfText(String(path))), name: String(name) })),
      };
    },
  };
  plansOf(
    () => planner,
    () => filled,
  );
});

describe('lists on SQLite whose index does not exist', () => {
  it('are served without it, and faster again when it is built', async () => {
    const folder = createFolder();
    const path = `${folder.path}/baobab.db`;
    const storage = createSqliteStorage({ path, logger: silentLogger });
    await storage.migrate();
    const ann = await addUser(storage, 'Ann');
    await storage.collections.add({ id: ID, name: COLLECTION, created: NOW });
    await storage.documents.add(newDocument(ann.id, COLLECTION, { content: '{"n":5}' }));
    await index(storage);
    const other = openForPlans(path);
    const names = () =>
      other.prepare("select name from sqlite_master where type = 'index' and name glob 'document_index_*'").all();
    expect(names()).toHaveLength(INDEXES.length);
    for (const { name } of names()) other.exec(`drop index ${String(name)}`);
    const { where } = query('n = 5');
    const list = { collection: COLLECTION, scope: EVERYTHING, where, order: [], after: null, skip: 0, limit: 5 };
    expect(await storage.documents.list(list)).toHaveLength(1);
    await storage.indexes.reconcile();
    expect(names()).toHaveLength(INDEXES.length);
    expect(await storage.documents.list(list)).toHaveLength(1);
    other.close();
    await storage.close();
    folder.remove();
  });
});

describe('lists on Postgres', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let filled: Filled;
  let sql: ReturnType<typeof postgres>;
  const dialect = createPostgresCriteria();

  beforeAll(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 1, connection: { plan_cache_mode: 'force_generic_plan' } as object });
    filled = await fill(createPostgresStorage({ url: database.url, logger: silentLogger }));
    await index(filled.storage);
    await dialect.prepare({ read: (text: string) => sql.unsafe(text) } as unknown as SqlExecutor);
    await sql.unsafe('analyze');
  });
  afterAll(async () => {
    await sql.end();
    await filled.storage.close();
    await database.drop();
  });

  const planner: Planner = {
    dialect,
    style: 'dollar',
    async explain(text, values) {
      const rows = await sql.unsafe(`explain ${text}`, values as string[]);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    },
    async target() {
      const rows = await sql<{ path: string; name: string }[]>`select path, name from collection_indexes`;
      return {
        collection: ID,
        key: 'x',
        indexed: rows.map(({ path, name }) => ({ paths: contentPaths(pathsOfText(path)), name })),
      };
    },
  };
  plansOf(
    () => planner,
    () => filled,
  );

  it('look up what is granted to one of many principals, document by document', async () => {
    const { scope } = filled;
    const groups = ['a', 'b', 'c'].map((name): Principal => `g:${name}`);
    const many = { ...scope, principals: [...scope.principals, ...groups] };
    for (const { where, order } of [query("isbn = 'none'", '_creation_date desc'), query('n > 5', 'isbn')]) {
      const asked = { where, order, after: null, skip: 0, scope: many };
      const options = { plan: 'accessPaths', size: 21, rows: 21, columns: 'documents.id' } as const;
      const { text, values } = listQuery(dialect, { ...(await planner.target()), indexed: [] }, asked, options);
      const compiled = compile('dollar', text);
      const given = compiled
        .bind(values)
        .map((value) => (String(value).startsWith('{') ? JSON.parse(String(value)) : value));
      const shown = await planner.explain(compiled.text, given);
      expect(shown).not.toMatch(/Seq Scan on documents|Merge Join/);
      expect(shown).toMatch(/Index Scan using documents_\w+ on documents d\b.*\n\s+Index Cond: .*id = g\.\w+/);
    }
  });

  it('rebuild indexes that a crash left half-built, and drop undeclared ones', async () => {
    const { indexed } = await planner.target();
    const [first] = indexed;
    const name = first?.name ?? '';
    await sql.unsafe(`update pg_index set indisvalid = false where indexrelid = '${name}'::regclass`);
    await sql.unsafe('create index document_index_of_nobody on documents (version)');
    await filled.storage.indexes.reconcile();
    const left = await sql<{ relname: string; indisvalid: boolean }[]>`select c.relname, i.indisvalid
      from pg_index i join pg_class c on c.oid = i.indexrelid where starts_with(c.relname::text, 'document_index_')`;
    expect(left.map(({ relname }) => relname).toSorted()).toEqual(indexed.map((known) => known.name).toSorted());
    expect(left.every(({ indisvalid }) => indisvalid)).toBe(true);
  });
});
