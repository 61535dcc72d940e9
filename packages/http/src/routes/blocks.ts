import type { Blocks, UserLists } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { CountedPage, Empty, Envelope, failures, LIST_NOTE } from '../schemas/common.ts';
import { ON_PAGE } from '../schemas/failing.ts';
import { Profile, UsernameParams, UserQuery } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

export interface BlockOptions extends UserPagerOptions {
  readonly userLists: UserLists;
  readonly blocks: Blocks;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['people'] });

/** Blocks between users. */
export const blockRoutes: Routes<BlockOptions> = async (app, { userLists, blocks, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.post(
    '/block/:username',
    {
      schema: {
        ...schema('block', 'Block a user: you no longer follow each other, and do not exist for them'),
        params: UsernameParams,
        response: { 200: Envelope(Empty), 201: Envelope(Empty, 201), ...failures },
      },
      config: { fails: ['block.self', 'user.internal', 'user.not_found'] },
    },
    async ({ actor, params }, reply) => sendData(reply, '', (await blocks.block(actor, params.username)) ? 201 : 200),
  );

  app.delete(
    '/block/:username',
    {
      schema: {
        ...schema('unblock', 'Unblock a user'),
        params: UsernameParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['block.not_found', 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } },
    },
    async ({ actor, params }, reply) => sendDone(reply, blocks.unblock(actor, params.username)),
  );

  app.get(
    '/blocked',
    {
      schema: {
        ...schema('blocked', 'Users whom you block'),
        description: LIST_NOTE,
        querystring: UserQuery,
        response: { 200: CountedPage(Type.Array(Profile)), ...failures },
      },
      config: { fails: ON_PAGE },
    },
    async (request, reply) => sendUsers(request, reply, (page) => userLists.blocked(request.actor, page)),
  );
};
