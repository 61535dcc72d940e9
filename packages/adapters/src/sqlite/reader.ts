import type { Connection } from './database.ts';

/** After a turn with this many reads, the reads of the next turn share a transaction. */
const WORTH_SHARING = 3;

/** The connection for all reads outside the writer's jobs. */
export interface Reader {
  /** The connection for one read, which follows at once. */
  enter(): Pick<Connection, 'all' | 'get' | 'search'>;
  /** Makes later reads see everything committed. Call after each commit, before it is acknowledged. */
  renew(): void;
  close(): void;
}

/**
 * Reads of one turn of the event loop share a transaction while there are many of them: otherwise each statement begins
 * and ends its own, which costs half as much as reading a document.
 *
 * @param isAlone whether no other process writes. If others may, their commits are not announced, so each read begins anew
 */
export function createReader(connection: Connection, { isAlone = true } = {}): Reader {
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
