import type { Follows, UserLists } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { CountedPage, Empty, Envelope, failures, LIST_NOTE } from '../schemas/common.ts';
import { ON_PAGE } from '../schemas/failing.ts';
import { FollowingPolicy, Profile, UsernameParams, UserQuery } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

export interface FollowConsentOptions extends UserPagerOptions {
  readonly userLists: UserLists;
  readonly follows: Follows;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['people'] });

/** Whom users let follow them. */
export const followConsentRoutes: Routes<FollowConsentOptions> = async (app, { userLists, follows, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.get(
    '/me/following-policy',
    {
      schema: {
        ...schema('readFollowingPolicy', 'Whom you let follow you'),
        response: { 200: Envelope(FollowingPolicy), ...failures },
      },
    },
    async ({ actor }, reply) => sendData(reply, { followers: await follows.policy(actor) }),
  );

  app.put(
    '/me/following-policy',
    {
      schema: {
        ...schema('setFollowingPolicy', 'Choose whom you let follow you; followers and requests stay'),
        body: FollowingPolicy,
        response: { 200: Envelope(FollowingPolicy), ...failures },
      },
    },
    async ({ actor, body: { followers } }, reply) => {
      await follows.setPolicy(actor, followers);
      return sendData(reply, { followers });
    },
  );

  app.get(
    '/me/follow-requests',
    {
      schema: {
        ...schema('listFollowRequests', 'Users who have asked to follow you'),
        description: LIST_NOTE,
        querystring: UserQuery,
        response: { 200: CountedPage(Type.Array(Profile)), ...failures },
      },
      config: { fails: ON_PAGE },
    },
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
      {
        schema: { ...schema(name, summary), params: UsernameParams, response: { 200: Envelope(Empty), ...failures } },
        config: {
          fails: ['follow.request_not_found', 'user.internal', 'user.not_found'],
          status: { 'user.internal': 404 },
        },
      },
      async ({ actor, params }, reply) => sendDone(reply, act(actor, params.username)),
    );
  }

  app.delete(
    '/followers/:username',
    {
      schema: {
        ...schema('removeFollower', 'Make a user stop following you'),
        params: UsernameParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['follow.not_found', 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } },
    },
    async ({ actor, params }, reply) => sendDone(reply, follows.removeFollower(actor, params.username)),
  );
};
