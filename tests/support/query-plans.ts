import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** How SQLite would run a statement, one line for each step. */
export function sqlitePlan(database: DatabaseSync, text: string, values: readonly unknown[]): string {
  const steps = database.prepare(`explain query plan ${text}`).all(...(values as SQLInputValue[]));
  return steps.map(({ detail }) => detail).join('\n');
}
