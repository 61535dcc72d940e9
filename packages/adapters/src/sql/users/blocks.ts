import type { Block, BlockStore } from '@baobab/core';
import { claimingPair } from '../statements/claims.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { changesOne } from '../statements/fragments.ts';
import { onCopies } from '../statements/statement.ts';

/** All statements have the blocker in ?1 and the blocked user in ?2. */
const IS_BLOCKED = 'select 1 as one from blocks where blocked = ?1 and blocker = ?2';
const ADD = 'insert into blocks (blocker, blocked) values (?1, ?2) on conflict do nothing';
const REMOVE = 'delete from blocks where blocked = ?2 and blocker = ?1';
const PART = onCopies('delete from follows where follower = ?1 and followed = ?2');
const END_REQUEST = 'delete from follow_requests where follower = ?1 and followed = ?2';

export function createBlockStore(executor: SqlExecutor): BlockStore {
  return {
    add: (...pair) =>
      claimingPair(executor, pair, async (transaction): Promise<Block> => {
        if ((await transaction.readOne(IS_BLOCKED, pair)) !== null) return { outcome: 'blocked', parted: [] };
        const added = await transaction.change(ADD, pair);
        const parted: string[] = [];
        for (const [follower, followed] of [pair, [pair[1], pair[0]]] as const) {
          if ((await transaction.change(PART, [follower, followed])) === 1) parted.push(follower);
          await transaction.change(END_REQUEST, [follower, followed]);
        }
        return { outcome: added === 1 ? 'added' : 'exists', parted: parted.toSorted() };
      }),
    remove: (...pair) => changesOne(executor, REMOVE, pair),
  };
}
