import { createPostgresStorage } from '@baobab/adapters/postgres';
import { accessScopeOfUser, addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import { type Condition, RIGHTS, type Storage } from '@baobab/core';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresCriteria } from '../../packages/adapters/src/postgres/criteria.ts';
import type { Query } from '../../packages/adapters/src/sql/criteria/dialect.ts';
import {
  countQuery,
  inheritedCountQuery,
  listQuery,
} from '../../packages/adapters/src/sql/criteria/document-queries.ts';
import type { SqlExecutor } from '../../packages/adapters/src/sql/statements/executor.ts';
import { compile } from '../../packages/adapters/src/sql/statements/statement.ts';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

const [BOARDS, TASKS, ROLES] = [100, 3_000, 50];
const NAME = 'by_board';
const NEWEST = [{ path: ['_creation_date'], descending: true }] as const;

describe('lists of inherited documents on Postgres', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let storage: Storage;
  let sql: ReturnType<typeof postgres>;
  let collection: string;
  let reader: string;
  const dialect = createPostgresCriteria();

  beforeAll(async () => {
    database = await createDatabase();
    storage = createPostgresStorage({ url: database.url, logger: silentLogger });
    const connection = { plan_cache_mode: 'force_generic_plan' } as object;
    sql = postgres(database.url, { max: 1, connection, onnotice: () => undefined });
    const [ann, bob] = [await addUser(storage, 'Ann'), await addUser(storage, 'Bob')];
    reader = bob.id;
    for (const name of ['boards', 'tasks']) await addCollection(storage, name);
    const boards = Array.from({ length: BOARDS }, (_, n) => newDocument(n < 3 ? bob.id : ann.id, 'boards'));
    await storage.transaction(async ({ documents }) => {
      for (const board of boards) await documents.add(board);
      for (let n = 0; n < TASKS; n++) {
        const content = JSON.stringify({ board: boards[n % BOARDS]?.id });
        const grants = [{ principal: `r:role ${n % ROLES}`, rights: RIGHTS.read }] as const;
        await documents.add(newDocument(ann.id, 'tasks', { content, grants }));
      }
    });
    await storage.indexes.declare({ collection: 'tasks', paths: [['board']], name: NAME }, 1);
    await storage.indexes.reconcile();
    const [row] = await sql<{ id: string }[]>`select id from collections where name_key = 'tasks'`;
    collection = row?.id ?? '';
    await dialect.prepare({ read: (text: string) => sql.unsafe(text) } as unknown as SqlExecutor);
    await sql.unsafe('analyze');
  });
  afterAll(async () => {
    await sql.end();
    await storage.close();
    await database.drop();
  });

  /** A caller who owns some of the boards. */
  function scope() {
    const needs = { read: 'read', update: null, delete: null } as const;
    const parent = { path: ['board'], collection: 'boards', needs } as const;
    return { ...accessScopeOfUser(reader), rules: new Map([['tasks', { rights: 0, conditions: [], parent }]]) };
  }

  /** Returns the plan that all callers share. */
  async function planOf({ text, values }: Query): Promise<string> {
    const compiled = compile('dollar', text);
    await sql.unsafe(`prepare list as ${compiled.text}`);
    const rows = await sql.unsafe(`explain execute list(${compiled.bind(values).map(() => 'null')})`);
    await sql.unsafe('deallocate list');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  const page = { plan: 'accessPaths', size: 21, rows: 21, columns: 'documents.id' } as const;
  const list = (where: Condition | null) => ({ where, order: NEWEST, after: null, skip: 0, scope: scope() });
  const target = () => ({ collection, key: 'tasks', indexed: [{ paths: [['board']] as const, name: NAME }] });

  it.each([
    ['a page', () => listQuery(dialect, target(), list(null), page)],
    ['a count', () => countQuery(dialect, target(), list(null), false)],
    ['the number of inherited documents', () => inheritedCountQuery(dialect, target(), scope(), 4_096)],
  ])('look up the children of each parent in the index: %s', async (_what, query) => {
    const plan = await planOf(query() ?? { text: '', values: [] });
    expect(plan).toMatch(/Index Scan using document_index_by_board on documents.*\n\s+Index Cond: .*\|\| ''::text/);
  });

  it('look up the children of one parent, and the grants of the caller, in indexes', async () => {
    const where: Condition = {
      kind: 'compare',
      operator: '=',
      left: { kind: 'path', path: ['board'] },
      right: { kind: 'constant', value: reader, untyped: false },
    };
    const plan = await planOf(listQuery(dialect, target(), list(where), { ...page, plan: 'scan' }));
    expect(plan).toContain('using document_index_by_board on documents');
    expect(plan).not.toMatch(/Seq Scan on document/);
  });
});
