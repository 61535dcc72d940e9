import { createHash } from 'node:crypto';
import type { FeedState } from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import type { Sql } from '../statements/statement.ts';
import * as SQL from './feed-statements.ts';

const EPOCH_LENGTH = 16;

interface RemoteRow extends FeedState {
  readonly server: string;
  readonly timeline: string;
}

/** Reads the state of the change feed. */
export function createFeedState(executor: SqlExecutor): () => Promise<FeedState> {
  let text: Sql | null = null;

  async function row<Row>(sql: Sql): Promise<Row> {
    const found = await executor.readOne<Row>(sql, []);
    if (found === null) throw new Error('the state of the change feed is missing');
    return found;
  }

  async function remote(): Promise<FeedState> {
    text ??= SQL.remoteState(await row(SQL.HISTORY_RIGHTS));
    const { epoch, horizon, oldest, server, timeline } = await row<RemoteRow>(text);
    const hash = createHash('sha256').update(`${epoch} ${server} ${timeline}`).digest('hex');
    return { epoch: hash.slice(0, EPOCH_LENGTH), horizon, oldest };
  }

  return executor.isLocal ? () => row<FeedState>(SQL.LOCAL_STATE) : remote;
}
