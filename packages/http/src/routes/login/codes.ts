import type { LoginCodes } from '@baobab/core';
import { clientAddress } from '../../callers/client-address.ts';
import { sendData } from '../../responses/envelope.ts';
import { LoginCodeAnswer, LoginCodeRequest, LoginCodeSent } from '../../schemas/login-codes.ts';
import { SignedIn } from '../../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';
import { parseLoginData, sendLoggedIn, sourceOf } from './login.ts';

const operation = operationsIn('sessions');

/** Login with a code sent by mail. */
export const loginCodeRoutes: Routes<{ loginCodes: LoginCodes }> = async (app, { loginCodes }) => {
  app.post(
    '/login/code',
    operation('requestLoginCode', 'Send a login code by mail', {
      description: 'The response is the same whether or not there is such a user.',
      body: LoginCodeRequest,
      data: LoginCodeSent,
      fails: ['auth.method_disabled', 'mail.unavailable'],
      describes: { takesForms: true },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { username = null, email = null } = request.body;
      const challenge = await loginCodes.begin(request.actor, { username, email, address: clientAddress(request) });
      return sendData(reply, { challenge });
    },
  );

  app.post(
    '/login/code/confirm',
    operation('loginWithCode', 'Log in with a code from a mail', {
      body: LoginCodeAnswer,
      data: SignedIn,
      fails: ['auth.code_invalid', 'auth.method_disabled'],
      describes: { takesForms: true },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { challenge, code, client, login_data } = request.body;
      const answer = { challenge, code, login: parseLoginData(login_data), ...sourceOf(request, client) };
      return sendLoggedIn(request, reply, await loginCodes.confirm(request.actor, answer));
    },
  );
};
