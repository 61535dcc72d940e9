import type { Follows } from '@baobab/core';
import { sendData, sendDone } from '../envelope.ts';
import { FollowingPolicy, Profile } from '../schemas/users.ts';
import { endsRelation, listOf, operationsIn, type Routes } from './describe.ts';
import { createUserPager, type UserListOptions } from './user-pager.ts';

const operation = operationsIn('people');

/** Follow policies and follow requests. */
export const followConsentRoutes: Routes<UserListOptions & { follows: Follows }> = async (app, options) => {
  const { userLists, follows } = options;
  const sendUsers = createUserPager(options);

  app.get(
    '/me/following-policy',
    operation('readFollowingPolicy', 'Whom you let follow you', { data: FollowingPolicy }),
    async ({ actor }, reply) => sendData(reply, { followers: await follows.policy(actor) }),
  );

  app.put(
    '/me/following-policy',
    operation('setFollowingPolicy', 'Choose whom you let follow you; followers and requests stay', {
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
    operation('listFollowRequests', 'Users who have asked to follow you', listOf(Profile)),
    async (request, reply) => sendUsers(request, reply, (page) => userLists.requests(request.actor, page)),
  );

  app.put(
    '/me/follow-requests/:username',
    operation('acceptFollowRequest', 'Accept a request to follow you', endsRelation('follow.request_not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.accept(actor, params.username)),
  );

  app.delete(
    '/me/follow-requests/:username',
    operation('declineFollowRequest', 'Decline a request to follow you', endsRelation('follow.request_not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.decline(actor, params.username)),
  );

  app.delete(
    '/followers/:username',
    operation('removeFollower', 'Make a user stop following you', endsRelation('follow.not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.removeFollower(actor, params.username)),
  );
};
