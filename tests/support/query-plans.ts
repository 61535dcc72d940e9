import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** Returns SQLite's query plan of a statement, one line per step. */
export function sqlitePlan(database: DatabaseSync, text: string, values: readonly unknown[]): string {
  const steps = database.prepare(`explain query plan ${text}`).all(...(values as SQLInputValue[]));
  return steps.map(({ detail }) => detail).join('\n');
}
