import {
  EVERY_OBJECT,
  type Follows,
  type QueryParser,
  type UserLists,
  type UserPage,
  type UserPageResult,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { criteriaText, searchPage, sendFound } from '../criteria.ts';
import { sendData, sendJson } from '../envelope.ts';
import type { PageLimits } from '../paging.ts';
import { profileJson, profilesJson, styleOf } from '../render/profile.ts';
import { Empty, Envelope, failures, LIST_NOTE, Page } from '../schemas/common.ts';
import { ON_PAGE } from '../schemas/failing.ts';
import { UsernameParams, UserQuery } from '../schemas/people.ts';
import { Profile } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';

export interface PeopleOptions {
  readonly userLists: UserLists;
  readonly follows: Follows;
  readonly parse: QueryParser;
  readonly pages: PageLimits;
}

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['people'] });
const listSchema = (operationId: string, summary: string) => ({
  ...schema(operationId, summary),
  description: LIST_NOTE,
  querystring: UserQuery,
  response: { 200: Page(Type.Array(Profile)), ...failures },
});

export type UserPager = (
  request: FastifyRequest,
  reply: FastifyReply,
  list: (page: UserPage) => Promise<UserPageResult>,
) => Promise<FastifyReply>;

/** Creates the function that sends the requested page of a list of users. */
export function createUserPager({ parse, pages }: Pick<PeopleOptions, 'parse' | 'pages'>): UserPager {
  return async (request, reply, list) => {
    request.server.unread.assertRoom(request);
    const raw = request.query as Record<string, unknown>;
    const text = criteriaText(raw);
    const page = searchPage(raw, text === null ? EVERY_OBJECT : parse(text), pages);
    const { count, ...found } = await list({ ...page, countOnly: raw.count === 'true' });
    if (count !== null) return sendData(reply, [{ count }]);
    return sendFound(reply, { page, found, render: (profiles) => profilesJson(profiles, styleOf(request)) });
  };
}

/** Other users, and follows between users. */
export const peopleRoutes: Routes<PeopleOptions> = async (app, { userLists, follows, ...lists }) => {
  const sendUsers = createUserPager(lists);

  app.get(
    '/users',
    {
      schema: listSchema('listUsers', 'List all users, with the sections that the caller may see'),
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

  app.post(
    '/follow/:username',
    {
      schema: {
        ...schema('follow', 'Follow a user'),
        params: UsernameParams,
        response: { 201: Envelope(Profile, 201), ...failures },
      },
      config: { fails: ['follow.exists', 'follow.self', 'user.internal', 'user.not_found'] },
    },
    async (request, reply) => {
      const profile = await follows.follow(request.actor, request.params.username);
      return sendJson(reply, profileJson(profile, styleOf(request)), 201);
    },
  );

  app.delete(
    '/follow/:username',
    {
      schema: {
        ...schema('unfollow', 'Stop following a user'),
        params: UsernameParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      // Users whom nobody can follow (internal ones) have no followers either.
      config: { fails: ['follow.not_found', 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } },
    },
    async ({ actor, params }, reply) => {
      await follows.unfollow(actor, params.username);
      return sendData(reply);
    },
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
