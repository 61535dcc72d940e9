import type { UserLists } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendJson } from '../envelope.ts';
import { profileJson, styleOf } from '../render/profile.ts';
import { CountedPage, Envelope, failures, LIST_NOTE } from '../schemas/common.ts';
import { ON_PAGE } from '../schemas/failing.ts';
import { Profile, UsernameParams, UserQuery } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { createUserPager, type UserPagerOptions } from './user-pager.ts';

export interface OtherUsersOptions extends UserPagerOptions {
  readonly userLists: UserLists;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['people'] });

/** Lists and profiles of users, as others may see them. */
export const otherUserRoutes: Routes<OtherUsersOptions> = async (app, { userLists, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.get(
    '/users',
    {
      schema: {
        ...schema('listUsers', 'List all users, with the sections that the caller may see'),
        description: LIST_NOTE,
        querystring: UserQuery,
        response: { 200: CountedPage(Type.Array(Profile)), ...failures },
      },
      config: { fails: ON_PAGE },
    },
    async (request, reply) => sendUsers(request, reply, (page) => userLists.all(request.actor, page)),
  );

  app.get(
    '/user/:username',
    {
      schema: {
        ...schema('readUser', 'A profile, with the sections that the caller may see'),
        params: UsernameParams,
        response: { 200: Envelope(Profile), ...failures },
      },
      config: { fails: ['user.not_found'], access: 'anybody' },
    },
    async (request, reply) => {
      const profile = await userLists.profile(request.actor, request.params.username);
      return sendJson(reply, profileJson(profile, styleOf(request)));
    },
  );

  app.get(
    '/user/:username/exists',
    {
      schema: {
        ...schema('userExists', 'Whether this name, or one that looks like it, is taken'),
        params: UsernameParams,
        response: { 200: Envelope(Type.Object({ username: Type.String(), exists: Type.Boolean() })), ...failures },
      },
    },
    async ({ actor, params: { username } }, reply) =>
      sendData(reply, { username, exists: await userLists.exists(actor, username) }),
  );
};
