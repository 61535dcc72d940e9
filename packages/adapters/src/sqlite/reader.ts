import type { Connection } from './database.ts';

/** Number of reads in a turn after which the reads of the next turn share a transaction. */
const WORTH_SHARING = 3;

/** Connection for all reads outside the writer's jobs. */
export interface ReadConnection {
  /** Returns the connection for one read, which must follow immediately. */
  enter(): Pick<Connection, 'all' | 'get' | 'search'>;
  /** Makes everything committed visible to later reads. Call it after each commit, before the acknowledgement. */
  renew(): void;
  close(): void;
}

/**
 * On busy turns of the event loop, reads share a transaction. Otherwise each statement begins and ends its own, which
 * costs half as much as reading a document.
 *
 * @param isAlone true if no other process writes; otherwise, since commits of others are not announced, each read
 * starts a new transaction
 */
export function createReader(connection: Connection, { isAlone = true } = {}): ReadConnection {
  let reads = 0;
  let wasBusy = false;
  let isShared = false;

  function enter(): Connection {
    if (!isAlone || reads++ > 0) return connection;
    setImmediate(endTurn);
    if (wasBusy) {
      connection.run('begin', []);
      isShared = true;
    }
    return connection;
  }

  function renew(): void {
    if (!isShared) return;
    isShared = false;
    connection.run('commit', []);
  }

  function endTurn(): void {
    renew();
    wasBusy = reads >= WORTH_SHARING;
    reads = 0;
  }

  return {
    enter,
    renew,
    close() {
      renew();
      connection.close();
    },
  };
}
