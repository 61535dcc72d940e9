import type { Guests } from '@baobab/core';
import { textsIn } from '../../requests/presence.ts';
import { GUEST_BODY, SignedIn } from '../../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';
import { sendLoggedIn, sourceOf } from '../login/login.ts';

const operation = operationsIn('users');

export const guestRoutes: Routes<{ guests: Guests }> = async (app, { guests }) => {
  app.post(
    '/user/guest',
    operation('signUpGuest', 'Sign up as a guest, without a name and a password', {
      created: SignedIn,
      fails: ['guest.disabled', 'registration.closed', 'rate.limited'],
      describes: { body: GUEST_BODY, bodyIsOptional: true },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { client } = textsIn(request.body, ['client']);
      return sendLoggedIn(request, reply, await guests.signUp(request.actor, sourceOf(request, client)), 201);
    },
  );
};
