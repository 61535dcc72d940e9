import type { Guests } from '@baobab/core';
import { clientAddress } from '../client-address.ts';
import { textsIn } from '../optional-body.ts';
import { sendProfile } from '../render/profile.ts';
import { ON_NAME, ON_PASSWORD } from '../schemas/failing.ts';
import { Credentials, GUEST_BODY, Profile, SignedIn } from '../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';
import { sendLoggedIn, sourceOf } from './sessions.ts';

const operation = operationsIn('users');

export const guestRoutes: Routes<{ guests: Guests }> = async (app, { guests }) => {
  app.post(
    '/user/guest',
    operation('signUpGuest', 'Become a guest: a user without a name and a password of their own, logged in', {
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

  app.put(
    '/me/credentials',
    operation('chooseCredentials', 'Give a guest a name and a password; the guest keeps all data', {
      body: Credentials,
      data: Profile,
      fails: ['guest.required', ...ON_NAME, ...ON_PASSWORD],
    }),
    async (request, reply) => {
      const chosen = { ...request.body, address: clientAddress(request) };
      return sendProfile(reply, await guests.chooseCredentials(request.actor, chosen));
    },
  );
};
