import type { Emails } from '@baobab/core';
import { clientAddress } from '../../callers/client-address.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendDone } from '../../responses/envelope.ts';
import { EmailBody, EmailCodeBody } from '../../schemas/emails.ts';
import { ON_FRESH } from '../../schemas/failing.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('addresses');

export const ownEmailRoutes: Routes<{ emails: Emails }> = async (app, { emails }) => {
  app.post(
    '/me/email',
    operation('claimEmail', 'Send a verification mail to your address', {
      body: EmailBody,
      fails: [...ON_FRESH, 'mail.unavailable', 'user.email_invalid'],
    }),
    async (request, reply) =>
      sendDone(reply, emails.begin(request.actor, { email: request.body.email, presence: presenceOf(request) })),
  );

  app.post(
    '/me/email/confirm',
    operation('confirmEmail', 'Verify your e-mail address with a code', {
      body: EmailCodeBody,
      fails: ['auth.code_invalid', 'email.taken'],
      status: { 'auth.code_invalid': 400 },
    }),
    async (request, reply) => {
      const confirmation = { code: request.body.code, address: clientAddress(request) };
      return sendDone(reply, emails.confirm(request.actor, confirmation));
    },
  );
};
