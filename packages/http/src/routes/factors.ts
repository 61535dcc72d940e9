import { AppError, type FactorProof, type Factors, type Presence, wireDateOrNull } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../client-address.ts';
import { sendData, sendDone } from '../envelope.ts';
import { textsIn } from '../optional-body.ts';
import { CodeBody, NewTotp, PRESENCE, REMOVAL, RecoveryCodes, TotpState } from '../schemas/factors.ts';
import { ON_ADMINISTRATOR, ON_FRESH } from '../schemas/failing.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('second factor');
const userAdministration = operationsIn('user administration');

interface SentProof {
  readonly code?: string | null;
  readonly recovery_code?: string | null;
}

/** Returns the two-factor proof in a body. @throws `input.invalid` unless there is exactly one */
export function proofIn({ code = null, recovery_code = null }: SentProof): FactorProof {
  if (code !== null && recovery_code === null) return { code };
  if (code === null && recovery_code !== null) return { recoveryCode: recovery_code };
  throw new AppError('input.invalid', { detail: 'send either code or recovery_code', input: '/code' });
}

/** Returns the proof of the caller's presence in the body. */
export const presenceOf = (request: FastifyRequest): Presence => ({
  password: textsIn(request.body, ['current_password']).current_password,
  address: clientAddress(request),
});

/** The caller is logged in, so only the code is wrong. */
const status = { 'auth.code_invalid': 400 } as const;

export const factorRoutes: Routes<{ factors: Factors }> = async (app, { factors }) => {
  app.get(
    '/me/totp',
    operation('readTotp', 'Whether the second factor is on', { data: TotpState }),
    async ({ actor }, reply) => {
      const { isOn, since, recoveryCodes, passkeys } = await factors.state(actor);
      const shown = { enabled: isOn, since: wireDateOrNull(since), recovery_codes: recoveryCodes, passkeys };
      return sendData(reply, shown);
    },
  );

  app.post(
    '/me/totp',
    operation('prepareTotp', 'Make a secret for an authenticator app', {
      description: 'It counts once it is confirmed. Another call makes another secret.',
      data: NewTotp,
      fails: ['totp.exists', ...ON_FRESH],
      describes: PRESENCE,
    }),
    async (request, reply) => sendData(reply, await factors.prepareTotp(request.actor, presenceOf(request))),
  );

  app.post(
    '/me/totp/confirm',
    operation('confirmTotp', 'Turn the second factor on and end all other sessions', {
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
    operation('removeTotp', 'Turn the second factor off', {
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

  app.delete(
    '/admin/user/:username/factors',
    userAdministration(
      'resetFactorsAsAdmin',
      'Turn the second factor of a user off, remove their passkeys and end all their sessions',
      {
        fails: ['user.not_found', ...ON_ADMINISTRATOR],
        describes: PRESENCE,
      },
    ),
    async (request, reply) =>
      sendDone(reply, factors.reset(request.actor, request.params.username, presenceOf(request))),
  );
};
