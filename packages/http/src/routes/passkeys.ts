import {
  type ShownPasskey as OwnPasskey,
  type PasskeyLogins,
  type Passkeys,
  wireDate,
  wireDateOrNull,
} from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { PRESENCE } from '../schemas/factors.ts';
import { ON_FRESH } from '../schemas/failing.ts';
import {
  CreationOptions,
  PasskeyLoginBody,
  PasskeyName,
  RegistrationBody,
  RequestOptions,
  ShownPasskey,
} from '../schemas/passkeys.ts';
import { SignedIn } from '../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';
import { presenceOf } from './factors.ts';
import { parseLoginData, sendLoggedIn, sourceOf } from './sessions.ts';

const operation = operationsIn('passkeys');

const shown = ({ id, name, credential, transports, created, lastUsed }: OwnPasskey) => ({
  id,
  name,
  credential,
  transports,
  created: wireDate(created),
  lastUse: wireDateOrNull(lastUsed),
});

export const passkeyRoutes: Routes<{ passkeys: Passkeys; passkeyLogins: PasskeyLogins }> = async (
  app,
  { passkeys, passkeyLogins },
) => {
  app.get(
    '/me/passkeys',
    operation('listPasskeys', 'List the passkeys of the caller, oldest first', { data: Type.Array(ShownPasskey) }),
    async ({ actor }, reply) => sendData(reply, (await passkeys.list(actor)).map(shown)),
  );

  app.post(
    '/me/passkeys/options',
    operation('preparePasskey', 'Get the options from which a browser creates a passkey', {
      data: CreationOptions,
      fails: ['passkey.limit', ...ON_FRESH],
      describes: PRESENCE,
    }),
    async (request, reply) => sendData(reply, await passkeys.prepare(request.actor, presenceOf(request))),
  );

  app.post(
    '/me/passkeys',
    operation('registerPasskey', 'Register the passkey that a browser has created', {
      body: RegistrationBody,
      created: ShownPasskey,
      fails: [
        'passkey.challenge_invalid',
        'passkey.exists',
        'passkey.invalid',
        'passkey.limit',
        'passkey.name_invalid',
      ],
    }),
    async ({ actor, body }, reply) => {
      const { name, id, response } = body;
      const { clientDataJSON, attestationObject, transports = [] } = response;
      const registration = { name, response: { id, clientDataJSON, attestationObject }, transports };
      return sendData(reply, shown(await passkeys.register(actor, registration)), 201);
    },
  );

  app.put(
    '/me/passkeys/:id',
    operation('renamePasskey', 'Give a passkey another name', {
      body: PasskeyName,
      fails: ['passkey.name_invalid', 'passkey.not_found'],
    }),
    async ({ actor, params: { id }, body }, reply) => sendDone(reply, passkeys.rename(actor, id, body.name)),
  );

  app.delete(
    '/me/passkeys/:id',
    operation('removePasskey', 'Remove a passkey', {
      fails: ['passkey.last', 'passkey.not_found', ...ON_FRESH],
      describes: PRESENCE,
    }),
    async (request, reply) => sendDone(reply, passkeys.remove(request.actor, request.params.id, presenceOf(request))),
  );

  app.post(
    '/login/passkey/options',
    operation('preparePasskeyLogin', 'Get the options for a login with a passkey', {
      data: RequestOptions,
      ...BEFORE_LOGIN,
    }),
    async ({ actor }, reply) => sendData(reply, passkeyLogins.options(actor)),
  );

  app.post(
    '/login/passkey',
    operation('loginWithPasskey', 'Log in with a passkey', {
      description: 'Neither a name nor a second factor is needed.',
      body: PasskeyLoginBody,
      data: SignedIn,
      fails: ['auth.passkey_cloned', 'auth.passkey_invalid', 'passkey.challenge_invalid'],
      status: { 'passkey.challenge_invalid': 401 },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { id, response, client, login_data } = request.body;
      const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
      const loggedIn = await passkeyLogins.login(request.actor, {
        response: { id, clientDataJSON, authenticatorData, signature, userHandle },
        login: parseLoginData(login_data),
        ...sourceOf(request, client),
      });
      return sendLoggedIn(request, reply, loggedIn);
    },
  );
};
