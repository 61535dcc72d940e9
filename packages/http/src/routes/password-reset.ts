import {
  type Logger,
  PASSWORD_FIELD,
  type PasswordReset,
  REPEAT_FIELD,
  type ResetPage,
  resetTroublePage,
} from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clientAddress } from '../client-address.ts';
import { sendDone } from '../envelope.ts';
import { beginFailure, createErrorHandler, type Failure, sendFailure } from '../errors.ts';
import { Html } from '../schemas/common.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('password reset');

const LINK = '/user/password/reset/:token';
export const Opened = { 200: Html, 400: Html, 500: Html, 503: Html } as const;
const Submitted = { ...Opened, 413: Html, 415: Html, 429: Html } as const;

/**
 * Headers of the pages. They may use only their own styles, cannot be framed, and send no referrer, which would reveal
 * the link.
 */
const PAGE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

function sendPage(reply: FastifyReply, { html }: ResetPage): FastifyReply {
  return reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).send(html);
}

export const sendOutcome = (reply: FastifyReply, page: ResetPage) =>
  sendPage(reply.status(page.isError ? 400 : 200), page);

/** Statuses that a user can fix by submitting the form again. */
const CORRECTABLE: ReadonlySet<number> = new Set([400, 413, 415]);

/** Handles failures of a page that a link opens. @param pageOf creates the page that browsers see */
export const pageErrorHandler = (
  logger: Logger,
  pageOf: (request: FastifyRequest, failure: Failure) => Promise<ResetPage> | ResetPage,
) =>
  createErrorHandler(logger, async (request, reply, failure) =>
    wantsPage(request, failure)
      ? sendPage(beginFailure(reply, failure), await pageOf(request, failure))
      : sendFailure(request, reply, failure),
  );

/**
 * True if a failure is shown as a page. Browsers accept HTML; programs receive the envelope. A form that cannot be
 * parsed came from a browser.
 */
function wantsPage({ headers }: FastifyRequest, { status }: Failure): boolean {
  const { accept = '', 'content-type': type = '' } = headers;
  return accept.includes('text/html') || (status === 400 && type.startsWith('application/x-www-form-urlencoded'));
}

/** Password reset. The app calls the first route; the others are opened in a browser that has only the link. */
export const passwordResetRoutes: Routes<{ passwordReset: PasswordReset; logger: Logger }> = async (
  app,
  { passwordReset, logger },
) => {
  async function pageOf({ method, params }: FastifyRequest, { status, message }: Failure): Promise<ResetPage> {
    if (method !== 'POST' || !CORRECTABLE.has(status)) return resetTroublePage(message);
    return passwordReset.refuse((params as { token: string }).token, message).catch(() => resetTroublePage(message));
  }

  const errorHandler = pageErrorHandler(logger, pageOf);

  app.get(
    '/user/:username/password/reset',
    {
      // GET sends a mail, so HEAD must not trigger it.
      exposeHeadRoute: false,
      ...operation('requestPasswordReset', 'Send a link for a new password by mail', {
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
      ...operation('openPasswordReset', 'The form for the new password', { response: Opened, access: 'open' }),
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
      ...operation('submitPasswordReset', 'Set the new password', {
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
