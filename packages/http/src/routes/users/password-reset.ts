import {
  type LinkPage,
  type Logger,
  PASSWORD_FIELD,
  type PasswordReset,
  REPEAT_FIELD,
  resetTroublePage,
} from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clientAddress } from '../../callers/client-address.ts';
import type { Failure } from '../../errors/errors.ts';
import { sendDone } from '../../responses/envelope.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';
import { Opened, pageErrorHandler, Submitted, sendOutcome } from './link-pages.ts';

const operation = operationsIn('password reset');

const LINK = '/user/password/reset/:token';

/** Statuses that a user can fix by submitting the form again. */
const CORRECTABLE: ReadonlySet<number> = new Set([400, 413, 415]);

/** Password reset. The app calls the first route; the others are opened in a browser that has only the link. */
export const passwordResetRoutes: Routes<{ passwordReset: PasswordReset; logger: Logger }> = async (
  app,
  { passwordReset, logger },
) => {
  async function pageOf({ method, params }: FastifyRequest, { status, message }: Failure): Promise<LinkPage> {
    if (method !== 'POST' || !CORRECTABLE.has(status)) return resetTroublePage(message);
    return passwordReset.refuse((params as { token: string }).token, message).catch(() => resetTroublePage(message));
  }

  const errorHandler = pageErrorHandler(logger, pageOf);

  app.get(
    '/user/:username/password/reset',
    {
      // GET sends a mail, so HEAD must not trigger it.
      exposeHeadRoute: false,
      ...operation('requestPasswordReset', 'Send a password reset mail', {
        fails: ['mail.refused', 'mail.unavailable', 'reset.address_missing'],
        ...BEFORE_LOGIN,
      }),
    },
    async (request, reply) => {
      const { username } = request.params;
      return sendDone(reply, passwordReset.request(request.actor, { username, address: clientAddress(request) }));
    },
  );

  app.get(
    LINK,
    {
      errorHandler,
      ...operation('openPasswordReset', 'Read the form for a new password', { response: Opened, access: 'open' }),
    },
    async ({ params }, reply) => sendOutcome(reply, await passwordReset.open(params.token)),
  );

  app.post(
    LINK,
    {
      errorHandler,
      // Validate an empty form like any other.
      preValidation: (request, _reply, done) => {
        if (request.body === undefined) request.body = {};
        done();
      },
      ...operation('submitPasswordReset', 'Set a new password', {
        body: Type.Object({
          [PASSWORD_FIELD]: Type.Optional(Type.String()),
          [REPEAT_FIELD]: Type.Optional(Type.String()),
        }),
        response: Submitted,
        fails: ['rate.limited'],
        describes: { takesForms: true },
        access: 'open',
      }),
    },
    async (request, reply) => {
      const { [PASSWORD_FIELD]: password = '', [REPEAT_FIELD]: repeated = '' } = request.body as Record<string, string>;
      const address = clientAddress(request);
      const page = await passwordReset.submit({ token: request.params.token, password, repeated, address });
      return sendOutcome(reply, page);
    },
  );
};
