import { type AccountAccess, type AccountAccessUseCases, wireDateOrNull } from '@baobab/core';
import { Type } from 'typebox';
import { shownPasskey, shownSession } from '../../render/profile.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { NullableText, OneOf } from '../../schemas/common.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { ON_ADMINISTRATOR } from '../../schemas/failing.ts';
import { ShownPasskey } from '../../schemas/passkeys.ts';
import { ShownSession } from '../../schemas/sessions.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('user administration');
const ownOperation = operationsIn('sessions');

const AccountAccessAnswer = Type.Object(
  {
    email: NullableText('Address for mails with a new password'),
    email_verified: Type.Boolean(),
    password: Type.Boolean({ description: 'True if the user has a password' }),
    totp: NullableText('The time at which two-factor authentication was turned on; null if it is off'),
    passkeys: Type.Array(ShownPasskey),
    networks: Type.Array(Type.Object({ network: Type.String(), id: Type.String() }, { title: 'LinkedNetwork' }), {
      description: 'Linked social networks, with the id of the person there',
    }),
    sessions: Type.Array(ShownSession),
  },
  { title: 'AccountAccess' },
);

const SecuredAnswer = Type.Object(
  {
    totp: Type.Boolean({ description: 'True if two-factor authentication was on' }),
    passkeys: Type.Integer({ description: 'The number of removed passkeys' }),
    networks: Type.Array(Type.String(), { description: 'Social networks that are no longer linked' }),
    mail: OneOf(
      ['sent', 'no_address', 'failed'],
      'State of the mail with a link for a new password. Unless it is `sent`, set a password',
    ),
  },
  { title: 'SecuredAccount' },
);

const shown = ({ email, emailVerified, hasPassword, totpSince, passkeys, links, sessions }: AccountAccess) => ({
  email,
  email_verified: emailVerified,
  password: hasPassword,
  totp: wireDateOrNull(totpSince),
  passkeys: passkeys.map(shownPasskey),
  networks: links.map(({ network, personId }) => ({ network, id: personId })),
  sessions: sessions.map(shownSession),
});

/** Credentials and sessions of a user, for the user and for administrators. */
export const accountAccessRoutes: Routes<{ accountAccess: AccountAccessUseCases }> = async (app, { accountAccess }) => {
  app.get(
    '/me/access',
    ownOperation('readAccess', 'List the credentials and sessions of the caller', {
      data: AccountAccessAnswer,
    }),
    async ({ actor }, reply) => sendData(reply, shown(await accountAccess.own(actor))),
  );

  app.get(
    '/admin/user/:username/access',
    operation('readAccessAsAdmin', 'List the credentials and sessions of a user', {
      data: AccountAccessAnswer,
      fails: ['key.user_required', 'user.not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, shown(await accountAccess.read(actor, params.username))),
  );

  app.post(
    '/admin/user/:username/secure',
    operation('secureUser', 'Lock everybody out of an account, and mail its user a link for a new password', {
      description:
        'Ends all sessions except that of the call, replaces the password by one that nobody knows, turns two-factor ' +
        'authentication off, and removes passkeys, linked social networks and invitation codes. First check that the ' +
        'address is that of the user.',
      data: SecuredAnswer,
      fails: ['user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    async (request, reply) =>
      sendData(reply, await accountAccess.secure(request.actor, request.params.username, presenceOf(request))),
  );

  app.delete(
    '/admin/user/:username/factors',
    operation(
      'resetFactorsAsAdmin',
      'Turn a user’s two-factor authentication off, remove their passkeys and end their sessions',
      {
        fails: ['user.not_found', ...ON_ADMINISTRATOR],
        describes: PRESENCE,
      },
    ),
    async (request, reply) =>
      sendDone(reply, accountAccess.resetFactors(request.actor, request.params.username, presenceOf(request))),
  );

  app.delete(
    '/admin/user/:username/passkeys/:id',
    operation('removePasskeyAsAdmin', 'Remove a passkey of a user', {
      fails: ['passkey.not_found', 'user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
    }),
    async (request, reply) => {
      const removal = { ...request.params, presence: presenceOf(request) };
      return sendDone(reply, accountAccess.removePasskey(request.actor, removal));
    },
  );

  app.delete(
    '/admin/user/:username/social/:network',
    operation('unlinkAsAdmin', 'Unlink a social network of a user', {
      fails: ['social.not_linked', 'user.not_found', ...ON_ADMINISTRATOR],
      describes: PRESENCE,
      status: { 'social.not_linked': 404 },
    }),
    async (request, reply) => {
      const removal = { ...request.params, presence: presenceOf(request) };
      return sendDone(reply, accountAccess.unlink(request.actor, removal));
    },
  );
};
