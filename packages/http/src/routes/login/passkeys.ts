import type { PasskeyLogins } from '@baobab/core';
import { sendData } from '../../responses/envelope.ts';
import { PasskeyLoginBody, RequestOptions } from '../../schemas/passkeys.ts';
import { SignedIn } from '../../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';
import { parseLoginData, sendLoggedIn, sourceOf } from './login.ts';

const operation = operationsIn('passkeys');

export const passkeyLoginRoutes: Routes<{ passkeyLogins: PasskeyLogins }> = async (app, { passkeyLogins }) => {
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
