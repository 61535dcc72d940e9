import type { BlockStore } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';
import { claimingPair } from './pair-claims.ts';

/** All statements take the blocker as ?1 and the blocked user as ?2. */
const IS_BLOCKED = 'select 1 as one from blocks where blocked = ?1 and blocker = ?2';
const ADD = 'insert into blocks (blocker, blocked) values (?1, ?2) on conflict do nothing';
const REMOVE = 'delete from blocks where blocked = ?2 and blocker = ?1';
const END = ['follows', 'follow_requests'].flatMap((table) => [
  `delete from ${table} where follower = ?1 and followed = ?2`,
  `delete from ${table} where follower = ?2 and followed = ?1`,
]);

export function createBlockStore(executor: SqlExecutor): BlockStore {
  return {
    add: (...pair) =>
      claimingPair(executor, pair, async (transaction) => {
        if ((await transaction.readOne(IS_BLOCKED, pair)) !== null) return 'blocked';
        const added = await transaction.change(ADD, pair);
        for (const statement of END) await transaction.change(statement, pair);
        return added === 1 ? 'added' : 'exists';
      }),
    async remove(...pair) {
      return (await executor.change(REMOVE, pair)) === 1;
    },
  };
}
