import type { LoginCodes } from '@baobab/core';
import { clientAddress, clientIn, originOf } from '../authenticate.ts';
import { sendData } from '../envelope.ts';
import { Envelope, failures } from '../schemas/common.ts';
import { LoginCodeAnswer, LoginCodeRequest, LoginCodeSent } from '../schemas/login-codes.ts';
import { SignedIn } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { parseLoginData, sendLoggedIn } from './sessions.ts';

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['sessions'] });

/** Log-in with a code that is sent by mail. */
export const loginCodeRoutes: Routes<{ loginCodes: LoginCodes }> = async (app, { loginCodes }) => {
  app.post(
    '/login/code',
    {
      schema: {
        ...schema('requestLoginCode', 'Send a code to log in by mail'),
        description: 'The response is the same whether or not there is such a user.',
        body: LoginCodeRequest,
        response: { 200: Envelope(LoginCodeSent), ...failures },
      },
      config: {
        fails: ['auth.method_disabled', 'mail.unavailable'],
        describes: { takesForms: true },
        access: 'anybody',
        ignoresOldCredentials: true,
      },
    },
    async (request, reply) => {
      const { username = null, email = null } = request.body;
      const challenge = await loginCodes.begin(request.actor, { username, email, address: clientAddress(request) });
      return sendData(reply, { challenge });
    },
  );

  app.post(
    '/login/code/confirm',
    {
      schema: {
        ...schema('loginWithCode', 'Log in with the code in the mail'),
        body: LoginCodeAnswer,
        response: { 200: Envelope(SignedIn), ...failures },
      },
      config: {
        fails: ['auth.code_invalid', 'auth.method_disabled'],
        describes: { takesForms: true },
        access: 'anybody',
        ignoresOldCredentials: true,
      },
    },
    async (request, reply) => {
      const { challenge, code, client = clientIn(request), login_data } = request.body;
      const answer = {
        challenge,
        code,
        login: parseLoginData(login_data),
        address: clientAddress(request),
        client,
        origin: originOf(request),
      };
      return sendLoggedIn(request, reply, await loginCodes.confirm(request.actor, answer));
    },
  );
};
