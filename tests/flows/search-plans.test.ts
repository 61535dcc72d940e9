import { DatabaseSync } from 'node:sqlite';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillSearchIndexes } from '../../packages/adapters/src/sql/indexes/search-indexes.ts';
import type { SqlExecutor } from '../../packages/adapters/src/sql/statements/executor.ts';
import { type Sql, textOf } from '../../packages/adapters/src/sql/statements/statement.ts';
import { createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { sqlitePlan } from '../support/query-plans.ts';

const BUILDING = { collection: 'c', key: 'c', number: 1, fields: '[{"path":["title"],"weight":1}]', state: 'building' };

const folder = createFolder();
let database: DatabaseSync;
beforeAll(async () => {
  const path = `${folder.path}/baobab.db`;
  const storage = createSqliteStorage({ path, logger: silentLogger });
  await storage.migrate();
  await storage.close();
  database = new DatabaseSync(path);
  database.function('feed_position', () => 1n);
});
afterAll(() => {
  database.close();
  folder.remove();
});

/** Returns the statements that store the words of one document, with their values. */
async function statements(): Promise<Array<[text: string, values: readonly unknown[]]>> {
  const found: Array<[string, readonly unknown[]]> = [];
  const answers = [[BUILDING], [{ id: '1', content: '{"title":"Bread"}' }]];
  const executor = {
    isLocal: true,
    async read(sql: Sql, values: readonly unknown[]) {
      found.push([textOf(sql), values]);
      return answers.shift() ?? [];
    },
    async change(sql: Sql, values: readonly unknown[]) {
      found.push([textOf(sql), values]);
      return 1;
    },
    atomic: (work: (inside: unknown) => unknown) => work(executor),
  };
  await fillSearchIndexes(executor as unknown as SqlExecutor);
  return found;
}

it('storing the words of some documents reads those, not all of the collection', async () => {
  const plans = (await statements()).map(([text, values]) => sqlitePlan(database, text, values));
  const steps = plans.flatMap((plan) => plan.split('\n').filter((step) => / documents /.test(step)));
  expect(steps.length).toBeGreaterThan(2);
  for (const step of steps) expect(step).toMatch(/\(collection=\? AND id[=>]\?\)/);
});
