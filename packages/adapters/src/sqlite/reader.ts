import type { ReadBound, SqlValue } from '../sql/executor.ts';
import type { Connection } from './database.ts';
import type { SearchLimit } from './search-work.ts';

/** After a turn with this many reads, the reads of the next turn share a transaction. */
const WORTH_SHARING = 3;

/** The connection for all reads outside the writer's jobs. */
export interface Reader {
  all<Row>(sql: string, params: readonly SqlValue[], bound?: ReadBound): Row[];
  get<Row>(sql: string, params: readonly SqlValue[]): Row | null;
  search<Row>(sql: string, params: readonly SqlValue[], limit: SearchLimit, bound?: ReadBound): Row[];
  /** Changes with every commit that this connection can see (`pragma data_version`). */
  version(): number;
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

  function enter(): void {
    if (!isAlone || reads++ > 0) return;
    setImmediate(endTurn);
    if (!wasBusy) return;
    connection.run('begin', []);
    isShared = true;
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
    all(sql, params, bound) {
      enter();
      return connection.all(sql, params, bound);
    },
    get(sql, params) {
      enter();
      return connection.get(sql, params);
    },
    search(sql, params, limit, bound) {
      enter();
      return connection.search(sql, params, limit, bound);
    },
    version: () => {
      enter();
      return connection.get<{ data_version: number }>('pragma data_version', [])?.data_version ?? 0;
    },
    renew,
    close() {
      renew();
      connection.close();
    },
  };
}
