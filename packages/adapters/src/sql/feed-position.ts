import type { SqlExecutor } from './executor.ts';

/** A function that the writing connection of a SQLite database defines. */
export const FEED_POSITION = 'feed_position';

/** Id of the transaction, with its epoch: it never wraps around. */
export const TRANSACTION_ID = 'cast(cast(pg_current_xact_id() as text) as bigint)';

/** All transactions with a smaller id have ended. */
export const OLDEST_RUNNING = 'cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint)';

/** Returns true if a statement of Postgres adds to the change feed. */
export const addsToFeed = (text: string): boolean => text.includes(TRANSACTION_ID);

/** Builds a statement that contains the position of its transaction in the change feed. */
export function withFeedPosition<Statement>(build: (position: string) => Statement) {
  const [local, remote] = [build(`(select ${FEED_POSITION}())`), build(TRANSACTION_ID)];
  return ({ isLocal }: Pick<SqlExecutor, 'isLocal'>): Statement => (isLocal ? local : remote);
}
