import type { SqlExecutor } from './executor.ts';

/**
 * A statement that first locks the rows it relies on, on databases where transactions write concurrently. A row that
 * another transaction is removing then counts as missing; without the lock, the foreign key would fail, and with it the
 * whole transaction.
 *
 * @param strength as Postgres writes it after `for`
 */
export function withRowLock<Statement>(strength: string, build: (lock: string) => Statement) {
  const [alone, shared] = [build(''), build(` for ${strength}`)];
  return ({ takesTurns }: Pick<SqlExecutor, 'takesTurns'>): Statement => (takesTurns ? alone : shared);
}
