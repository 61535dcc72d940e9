import type { Follows } from '@baobab/core';
import { presenceOf } from '../../requests/presence.ts';
import { sendDone } from '../../responses/envelope.ts';
import { Empty, Envelope } from '../../schemas/common.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { ON_ADMINISTRATOR } from '../../schemas/failing.ts';
import { endsRelation, operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('user administration');

/** Management of follows by administrators, under the original path of the API and under a clearer one. */
export const followAdminRoutes: Routes<{ follows: Follows }> = async (app, { follows }) => {
  for (const { url, name, created } of [
    { url: '/admin/Fw/:follower/to/:tofollow', name: 'Fw', created: 200 },
    { url: '/admin/follow/:follower/to/:tofollow', name: 'Follow', created: 201 },
  ] as const) {
    app.post(
      url,
      operation(`create${name}AsAdmin`, 'Make a user follow another one', {
        response: { [created]: Envelope(Empty, created) },
        fails: ['follow.exists', 'follow.self', 'user.internal', 'user.not_found', ...ON_ADMINISTRATOR],
        describes: PRESENCE,
      }),
      async (request, reply) => {
        const { follower, tofollow: followed } = request.params;
        const pair = { follower, followed };
        return sendDone(reply, follows.createAsAdmin(request.actor, pair, presenceOf(request)), created);
      },
    );

    app.delete(
      url,
      operation(`remove${name}AsAdmin`, 'Make a user unfollow another one', endsRelation('follow.not_found')),
      async ({ actor, params: { follower, tofollow: followed } }, reply) =>
        sendDone(reply, follows.removeAsAdmin(actor, { follower, followed })),
    );
  }
};
