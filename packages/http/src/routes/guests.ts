import type { Guests } from '@baobab/core';
import { clientAddress, clientIn, originOf } from '../authenticate.ts';
import { sendJson } from '../envelope.ts';
import { textsIn } from '../optional-body.ts';
import { profileJson, styleOf } from '../render/profile.ts';
import { Envelope, failures } from '../schemas/common.ts';
import { ON_NAME, ON_PASSWORD } from '../schemas/failing.ts';
import { Credentials, GUEST_BODY, Profile, SignedIn } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { sendLoggedIn } from './sessions.ts';

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['users'] });

export const guestRoutes: Routes<{ guests: Guests }> = async (app, { guests }) => {
  app.post(
    '/user/guest',
    {
      schema: {
        ...schema('signUpGuest', 'Become a guest: a user without a name and a password of their own, logged in'),
        response: { 201: Envelope(SignedIn, 201), ...failures },
      },
      config: {
        fails: ['guest.disabled', 'registration.closed', 'rate.limited'],
        describes: { body: GUEST_BODY, bodyIsOptional: true },
        access: 'anybody',
        ignoresOldCredentials: true,
      },
    },
    async (request, reply) => {
      const client = textsIn(request.body, ['client']).client ?? clientIn(request);
      const signedUp = await guests.signUp(request.actor, {
        address: clientAddress(request),
        client,
        origin: originOf(request),
      });
      return sendLoggedIn(request, reply, signedUp, 201);
    },
  );

  app.put(
    '/me/credentials',
    {
      schema: {
        ...schema('chooseCredentials', 'Give a guest a name and a password; the guest keeps all data'),
        body: Credentials,
        response: { 200: Envelope(Profile), ...failures },
      },
      config: { fails: ['guest.required', ...ON_NAME, ...ON_PASSWORD] },
    },
    async (request, reply) => {
      const chosen = { ...request.body, address: clientAddress(request) };
      return sendJson(reply, profileJson(await guests.chooseCredentials(request.actor, chosen), styleOf(request)));
    },
  );
};
