import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sendData } from '../envelope.ts';
import { MAX_LIST_BODY } from '../list-body.ts';
import { sendProfile } from '../render/profile.ts';
import { Profile } from '../schemas/users.ts';
import { listOf, operationsIn, queryOf, type Routes } from './describe.ts';
import { createUserPager, type UserListOptions } from './user-pager.ts';

const operation = operationsIn('people');

/** Lists and profiles of other users. */
export const otherUserRoutes: Routes<UserListOptions> = async (app, options) => {
  const { userLists } = options;
  const sendUsers = createUserPager(options);
  const sendAll = async (request: FastifyRequest, reply: FastifyReply) =>
    sendUsers(request, reply, (page) => userLists.all(request.actor, page));

  app.get(
    '/users',
    operation('listUsers', 'List all users, with the sections that the caller may see', listOf(Profile)),
    sendAll,
  );

  app.post(
    '/users/query',
    {
      bodyLimit: MAX_LIST_BODY,
      ...operation('queryUsers', 'As listUsers, with the parameters in the body', queryOf(listOf(Profile))),
    },
    sendAll,
  );

  app.get(
    '/user/:username',
    operation('readUser', 'A profile, with the sections that the caller may see', {
      data: Profile,
      fails: ['user.not_found'],
      access: 'anybody',
    }),
    async ({ actor, params }, reply) => sendProfile(reply, await userLists.profile(actor, params.username)),
  );

  app.get(
    '/user/:username/exists',
    operation('userExists', 'Whether this name, or one that looks like it, is taken', {
      data: Type.Object({ username: Type.String(), exists: Type.Boolean() }),
    }),
    async ({ actor, params: { username } }, reply) =>
      sendData(reply, { username, exists: await userLists.exists(actor, username) }),
  );
};
