import type { SqlExecutor } from './executor.ts';
import { asMissing } from './fragments.ts';
import { onCopies, type Sql } from './statement.ts';

const CLAIM = 'insert into claims (claimed) values (?1)';
const UNCLAIM = 'delete from claims where claimed = ?1';

/**
 * Runs statements that look for something and then write it, while texts that stand for it are locked, without leaving
 * rows. A concurrent claim of one of these texts waits for the end of the transaction.
 *
 * @param mark `onCopies` if the work writes to tables of which every node has a copy, otherwise the text itself
 */
export async function claiming<T>(
  transaction: SqlExecutor,
  texts: readonly string[],
  work: () => Promise<T>,
  mark: (text: string) => Sql = onCopies,
): Promise<T> {
  if (transaction.isLocal) return work();
  // In one order, to prevent deadlocks.
  const claimed = [...new Set(texts)].sort();
  for (const text of claimed) await transaction.change(mark(CLAIM), [text]);
  const result = await work();
  for (const text of claimed) await transaction.change(mark(UNCLAIM), [text]);
  return result;
}

/**
 * Runs statements that concern two users in one transaction, after all earlier ones for the same pair. Each statement
 * therefore sees their results. Without the claim, a relation and a block could be created concurrently.
 *
 * @throws `user.not_found` if a statement references a user who does not exist
 */
export const claimingPair = <T>(
  executor: SqlExecutor,
  pair: readonly [string, string],
  work: (transaction: SqlExecutor) => Promise<T>,
): Promise<T> =>
  executor
    .atomic((transaction) => claiming(transaction, [`pair:${pair.toSorted().join(' ')}`], () => work(transaction)))
    .catch(asMissing(executor));
