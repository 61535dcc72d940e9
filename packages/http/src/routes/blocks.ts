import type { Blocks, UserLists } from '@baobab/core';
import { sendData, sendDone } from '../envelope.ts';
import { Empty } from '../schemas/common.ts';
import { Profile } from '../schemas/users.ts';
import { listOf, operationsIn } from './describe.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

const operation = operationsIn('people');

export interface BlockOptions extends UserPagerOptions {
  readonly userLists: UserLists;
  readonly blocks: Blocks;
}

/** Blocks between users. */
export const blockRoutes: Routes<BlockOptions> = async (app, { userLists, blocks, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.post(
    '/block/:username',
    operation('block', 'Block a user: you no longer follow each other, and do not exist for them', {
      data: Empty,
      created: Empty,
      fails: ['block.self', 'user.internal', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, '', (await blocks.block(actor, params.username)) ? 201 : 200),
  );

  app.delete(
    '/block/:username',
    operation('unblock', 'Unblock a user', {
      fails: ['block.not_found', 'user.internal', 'user.not_found'],
      status: { 'user.internal': 404 },
    }),
    async ({ actor, params }, reply) => sendDone(reply, blocks.unblock(actor, params.username)),
  );

  app.get('/blocked', operation('blocked', 'Users whom you block', listOf(Profile)), async (request, reply) =>
    sendUsers(request, reply, (page) => userLists.blocked(request.actor, page)),
  );
};
