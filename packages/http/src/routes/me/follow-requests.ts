import type { Follows } from '@baobab/core';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { FollowingPolicy, Profile } from '../../schemas/users.ts';
import { endsRelation, listOf, operationsIn, type Routes } from '../describe.ts';
import { createUserPager, type UserListOptions } from '../users/pager.ts';

const operation = operationsIn('people');

/** Follow policies and follow requests. */
export const followRequestRoutes: Routes<UserListOptions & { follows: Follows }> = async (app, options) => {
  const { userLists, follows } = options;
  const sendUsers = createUserPager(options);

  app.get(
    '/me/following-policy',
    operation('readFollowingPolicy', 'Read your follow policy', { data: FollowingPolicy }),
    async ({ actor }, reply) => sendData(reply, { followers: await follows.policy(actor) }),
  );

  app.put(
    '/me/following-policy',
    operation('setFollowingPolicy', 'Set your follow policy; followers and requests do not change', {
      body: FollowingPolicy,
      data: FollowingPolicy,
    }),
    async ({ actor, body: { followers } }, reply) => {
      await follows.setPolicy(actor, followers);
      return sendData(reply, { followers });
    },
  );

  app.get(
    '/me/follow-requests',
    operation('listFollowRequests', 'List follow requests that you have received', listOf(Profile)),
    async (request, reply) => sendUsers(request, reply, userLists.requests(request.actor)),
  );

  app.put(
    '/me/follow-requests/:username',
    operation('acceptFollowRequest', 'Accept a follow request', endsRelation('follow.request_not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.accept(actor, params.username)),
  );

  app.delete(
    '/me/follow-requests/:username',
    operation('declineFollowRequest', 'Decline a follow request', endsRelation('follow.request_not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.decline(actor, params.username)),
  );
};
