import { isAppError } from '@baobab/core';
import type { ReadyIndex } from './criteria/index-choice.ts';
import type { SqlExecutor } from './executor.ts';

/**
 * Runs a query that may force indexes. SQLite refuses a statement with an index that was dropped since, or is not
 * built yet in a copied database. The query then runs without indexes.
 */
export async function withIndexes<Answer>(
  { isLocal }: SqlExecutor,
  indexes: readonly ReadyIndex[],
  query: (indexes: readonly ReadyIndex[]) => Promise<Answer>,
): Promise<Answer> {
  if (!isLocal || indexes.length === 0) return query(indexes);
  try {
    return await query(indexes);
  } catch (error) {
    // Database errors have a cause. A search refused for its duration, or because too many wait, remains refused.
    if (isAppError(error) && error.cause === undefined) throw error;
    return query([]);
  }
}
