import type { SqlExecutor } from './executor.ts';
import { asMissing } from './fragments.ts';
import { onCopies } from './statement.ts';

/**
 * Locks a pair of users until the transaction ends, without leaving a row. A concurrent claim of the same pair waits.
 */
const CLAIM = onCopies('insert into pair_claims (pair) values (?1)');
const UNCLAIM = onCopies('delete from pair_claims where pair = ?1');

const pairOf = (one: string, other: string) => (one < other ? `${one} ${other}` : `${other} ${one}`);

/**
 * Runs statements that concern two users in one transaction, after all earlier ones for the same pair. Each statement
 * therefore sees their results. Without the claim, a relation and a block could be created concurrently.
 *
 * @throws `user.not_found` if a statement references a user who does not exist
 */
export async function claimingPair<T>(
  executor: SqlExecutor,
  [one, other]: readonly [string, string],
  work: (transaction: SqlExecutor) => Promise<T>,
): Promise<T> {
  return executor
    .atomic(async (transaction) => {
      if (executor.isLocal) return work(transaction);
      const pair = [pairOf(one, other)];
      await transaction.change(CLAIM, pair);
      const result = await work(transaction);
      await transaction.change(UNCLAIM, pair);
      return result;
    })
    .catch(asMissing(executor));
}
