import { isAppError } from '@baobab/core';
import type { ReadyIndex } from './criteria/index-choice.ts';
import type { SqlExecutor } from './executor.ts';

/**
 * Runs a query that may name indexes. SQLite refuses a statement that names one that has been dropped since, or is not
 * built yet in a copied database: then the query runs without indexes.
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
    // Errors of the database have a cause. What was refused for its time, or because too many wait, stays refused.
    if (isAppError(error) && error.cause === undefined) throw error;
    return query([]);
  }
}
