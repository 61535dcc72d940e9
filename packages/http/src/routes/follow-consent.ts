import type { Follows, UserLists } from '@baobab/core';
import { sendData, sendDone } from '../envelope.ts';
import { FollowingPolicy, Profile } from '../schemas/users.ts';
import { listOf, operationsIn } from './describe.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

const operation = operationsIn('people');

export interface FollowConsentOptions extends UserPagerOptions {
  readonly userLists: UserLists;
  readonly follows: Follows;
}

/** Whom users let follow them. */
export const followConsentRoutes: Routes<FollowConsentOptions> = async (app, { userLists, follows, ...lists }) => {
  const sendUsers = createUserPager(lists);

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

  for (const { method, name, summary, act } of [
    { method: 'put', name: 'acceptFollowRequest', summary: 'Accept a request to follow you', act: follows.accept },
    {
      method: 'delete',
      name: 'declineFollowRequest',
      summary: 'Decline a request to follow you',
      act: follows.decline,
    },
  ] as const) {
    app[method](
      '/me/follow-requests/:username',
      operation(name, summary, {
        fails: ['follow.request_not_found', 'user.internal', 'user.not_found'],
        status: { 'user.internal': 404 },
      }),
      async ({ actor, params }, reply) => sendDone(reply, act(actor, params.username)),
    );
  }

  app.delete(
    '/followers/:username',
    operation('removeFollower', 'Make a user stop following you', {
      fails: ['follow.not_found', 'user.internal', 'user.not_found'],
      status: { 'user.internal': 404 },
    }),
    async ({ actor, params }, reply) => sendDone(reply, follows.removeFollower(actor, params.username)),
  );
};
