import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REFERENCE_TABLES } from '../packages/adapters/src/postgres/citus/layout.ts';

const SQL = join(import.meta.dirname, '../packages/adapters/src/sql');
const TABLES = REFERENCE_TABLES.join('|');
const WRITE = new RegExp(`(?<!onCopies\\(\\s*)['\`](?:insert into|update|delete from) (?:${TABLES})\\b.*`, 'g');

it('marks each statement that writes to tables of which every node has a copy', () => {
  const files = globSync('**/*.ts', { cwd: SQL, exclude: ['schema/**'] });
  expect(files.length).toBeGreaterThan(50);
  const unmarked = files.flatMap((file) => readFileSync(join(SQL, file), 'utf8').match(WRITE) ?? []);
  expect(unmarked).toEqual([]);
});
