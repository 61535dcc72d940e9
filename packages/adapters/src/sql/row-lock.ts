import type { SqlExecutor } from './executor.ts';

/**
 * A statement that first locks the rows it relies on where several transactions write at the same time. A row that
 * another transaction is removing is then simply not found; without the lock, a reference would fail, and with it the
 * whole transaction.
 *
 * @param strength as Postgres writes it behind `for`
 */
export function withRowLock<Statement>(strength: string, build: (lock: string) => Statement) {
  const [alone, shared] = [build(''), build(` for ${strength}`)];
  return ({ takesTurns }: Pick<SqlExecutor, 'takesTurns'>): Statement => (takesTurns ? alone : shared);
}
