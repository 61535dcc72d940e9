import { DatabaseSync } from 'node:sqlite';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { accessScopeOfUser, addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import { RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentTotals } from '../../packages/adapters/src/sql/lists/document-totals.ts';
import type { SqlExecutor } from '../../packages/adapters/src/sql/statements/executor.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { sqlitePlan } from '../support/query-plans.ts';

const DOCUMENTS = 2_000;
const COLLECTION = 'books';

/** Many documents with a grant each, of which few are the reader's. Resolves to the reader. */
async function fill(storage: Storage): Promise<string> {
  const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
  await addCollection(storage, 'Books');
  await storage.transaction(async ({ documents }) => {
    for (let i = 0; i < DOCUMENTS; i++) {
      const principal = i % 200 === 0 ? userPrincipal(bob.id) : `r:role${i % 100}`;
      await documents.add(newDocument(ann.id, COLLECTION, { grants: [{ principal, rights: RIGHTS.read }] }));
    }
  });
  return bob.id;
}

/** The statements of a total for a reader to whom few documents are granted. */
async function statementsFor(reader: string, isLocal: boolean): Promise<Array<[text: string, values: unknown[]]>> {
  const statements: Array<[string, unknown[]]> = [];
  const executor = {
    isLocal,
    async readOne(text: string, values: unknown[]) {
      statements.push([text, values]);
      return { n: 0, pending: 0, granted: 10, followed: 0 };
    },
    async read(text: string, values: unknown[]) {
      statements.push([text, values]);
      return [{ n: 10 }];
    },
  } as unknown as SqlExecutor;
  await createDocumentTotals(executor, true).total(COLLECTION, accessScopeOfUser(reader));
  return statements;
}

async function expectPlans(
  reader: string,
  isLocal: boolean,
  explain: (text: string, values: unknown[]) => Promise<string>,
): Promise<void> {
  const statements = await statementsFor(reader, isLocal);
  expect(statements).toHaveLength(2);
  for (const [text, values] of statements) {
    const compiled = compile(isLocal ? 'anonymous' : 'dollar', text);
    const plan = await explain(compiled.text, compiled.bind(values as string[]));
    expect(plan).toMatch(/document_grants_of_principal/);
    expect(plan).not.toMatch(/Seq Scan on document_grants|autoindex_document_grants/);
  }
}

describe('a total of granted documents reads only the grants of the reader', () => {
  it('on SQLite', async () => {
    const folder = createFolder();
    const path = `${folder.path}/baobab.db`;
    const storage = createSqliteStorage({ path, logger: silentLogger });
    await storage.migrate();
    const reader = await fill(storage);
    const database = new DatabaseSync(path, { readOnly: true });
    await expectPlans(reader, true, async (text, values) => sqlitePlan(database, text, values));
    database.close();
    await storage.close();
    folder.remove();
  });

  describe('on Postgres', () => {
    let database: Awaited<ReturnType<typeof createDatabase>>;
    let storage: Storage;
    let sql: ReturnType<typeof postgres>;
    beforeAll(async () => {
      database = await createDatabase();
      sql = postgres(database.url, { max: 1, connection: { plan_cache_mode: 'force_generic_plan' } as object });
      storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    });
    afterAll(async () => {
      await sql.end();
      await storage.close();
      await database.drop();
    });

    it('with any parameters', async () => {
      const reader = await fill(storage);
      await sql.unsafe('analyze');
      await expectPlans(reader, false, async (text, values) => {
        const rows = await sql.unsafe(`explain ${text}`, values as string[]);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
    });
  });
});
