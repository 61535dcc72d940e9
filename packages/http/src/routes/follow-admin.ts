import type { Follows } from '@baobab/core';
import { Type } from 'typebox';
import { sendDone } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import type { Routes } from './plugin.ts';

const Params = Type.Object({ follower: Type.String(), tofollow: Type.String() });
const schema = (operationId: string, summary: string) => ({
  operationId,
  summary,
  tags: ['user administration'],
  params: Params,
});

/** Follows that administrators manage, under the path of the interface and under a clearer one. */
export const followAdminRoutes: Routes<{ follows: Follows }> = async (app, { follows }) => {
  for (const { url, name, created } of [
    { url: '/admin/Fw/:follower/to/:tofollow', name: 'Fw', created: 200 },
    { url: '/admin/follow/:follower/to/:tofollow', name: 'Follow', created: 201 },
  ] as const) {
    app.post(
      url,
      {
        schema: {
          ...schema(`create${name}AsAdmin`, 'Make a user follow another one'),
          response: { [created]: Envelope(Empty, created), ...failures },
        },
        config: { fails: ['follow.exists', 'follow.self', 'user.internal', 'user.not_found'] },
      },
      async ({ actor, params }, reply) =>
        sendDone(
          reply,
          follows.createAsAdmin(actor, { follower: params.follower, followed: params.tofollow }),
          created,
        ),
    );

    app.delete(
      url,
      {
        schema: {
          ...schema(`remove${name}AsAdmin`, 'Make a user stop following another one'),
          response: { 200: Envelope(Empty), ...failures },
        },
        config: { fails: ['follow.not_found', 'user.internal', 'user.not_found'], status: { 'user.internal': 404 } },
      },
      async ({ actor, params }, reply) =>
        sendDone(reply, follows.removeAsAdmin(actor, { follower: params.follower, followed: params.tofollow })),
    );
  }
};
