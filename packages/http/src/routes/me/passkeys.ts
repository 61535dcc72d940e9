import type { Passkeys } from '@baobab/core';
import { Type } from 'typebox';
import { shownPasskey } from '../../render/profile.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { ON_FRESH } from '../../schemas/failing.ts';
import { CreationOptions, PasskeyName, RegistrationBody, ShownPasskey } from '../../schemas/passkeys.ts';
import { operationsIn, type Routes } from '../describe.ts';
import { withSession } from '../login/login.ts';

const operation = operationsIn('passkeys');

export const passkeyRoutes: Routes<{ passkeys: Passkeys }> = async (app, { passkeys }) => {
  app.get(
    '/me/passkeys',
    operation('listPasskeys', 'List the passkeys of the caller, oldest first', { data: Type.Array(ShownPasskey) }),
    async ({ actor }, reply) => sendData(reply, (await passkeys.list(actor)).map(shownPasskey)),
  );

  app.post(
    '/me/passkeys/options',
    operation('preparePasskey', 'Get the options for creating a passkey', {
      data: CreationOptions,
      fails: ['passkey.limit', ...ON_FRESH],
      describes: PRESENCE,
    }),
    async (request, reply) => sendData(reply, await passkeys.prepare(request.actor, presenceOf(request))),
  );

  app.post(
    '/me/passkeys',
    operation('registerPasskey', 'Register a passkey', {
      body: RegistrationBody,
      created: ShownPasskey,
      fails: [
        'passkey.challenge_invalid',
        'passkey.exists',
        'passkey.invalid',
        'passkey.limit',
        'passkey.name_invalid',
      ],
    }),
    async ({ actor, body }, reply) => {
      const { name, id, response } = body;
      const { clientDataJSON, attestationObject, transports = [] } = response;
      const registration = { name, response: { id, clientDataJSON, attestationObject }, transports };
      const { passkey, token } = await passkeys.register(actor, registration);
      return sendData(withSession(reply, token), shownPasskey(passkey), 201);
    },
  );

  app.put(
    '/me/passkeys/:id',
    operation('renamePasskey', 'Rename a passkey', {
      body: PasskeyName,
      fails: ['passkey.name_invalid', 'passkey.not_found'],
    }),
    async ({ actor, params: { id }, body }, reply) => sendDone(reply, passkeys.rename(actor, id, body.name)),
  );

  app.delete(
    '/me/passkeys/:id',
    operation('removePasskey', 'Remove a passkey', {
      fails: ['passkey.last', 'passkey.not_found', ...ON_FRESH],
      describes: PRESENCE,
    }),
    async (request, reply) => sendDone(reply, passkeys.remove(request.actor, request.params.id, presenceOf(request))),
  );
};
