import { type Emails, type Logger, networkOf, resetTroublePage, type SignUpEmails } from '@baobab/core';
import { clientIn } from '../authenticate.ts';
import { clientAddress } from '../client-address.ts';
import { sendDone } from '../envelope.ts';
import { EmailBody, EmailCodeBody, SignUpCodeBody, SignUpResendBody } from '../schemas/emails.ts';
import { ON_FRESH } from '../schemas/failing.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';
import { presenceOf } from './factors.ts';
import { Opened, pageErrorHandler, sendOutcome } from './password-reset.ts';

const operation = operationsIn('addresses');

const LINK = '/user/email/confirm/:token';

/** Dependencies of the routes of verified addresses. */
export interface EmailOptions {
  readonly emails: Emails;
  readonly signUpEmails: SignUpEmails;
  readonly logger: Logger;
}

/**
 * Verified e-mail addresses. The app calls the first four routes; the link in the mail opens the others in a browser.
 */
export const emailRoutes: Routes<EmailOptions> = async (app, { emails, signUpEmails, logger }) => {
  const errorHandler = pageErrorHandler(logger, (_request, { message }) => resetTroublePage(message));

  app.post(
    '/me/email',
    operation('claimEmail', 'Send a code and a link to your e-mail address', {
      body: EmailBody,
      fails: [...ON_FRESH, 'mail.unavailable', 'user.email_invalid'],
    }),
    async (request, reply) =>
      sendDone(reply, emails.begin(request.actor, { email: request.body.email, presence: presenceOf(request) })),
  );

  app.post(
    '/me/email/confirm',
    operation('confirmEmail', 'Verify your e-mail address by the code', {
      body: EmailCodeBody,
      fails: ['auth.code_invalid', 'email.taken'],
      status: { 'auth.code_invalid': 400 },
    }),
    async (request, reply) => {
      const confirmation = { code: request.body.code, address: clientAddress(request) };
      return sendDone(reply, emails.confirm(request.actor, confirmation));
    },
  );

  app.post(
    '/user/:username/email',
    operation('resendSignUpEmail', 'Send the code and the link of a sign-up again', {
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
    operation('confirmSignUpEmail', 'Verify the address of a sign-up by the code', {
      description: 'An unknown user gets the answer of a wrong code.',
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
      ...operation('openEmailConfirmation', 'The page that asks whether to verify the address', {
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
      ...operation('submitEmailConfirmation', 'Verify the address by the link', { response: Opened, access: 'open' }),
    },
    async (request, reply) => {
      const network = networkOf(clientAddress(request));
      return sendOutcome(reply, await emails.submit(request.params.token, network));
    },
  );
};
