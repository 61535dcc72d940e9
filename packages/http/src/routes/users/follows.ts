import type { Follows } from '@baobab/core';
import { sendProfile } from '../../render/profile.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Envelope } from '../../schemas/common.ts';
import { FollowRequested, Profile } from '../../schemas/users.ts';
import { endsRelation, listOf, operationsIn, type Routes } from '../describe.ts';
import { createUserPager, type UserListOptions } from './pager.ts';

const operation = operationsIn('people');

/** Follows between users. */
export const followRoutes: Routes<UserListOptions & { follows: Follows }> = async (app, options) => {
  const { userLists, follows } = options;
  const sendUsers = createUserPager(options);

  app.post(
    '/follow/:username',
    operation('follow', 'Follow a user, or request it if the user has to approve', {
      created: Profile,
      response: { 202: Envelope(FollowRequested, 202) },
      fails: ['follow.exists', 'follow.refused', 'follow.self', 'user.internal', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => {
      const profile = await follows.follow(actor, params.username);
      if (profile === null) return sendData(reply, { status: 'requested' }, 202);
      return sendProfile(reply, profile, 201);
    },
  );

  app.delete(
    '/follow/:username',
    operation('unfollow', 'Unfollow a user, or withdraw a request', endsRelation('follow.not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.unfollow(actor, params.username)),
  );

  for (const kind of ['following', 'followers'] as const) {
    const summary =
      kind === 'following' ? 'List the users whom the caller follows' : 'List the followers of the caller';
    app.get(`/${kind}`, operation(kind, summary, listOf(Profile)), async (request, reply) =>
      sendUsers(request, reply, await userLists[kind](request.actor, null)),
    );

    app.get(
      `/${kind}/:username`,
      operation(`${kind}Of`, summary.replace('the caller', 'a user'), { ...listOf(Profile) }),
      async (request, reply) =>
        sendUsers(request, reply, await userLists[kind](request.actor, request.params.username)),
    );
  }

  app.delete(
    '/followers/:username',
    operation('removeFollower', 'Remove a follower', endsRelation('follow.not_found')),
    async ({ actor, params }, reply) => sendDone(reply, follows.removeFollower(actor, params.username)),
  );
};
