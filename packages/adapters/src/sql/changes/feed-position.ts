import { forDatabase } from '../statements/fragments.ts';
import { type Here, insertsPlaces, type PlacedBy, type Sql } from '../statements/statement.ts';

/** A function that the writing connection of a SQLite database defines. */
export const FEED_POSITION = 'feed_position';
const LOCAL_POSITION = `(select ${FEED_POSITION}())`;

/** Id of the transaction, with its epoch: it never wraps around. */
export const TRANSACTION_ID = 'cast(cast(pg_current_xact_id() as text) as bigint)';

/** All transactions with a smaller id have ended. */
export const OLDEST_RUNNING = 'cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint)';

/**
 * Like `OLDEST_RUNNING`, for a distributed database. A transaction that has ended here may still be committing on the
 * workers. Until they answer, it holds the lock on its id, so the smallest locked id also bounds the horizon. Locks
 * have 32 bits of the id, the snapshot has all 64.
 */
export const OLDEST_UNFINISHED = `(select least(s.h, (select min(s.h + ((cast(cast(l.transactionid as text) as bigint) - s.h)
    % 4294967296 + 6442450944) % 4294967296 - 2147483648)
  from pg_locks l where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted))
  from (select ${OLDEST_RUNNING} as h) s)`;

/** Builds a statement that contains the position of its transaction in the change feed. */
export const withFeedPosition = <Statement>(build: (position: string) => Statement) =>
  forDatabase(({ isLocal }) => build(isLocal ? LOCAL_POSITION : TRANSACTION_ID));

/** Like `withFeedPosition`, for a statement that inserts the rows of a query. */
export const withFeedPlaces = (build: (position: string, here: Here) => string, by?: PlacedBy) =>
  forDatabase(({ isLocal }): Sql => (isLocal ? build(LOCAL_POSITION, null) : insertsPlaces(TRANSACTION_ID, build, by)));
