import { type Factors, wireDateOrNull } from '@baobab/core';
import { clientAddress } from '../../callers/client-address.ts';
import { presenceOf, proofIn, textsIn } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { CodeBody, NewTotp, PRESENCE, REMOVAL, RecoveryCodes, TotpState } from '../../schemas/factors.ts';
import { ON_FRESH } from '../../schemas/failing.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('second factor');

/** The caller is logged in, so only the code is wrong. */
const status = { 'auth.code_invalid': 400 } as const;

export const totpRoutes: Routes<{ factors: Factors }> = async (app, { factors }) => {
  app.get(
    '/me/totp',
    operation('readTotp', 'Read the state of two-factor authentication', { data: TotpState }),
    async ({ actor }, reply) => {
      const { isOn, since, recoveryCodes, passkeys } = await factors.state(actor);
      const shown = { enabled: isOn, since: wireDateOrNull(since), recovery_codes: recoveryCodes, passkeys };
      return sendData(reply, shown);
    },
  );

  app.post(
    '/me/totp',
    operation('prepareTotp', 'Create a secret for an authenticator app', {
      description: 'It takes effect when it is confirmed. Each call creates another secret.',
      data: NewTotp,
      fails: ['totp.exists', ...ON_FRESH],
      describes: PRESENCE,
    }),
    async (request, reply) => sendData(reply, await factors.prepareTotp(request.actor, presenceOf(request))),
  );

  app.post(
    '/me/totp/confirm',
    operation('confirmTotp', 'Turn two-factor authentication on and end all other sessions', {
      body: CodeBody,
      data: RecoveryCodes,
      fails: ['auth.code_invalid', 'totp.exists', 'totp.not_found'],
      status,
    }),
    async (request, reply) => {
      const confirmation = { code: request.body.code, address: clientAddress(request) };
      return sendData(reply, { recovery_codes: await factors.confirmTotp(request.actor, confirmation) });
    },
  );

  app.delete(
    '/me/totp',
    operation('removeTotp', 'Turn two-factor authentication off', {
      fails: ['auth.code_invalid', 'totp.not_found', ...ON_FRESH],
      status,
      describes: REMOVAL,
    }),
    async (request, reply) => {
      const sent = textsIn(request.body, ['code', 'recovery_code']);
      const hasProof = sent.code !== null || sent.recovery_code !== null;
      const removal = { proof: hasProof ? proofIn(sent) : null, presence: presenceOf(request) };
      return sendDone(reply, factors.removeTotp(request.actor, removal));
    },
  );
};
