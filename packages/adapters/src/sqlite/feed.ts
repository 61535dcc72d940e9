import { FEED_POSITION } from '../sql/feed-position.ts';
import type { Connection } from './database.ts';

const READ = 'select position from feed_state';
const STORE = 'update feed_state set position = ?1';

/** Positions of the change feed: each transaction that adds to the feed takes the next one. */
export interface Feed {
  /** Stores the position of the transaction, immediately before its commit. */
  store(): void;
  /** Ends a committed or abandoned transaction. Returns true if it added to the feed. */
  end(): boolean;
}

export function createFeed(connection: Connection): Feed {
  let position: number | null = null;
  connection.define(FEED_POSITION, () => {
    position ??= (connection.get<{ position: number }>(READ, [])?.position ?? 0) + 1;
    return BigInt(position); // a number would become a float
  });
  return {
    store() {
      if (position !== null) connection.run(STORE, [position]);
    },
    end() {
      const isUsed = position !== null;
      position = null;
      return isUsed;
    },
  };
}
