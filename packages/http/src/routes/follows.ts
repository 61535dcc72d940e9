import type { Follows, UserLists } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone, sendJson } from '../envelope.ts';
import { profileJson, styleOf } from '../render/profile.ts';
import { CountedPage, Empty, Envelope, failures, LIST_NOTE } from '../schemas/common.ts';
import { ON_PAGE } from '../schemas/failing.ts';
import { FollowRequested, Profile, UsernameParams, UserQuery } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

export interface FollowOptions extends UserPagerOptions {
  readonly userLists: UserLists;
  readonly follows: Follows;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['people'] });
const listSchema = (operationId: string, summary: string) => ({
  ...schema(operationId, summary),
  description: LIST_NOTE,
  querystring: UserQuery,
  response: { 200: CountedPage(Type.Array(Profile)), ...failures },
});

/** Follows between users. */
export const followRoutes: Routes<FollowOptions> = async (app, { userLists, follows, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.post(
    '/follow/:username',
    {
      schema: {
        ...schema('follow', 'Follow a user, or ask to, as their policy says'),
        params: UsernameParams,
        response: { 201: Envelope(Profile, 201), 202: Envelope(FollowRequested, 202), ...failures },
      },
      config: { fails: ['follow.exists', 'follow.refused', 'follow.self', 'user.internal', 'user.not_found'] },
    },
    async (request, reply) => {
      const profile = await follows.follow(request.actor, request.params.username);
      if (profile === null) return sendData(reply, { status: 'requested' }, 202);
      return sendJson(reply, profileJson(profile, styleOf(request)), 201);
    },
  );

  app.delete(
    '/follow/:username',
    {
      schema: {
        ...schema('unfollow', 'Stop following a user, or withdraw a request'),
        params: UsernameParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      // Users whom nobody can follow (internal ones) have no followers either.
      config: { fails: ['follow.not_found', 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } },
    },
    async ({ actor, params }, reply) => sendDone(reply, follows.unfollow(actor, params.username)),
  );

  for (const kind of ['following', 'followers'] as const) {
    const summary = kind === 'following' ? 'Users that the caller follows' : 'Users that follow the caller';
    app.get(`/${kind}`, { schema: listSchema(kind, summary), config: { fails: ON_PAGE } }, async (request, reply) =>
      sendUsers(request, reply, (page) => userLists[kind](request.actor, null, page)),
    );

    app.get(
      `/${kind}/:username`,
      {
        schema: { ...listSchema(`${kind}Of`, summary.replace('the caller', 'a user')), params: UsernameParams },
        config: { fails: ON_PAGE },
      },
      async (request, reply) =>
        sendUsers(request, reply, (page) => userLists[kind](request.actor, request.params.username, page)),
    );
  }
};
