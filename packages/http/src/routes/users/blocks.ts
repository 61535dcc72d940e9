import type { Blocks } from '@baobab/core';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Empty } from '../../schemas/common.ts';
import { Profile } from '../../schemas/users.ts';
import { endsRelation, listOf, operationsIn, type Routes } from '../describe.ts';
import { createUserPager, type UserListOptions } from './pager.ts';

const operation = operationsIn('people');

/** Blocks between users. */
export const blockRoutes: Routes<UserListOptions & { blocks: Blocks }> = async (app, options) => {
  const { userLists, blocks } = options;
  const sendUsers = createUserPager(options);

  app.post(
    '/block/:username',
    operation('block', 'Block a user: you unfollow each other and become invisible to them', {
      data: Empty,
      created: Empty,
      fails: ['block.self', 'user.internal', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, '', (await blocks.block(actor, params.username)) ? 201 : 200),
  );

  app.delete(
    '/block/:username',
    operation('unblock', 'Unblock a user', endsRelation('block.not_found')),
    async ({ actor, params }, reply) => sendDone(reply, blocks.unblock(actor, params.username)),
  );

  app.get('/blocked', operation('blocked', 'List the users whom you block', listOf(Profile)), async (request, reply) =>
    sendUsers(request, reply, userLists.blocked(request.actor)),
  );
};
