import { accessScopeOfUser, addCollection, addUser, newDocument } from '@baobab/contracts/storage';
import type { AccessScope } from '@baobab/core';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, type TestStorage } from '../support/databases.ts';
import { until } from '../support/patience.ts';

const BOOKS = 'books';
/** More than are folded before the table is vacuumed. */
const CHANGES = 3_000;

let opened: TestStorage;
let sql: Sql;
let ann: AccessScope;

beforeAll(async () => {
  opened = await openPostgres();
  sql = postgres(opened.url, { max: 1, onnotice: () => undefined });
  const { storage } = opened;
  const { id } = await addUser(storage, 'Ann');
  ann = accessScopeOfUser(id);
  await storage.documents.add(newDocument(id, await addCollection(storage, BOOKS)));
});

afterAll(async () => {
  await sql.end();
  await opened.dispose();
});

async function vacuums(): Promise<number> {
  const [row] = await sql`select pg_stat_get_vacuum_count('document_count_changes'::regclass)::int as n`;
  return row?.n ?? 0;
}

/** Adds the changes that as many documents leave which are created and removed. */
async function addChanges(): Promise<void> {
  await sql`insert into document_count_changes (collection, author, n)
    select k.collection, k.author, case when i % 2 = 0 then 1 else -1 end
    from (select collection, author from documents) k, generate_series(1, ${CHANGES}) i`;
}

/** Folds changes until the table is vacuumed: after each vacuum there is none for a while. */
async function untilVacuumed(fold: () => Promise<unknown>): Promise<void> {
  const before = await vacuums();
  await until(async () => {
    await addChanges();
    await fold();
    return (await vacuums()) > before;
  });
}

describe('changes of totals on Postgres that were folded', () => {
  const total = () => opened.storage.documents.count(BOOKS, ann, null);

  it('are vacuumed when a total has folded many', async () => {
    await untilVacuumed(total);
    expect(await total()).toBe(1);
  });

  it('are vacuumed when the housekeeping has folded many', async () => {
    await untilVacuumed(() => opened.storage.documents.foldTotals(100));
    expect(await total()).toBe(1);
  });

  it('are left to the server inside a transaction, which goes on', async () => {
    const { storage } = opened;
    await addChanges();
    const inside = await storage.transaction(async ({ documents }) => {
      expect(await documents.count(BOOKS, ann, null)).toBe(1);
      await documents.add(newDocument(ann.owner ?? '', BOOKS));
      return documents.count(BOOKS, ann, null);
    });
    expect(inside).toBe(2);
    expect(await total()).toBe(2);
  });
});
