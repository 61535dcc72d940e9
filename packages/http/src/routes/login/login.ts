import {
  AppError,
  checkDeviceId,
  isJsonObject,
  type LoggedIn,
  type LoginData,
  parseJson,
  readInput,
  type SessionUseCases,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clientAddress } from '../../callers/client-address.ts';
import { signedInJson, styleOf } from '../../render/profile.ts';
import { clientIn, originOf } from '../../requests/authenticate.ts';
import { proofIn } from '../../requests/presence.ts';
import { sendData, sendJson, sendNothing } from '../../responses/envelope.ts';
import { ChallengeBody } from '../../schemas/factors.ts';
import { LOGIN_BODIES, LoginBody, SignedIn } from '../../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('sessions');

export interface LoginRouteOptions {
  readonly sessions: SessionUseCases;
  readonly appCode: string;
}

export const loginRoutes: Routes<LoginRouteOptions> = async (app, { sessions, appCode }) => {
  app.post(
    '/login',
    operation('login', 'Log in', {
      body: LoginBody,
      data: SignedIn,
      fails: ['auth.code_invalid'],
      describes: { body: LOGIN_BODIES },
      ...BEFORE_LOGIN,
      appCode: 'body',
    }),
    async (request, reply) => {
      const { username, password, code = null, client, appcode, login_data } = request.body;
      if (appcode === undefined ? !request.hasAppCode : appcode !== appCode) throw new AppError('app_code.invalid');
      const login = parseLoginData(login_data);
      const given = { username, password, code, login, ...sourceOf(request, client) };
      return sendLoggedIn(request, reply, await sessions.login(request.actor, given));
    },
  );

  app.post(
    '/login/second',
    operation('loginSecond', 'Complete a login that needs a second factor', {
      body: ChallengeBody,
      data: SignedIn,
      fails: ['auth.challenge_invalid', 'auth.code_invalid'],
      describes: { takesForms: true },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { challenge, client, ...sent } = request.body;
      const answer = { challenge, proof: proofIn(sent), ...sourceOf(request, client) };
      return sendLoggedIn(request, reply, await sessions.loginSecond(request.actor, answer));
    },
  );

  app.post(
    '/logout',
    operation('logout', 'Log out', { data: Type.String(), describes: { needs: 'session' } }),
    async (request, reply) => {
      await sessions.logout(request.actor);
      return sendData(reply, 'user logged out');
    },
  );

  app.post(
    '/logout/:deviceId',
    operation('logoutDevice', 'Log out and unregister the device', {
      response: { 204: Type.Null() },
      appCode: 'session',
      status: { 'session.invalid': 400 },
      describes: { needs: 'session' },
    }),
    async (request, reply) => {
      await sessions.logoutDevice(request.actor, request.params.deviceId);
      return sendNothing(reply);
    },
  );

  app.get(
    '/refresh',
    operation('refreshSession', 'Refresh the session', { data: SignedIn, describes: { needs: 'session' } }),
    async (request, reply) => {
      return sendJson(reply, signedInJson(await sessions.refresh(request.actor), styleOf(request)));
    },
  );
};

const SESSION_HEADER = 'X-BB-SESSION';

/**
 * Parses `login_data`, which is JSON text or an object; `pushToken` is an alias of `deviceId`.
 *
 * @throws `input.invalid`
 */
export function parseLoginData(sent: unknown): LoginData | null {
  if (sent === undefined || sent === null || sent === '') return null;
  return readInput('/login_data', () => {
    const data: unknown = typeof sent === 'string' ? parseJson(sent, '/login_data').value : sent;
    const { os, deviceId, pushToken } = isJsonObject(data) ? data : {};
    const id = deviceId ?? pushToken;
    if ((os !== 'ios' && os !== 'android') || typeof id !== 'string' || id === '') {
      throw new AppError('input.invalid', { detail: 'login_data must be {"os":"ios" or "android","deviceId":"…"}' });
    }
    checkDeviceId(id);
    return { os, deviceId: id };
  });
}

/** Returns the source of a login. @param client `client` of the body, which overrides the header */
export const sourceOf = (request: FastifyRequest, client?: string | null) => ({
  address: clientAddress(request),
  client: client ?? clientIn(request),
  origin: originOf(request),
});

/** Adds the session that a call has begun for a former guest; none for other users. */
export function withSession(reply: FastifyReply, token: string | null): FastifyReply {
  return token === null ? reply : reply.header(SESSION_HEADER, token);
}

/** Sends the response to a login, or to a sign-up with or without a session. */
export function sendLoggedIn(
  request: FastifyRequest,
  reply: FastifyReply,
  loggedIn: Omit<LoggedIn, 'token'> & { readonly token: string | null },
  status = 200,
): FastifyReply {
  withSession(reply, loggedIn.token);
  return sendJson(reply, signedInJson(loggedIn, styleOf(request)), status);
}
