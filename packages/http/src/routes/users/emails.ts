import { type Emails, type Logger, networkOf, resetTroublePage, type SignUpEmails } from '@baobab/core';
import { clientAddress } from '../../callers/client-address.ts';
import { clientIn } from '../../requests/authenticate.ts';
import { sendDone } from '../../responses/envelope.ts';
import { SignUpCodeBody, SignUpResendBody } from '../../schemas/emails.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';
import { Opened, pageErrorHandler, sendOutcome } from './link-pages.ts';

const operation = operationsIn('addresses');

const LINK = '/user/email/confirm/:token';

/** Dependencies of the routes of verified addresses. */
export interface EmailOptions {
  readonly emails: Emails;
  readonly signUpEmails: SignUpEmails;
  readonly logger: Logger;
}

/** Addresses of sign-ups, and the link in the mail of any address, which opens in a browser. */
export const emailRoutes: Routes<EmailOptions> = async (app, { emails, signUpEmails, logger }) => {
  const errorHandler = pageErrorHandler(logger, (_request, { message }) => resetTroublePage(message));

  app.post(
    '/user/:username/email',
    operation('resendSignUpEmail', 'Send the verification mail of a sign-up again', {
      body: SignUpResendBody,
      fails: ['email.not_awaited', 'mail.unavailable', 'user.email_invalid', 'user.email_required'],
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { password, email = null, client = clientIn(request) } = request.body;
      const { username } = request.params;
      const resend = { username, password, email, client, address: clientAddress(request) };
      return sendDone(reply, signUpEmails.resend(request.actor, resend));
    },
  );

  app.post(
    '/user/:username/email/confirm',
    operation('confirmSignUpEmail', 'Verify the address of a sign-up with a code', {
      description: 'For an unknown user the response is the same as for a wrong code.',
      body: SignUpCodeBody,
      fails: ['auth.code_invalid', 'email.taken'],
      status: { 'auth.code_invalid': 400 },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { code, client = clientIn(request) } = request.body;
      const { username } = request.params;
      const confirmation = { username, code, client, address: clientAddress(request) };
      return sendDone(reply, signUpEmails.confirm(request.actor, confirmation));
    },
  );

  app.get(
    LINK,
    {
      errorHandler,
      ...operation('openEmailConfirmation', 'Read the page that confirms an address', {
        response: Opened,
        access: 'open',
      }),
    },
    async ({ params }, reply) => sendOutcome(reply, await emails.open(params.token)),
  );

  app.post(
    LINK,
    {
      errorHandler,
      ...operation('submitEmailConfirmation', 'Verify an address with the link from a mail', {
        response: Opened,
        access: 'open',
      }),
    },
    async (request, reply) => {
      const network = networkOf(clientAddress(request));
      return sendOutcome(reply, await emails.submit(request.params.token, network));
    },
  );
};
