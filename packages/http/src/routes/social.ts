import { AppError, isJsonObject, type Social, type SocialConnection, type SocialProof } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clientAddress } from '../callers/client-address.ts';
import { presenceOf } from '../requests/presence.ts';
import { sendData, sendDone } from '../responses/envelope.ts';
import { PRESENCE } from '../schemas/factors.ts';
import { ON_FRESH, ON_PROOF } from '../schemas/failing.ts';
import { Connection, LINK_BODIES, LOGIN_PROOF_BODIES, LoginProofQuery, ProofQuery } from '../schemas/social.ts';
import { SignedIn } from '../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';
import { parseLoginData, sendLoggedIn, sourceOf, withSession } from './login/login.ts';

const operation = operationsIn('social login');

/** Merges the input of the body (JSON or a form) and the query. The body takes precedence. */
function inputOf({ body, query }: Pick<FastifyRequest, 'body' | 'query'>): Record<string, unknown> {
  if (body !== undefined && body !== null && !isJsonObject(body)) {
    throw new AppError('input.invalid', { detail: 'the body must be an object' });
  }
  return { ...(query as Record<string, unknown>), ...body };
}

function textIn(input: Record<string, unknown>, name: string): string | null {
  const value = Object.hasOwn(input, name) ? input[name] : null;
  if (value === null) return null;
  if (typeof value !== 'string') throw new AppError('input.invalid', { detail: `${name} must be one text` });
  return value;
}

function proofIn(request: FastifyRequest, network: string): SocialProof {
  const input = inputOf(request);
  return {
    network,
    token: textIn(input, 'oauth_token'),
    secret: textIn(input, 'oauth_secret'),
    nonce: textIn(input, 'nonce'),
    address: clientAddress(request),
  };
}

const shown = ({ username, network, personId, token, secret, details }: SocialConnection) => ({
  username,
  password: null,
  from: network,
  token,
  secret,
  id: personId,
  additionalData: details,
});

/** The application code is required here even with a session. */
const appCode = 'always';

export const socialRoutes: Routes<{ social: Social }> = async (app, { social }) => {
  app.get(
    '/social',
    operation('listConnections', 'List the linked social networks of the caller', {
      data: Type.Array(Connection),
      fails: ['social.none'],
      appCode,
    }),
    async ({ actor }, reply) => {
      const connections = await social.list(actor);
      // The response contains tokens.
      reply.header('Cache-Control', 'no-store');
      return sendData(reply, connections.map(shown));
    },
  );

  app.post(
    '/social/:network',
    operation('loginBySocialNetwork', 'Log in or sign up with a social network', {
      querystring: LoginProofQuery,
      data: SignedIn,
      fails: [...ON_PROOF, 'registration.closed', 'social.busy', 'social.suspended'],
      describes: { body: LOGIN_PROOF_BODIES, bodyIsOptional: true },
      ...BEFORE_LOGIN,
      appCode,
    }),
    async (request, reply) => {
      const input = inputOf(request);
      const login = parseLoginData(input.login_data);
      const source = sourceOf(request, textIn(input, 'client'));
      const proof = { ...proofIn(request, request.params.network), login, ...source };
      return sendLoggedIn(request, reply, await social.login(request.actor, proof));
    },
  );

  app.put(
    '/social/:network',
    operation('linkSocialNetwork', 'Link a social network account', {
      querystring: ProofQuery,
      fails: [...ON_PROOF, ...ON_FRESH, 'social.taken'],
      describes: { body: LINK_BODIES, bodyIsOptional: true },
      appCode,
      status: { 'social.taken': 500 },
    }),
    async (request, reply) => {
      const { password } = presenceOf(request);
      const link = { ...proofIn(request, request.params.network), password };
      return sendData(withSession(reply, await social.link(request.actor, link)), '');
    },
  );

  app.delete(
    '/social/:network',
    operation('unlinkSocialNetwork', 'Unlink a social network account', {
      fails: [...ON_FRESH, 'social.disabled', 'social.last_link', 'social.network_unknown', 'social.not_linked'],
      describes: PRESENCE,
      appCode,
      status: { 'social.last_link': 500 },
    }),
    async (request, reply) =>
      sendDone(reply, social.unlink(request.actor, request.params.network, presenceOf(request))),
  );
};
