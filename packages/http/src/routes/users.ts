import type { Users } from '@baobab/core';
import { sendJson } from '../envelope.ts';
import { profileJson, signedInJson } from '../render/profile.ts';
import { Envelope, failures } from '../schemas/common.ts';
import { Profile, SignedIn, SignUpBody } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { SESSION_HEADER } from './sessions.ts';

export const userRoutes: Routes<{ users: Users }> = async (app, { users }) => {
  app.post(
    '/user',
    {
      schema: {
        operationId: 'signUp',
        summary: 'Sign up; the new user is logged in',
        tags: ['users'],
        body: SignUpBody,
        response: { 201: Envelope(SignedIn, 201), ...failures },
      },
      config: { access: 'anybody', ignoresStaleToken: true },
    },
    async ({ actor, body }, reply) => {
      const { username, password, ...sections } = body;
      const { profile, token } = await users.signUp(actor, { username, password, sections, login: null });
      reply.header(SESSION_HEADER, token);
      return sendJson(reply, signedInJson(profile, token), 201);
    },
  );

  for (const [url, operationId] of [
    ['/user', 'readOwnProfile'],
    ['/me', 'readMe'],
  ] as const) {
    app.get(
      url,
      {
        schema: {
          operationId,
          summary: 'The own profile',
          tags: ['users'],
          response: { 200: Envelope(Profile), ...failures },
        },
      },
      async ({ actor }, reply) => sendJson(reply, profileJson(await users.me(actor))),
    );
  }
};
