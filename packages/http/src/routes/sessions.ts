import {
  AppError,
  checkDeviceId,
  isJsonObject,
  type LoggedIn,
  type LoginData,
  type ShownSession as OwnSession,
  parseJson,
  type SessionUseCases,
  wireDate,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clientIn, originOf } from '../authenticate.ts';
import { clientAddress } from '../client-address.ts';
import { sendData, sendDone, sendJson, sendNothing } from '../envelope.ts';
import { signedInJson, styleOf } from '../render/profile.ts';
import { ChallengeBody } from '../schemas/factors.ts';
import { ShownSession } from '../schemas/sessions.ts';
import { LOGIN_BODIES, LoginBody, SignedIn } from '../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';
import { proofIn } from './factors.ts';

const operation = operationsIn('sessions');

const SESSION_HEADER = 'X-BB-SESSION';

/**
 * Parses `login_data`, which is JSON text or an object; `pushToken` is an alias of `deviceId`.
 *
 * @throws `input.invalid`
 */
export function parseLoginData(sent: unknown): LoginData | null {
  if (sent === undefined || sent === null || sent === '') return null;
  const data: unknown = typeof sent === 'string' ? parseJson(sent).value : sent;
  const invalid = () =>
    new AppError('input.invalid', {
      detail: 'login_data must be {"os":"ios" or "android","deviceId":"…"}',
      input: '/login_data',
    });
  if (!isJsonObject(data)) throw invalid();
  const { os } = data;
  const deviceId = data.deviceId ?? data.pushToken;
  if ((os !== 'ios' && os !== 'android') || typeof deviceId !== 'string' || deviceId === '') throw invalid();
  checkDeviceId(deviceId);
  return { os, deviceId };
}

/** Returns the source of a login. @param client `client` of the body, which overrides the header */
export const sourceOf = (request: FastifyRequest, client?: string | null) => ({
  address: clientAddress(request),
  client: client ?? clientIn(request),
  origin: originOf(request),
});

/** Sends the response to a login, or to a sign-up with or without a session. */
export function sendLoggedIn(
  request: FastifyRequest,
  reply: FastifyReply,
  loggedIn: Omit<LoggedIn, 'token'> & { readonly token: string | null },
  status = 200,
): FastifyReply {
  if (loggedIn.token !== null) reply.header(SESSION_HEADER, loggedIn.token);
  return sendJson(reply, signedInJson(loggedIn, styleOf(request)), status);
}

export const sessionRoutes: Routes<{ sessions: SessionUseCases; appCode: string }> = async (
  app,
  { sessions, appCode },
) => {
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
    operation('refreshSession', 'Keep the session alive', { data: SignedIn, describes: { needs: 'session' } }),
    async (request, reply) => {
      return sendJson(reply, signedInJson(await sessions.refresh(request.actor), styleOf(request)));
    },
  );

  app.get(
    '/me/sessions',
    operation('listSessions', 'List the sessions of the caller, newest first', { data: Type.Array(ShownSession) }),
    async ({ actor }, reply) => sendData(reply, (await sessions.list(actor)).map(shownSession)),
  );

  app.delete(
    '/me/sessions/:id',
    operation('removeSession', 'End a session of the caller', { fails: ['session.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, sessions.remove(actor, params.id)),
  );
};

export const shownSession = (session: OwnSession) => ({
  id: session.id,
  device: session.deviceId === null ? null : { id: session.deviceId, os: session.os },
  created: wireDate(session.created),
  lastUse: wireDate(session.lastUsed),
  network: session.network,
  client: session.agent,
  factor: session.factor,
  current: session.isCurrent,
});
