import type { SqlValue } from '../sql/executor.ts';
import type { Connection } from './database.ts';
import type { SearchLimit } from './search-work.ts';

/** From so many reads in a turn on, the next turn's reads share a transaction. */
const WORTH_SHARING = 3;

/** The connection that all reads outside of the writer's jobs use. */
export interface Reader {
  all<Row>(sql: string, params: readonly SqlValue[]): Row[];
  get<Row>(sql: string, params: readonly SqlValue[]): Row | null;
  search<Row>(sql: string, params: readonly SqlValue[], limit: SearchLimit): Row[];
  /** Another one after any commit: of this file, as this connection reads it (`pragma data_version`). */
  version(): number;
  /** What is read from now on sees all that has been committed. To be called after each commit, before it is acknowledged. */
  renew(): void;
  close(): void;
}

/**
 * Reads that arrive in one turn of the event loop share one transaction while there are many: to begin and end one, as
 * each statement does by itself otherwise, costs half as much as to read a document.
 *
 * @param isAlone whether no other process writes: nobody says when those commit, so each read then begins anew
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
    all(sql, params) {
      enter();
      return connection.all(sql, params);
    },
    get(sql, params) {
      enter();
      return connection.get(sql, params);
    },
    search(sql, params, limit) {
      enter();
      return connection.search(sql, params, limit);
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
