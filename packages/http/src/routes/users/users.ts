import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MAX_LIST_BODY } from '../../lists/criteria.ts';
import { sendProfile } from '../../render/profile.ts';
import { sendData } from '../../responses/envelope.ts';
import { Profile } from '../../schemas/users.ts';
import { listOf, operationsIn, queryOf, type Routes } from '../describe.ts';
import { createUserPager, type UserListOptions } from './pager.ts';

const operation = operationsIn('people');

/** Lists and profiles of other users. */
export const otherUserRoutes: Routes<UserListOptions> = async (app, options) => {
  const { userLists } = options;
  const sendUsers = createUserPager(options);
  const sendAll = async (request: FastifyRequest, reply: FastifyReply) =>
    sendUsers(request, reply, userLists.all(request.actor));

  app.get('/users', operation('listUsers', 'List users with their visible sections', listOf(Profile)), sendAll);

  app.post(
    '/users/query',
    {
      bodyLimit: MAX_LIST_BODY,
      ...operation('queryUsers', 'List users, with the parameters in the body', queryOf(listOf(Profile))),
    },
    sendAll,
  );

  app.get(
    '/user/:username',
    operation('readUser', 'Read a profile with its visible sections', {
      data: Profile,
      fails: ['user.not_found'],
      access: 'anybody',
    }),
    async ({ actor, params }, reply) => sendProfile(reply, await userLists.profile(actor, params.username)),
  );

  app.get(
    '/user/:username/exists',
    operation('userExists', 'Check if a user name, or one that looks the same, is taken', {
      data: Type.Object({ username: Type.String(), exists: Type.Boolean() }),
    }),
    async ({ actor, params: { username } }, reply) =>
      sendData(reply, { username, exists: await userLists.exists(actor, username) }),
  );
};
