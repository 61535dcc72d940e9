import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** Opens a database with the function that indexes may contain. Nothing calls it when a statement is only explained. */
export function openForPlans(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.function('to_lower_case', { deterministic: true }, (text, _unicode) => text);
  return database;
}

/** Returns SQLite's query plan of a statement, one line per step. */
export function sqlitePlan(database: DatabaseSync, text: string, values: readonly unknown[]): string {
  const steps = database.prepare(`explain query plan ${text}`).all(...(values as SQLInputValue[]));
  return steps.map(({ detail }) => detail).join('\n');
}
