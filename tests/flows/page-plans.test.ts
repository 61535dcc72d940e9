import { createPostgresStorage } from '@baobab/adapters/postgres';
import { addCollection, addUser, newDocument, newFile } from '@baobab/contracts/storage';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as files from '../../packages/adapters/src/sql/files/file-statements.ts';
import * as documents from '../../packages/adapters/src/sql/lists/document-list-statements.ts';
import type { Sql } from '../../packages/adapters/src/sql/statements/statement.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const [USERS, OBJECTS] = [3_000, 30_000];
/** Maximum estimate of the planner for a page, in its own unit. For a tenth of the objects it is several thousand. */
const MOST_COST = 250;
const FIRST_PAGE = { skip: 0, limit: 20 };

describe('a page of a large list on Postgres', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let sql: ReturnType<typeof postgres>;

  beforeAll(async () => {
    database = await createDatabase();
    const connection = { plan_cache_mode: 'force_generic_plan' } as object;
    sql = postgres(database.url, { max: 1, connection, onnotice: () => undefined });
    const storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    const ann = await addUser(storage, 'Ann');
    await addCollection(storage, 'Books');
    await storage.documents.add(newDocument(ann.id, 'books'));
    await storage.files.add(newFile(ann.id));
    await storage.close();
    const copies = (table: string, count: number, changes: string) =>
      sql.unsafe(`insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${changes}))).*
        from ${table} t, generate_series(1, ${count}) i`);
    await copies('users', USERS, "'id', gen_random_uuid(), 'name', 'u' || i, 'name_key', 'u' || i");
    const author = `(array(select id from users))[i % ${USERS} + 1]`;
    for (const table of ['documents', 'files'])
      await copies(table, OBJECTS, `'id', gen_random_uuid(), 'author', ${author}`);
    await sql.unsafe('vacuum analyze');
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  const everything = {
    everything: true,
    granted: 'many',
    followed: 'no',
    isLocal: false,
    descending: false,
  } as const;

  async function planOf(shared: Sql): Promise<string> {
    const { text, bind } = compile('dollar', shared);
    await sql.unsafe(`prepare page as ${text}`);
    const rows = await sql.unsafe(`explain execute page(${bind([]).map(() => 'null')})`);
    await sql.unsafe('deallocate page');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  it.each([
    ['all documents', documents.list(everything, FIRST_PAGE)],
    ['all documents, newest first', documents.list({ ...everything, descending: true }, FIRST_PAGE)],
    [
      'all files',
      files.list(
        { reader: { caller: 'all', hasOwned: false, inheritance: null }, isLocal: false, descending: false },
        FIRST_PAGE,
      ),
    ],
  ])('is planned as a page, not as a part of the list: %s', async (_title, text) => {
    const plan = await planOf(text);
    const cost = Number(/^Limit {2}\(cost=[\d.]+\.\.([\d.]+)/.exec(plan)?.[1]);
    expect(cost, plan).toBeLessThan(MOST_COST);
  });

  it('after others is found in the index alone', async () => {
    const plan = await planOf(documents.list(everything, { skip: 40, limit: 20 }));
    expect(plan).toMatch(/Limit[\s\S]*Index Only Scan using documents_pkey/);
    expect(plan).not.toMatch(/Seq Scan on (?:users|documents)|Gather/);
  });
});
