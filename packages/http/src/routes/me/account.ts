import {
  type Erasures,
  type Guests,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Users,
  wireDate,
} from '@baobab/core';
import { clientAddress } from '../../callers/client-address.ts';
import { sendProfile } from '../../render/profile.ts';
import { clientIn } from '../../requests/authenticate.ts';
import { keyOf, marked } from '../../requests/idempotency.ts';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Envelope } from '../../schemas/common.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { KEY_HEADER, ON_FRESH, ON_KEY_MISUSED, ON_NAME, ON_PASSWORD, ON_SECTIONS } from '../../schemas/failing.ts';
import {
  Credentials,
  Erasure,
  ErasureCancellation,
  PasswordChange,
  PermanentUser,
  Profile,
  ProfileChange,
  Rename,
  SignedUp,
  SignUpBody,
} from '../../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from '../describe.ts';
import { sendLoggedIn, sourceOf, withSession } from '../login/login.ts';

const operation = operationsIn('users');

/** Older and newer path of the same resource. */
const OWN = [
  { url: '/user', name: 'OwnUser' },
  { url: '/me', name: 'Me' },
] as const;

/** Adds the `email` of a sign-up to its sections. An address inside the sections takes precedence. */
function withEmail<Sections extends { readonly visibleByTheUser?: unknown }>(
  sections: Sections,
  email: string | undefined,
): Sections {
  const { visibleByTheUser = {} } = sections;
  if (email === undefined || !isJsonObject(visibleByTheUser as JsonValue)) return sections;
  return { ...sections, visibleByTheUser: { email, ...(visibleByTheUser as JsonObject) } };
}

export interface AccountOptions {
  readonly users: Users;
  readonly guests: Guests;
  readonly erasures: Erasures;
}

/** Routes of a user's own account. */
export const accountRoutes: Routes<AccountOptions> = async (app, { users, guests, erasures }) => {
  app.post(
    '/user',
    operation('signUp', 'Sign up', {
      body: SignUpBody,
      created: SignedUp,
      fails: [
        ...ON_SECTIONS,
        ...ON_NAME,
        ...ON_PASSWORD,
        ...ON_KEY_MISUSED,
        'mail.unavailable',
        'registration.closed',
        'user.email_required',
      ],
      describes: { headers: KEY_HEADER },
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { username, password, email, client, ...rest } = request.body;
      const sections = withEmail(rest, email);
      const signUp = { username, password, sections, ...sourceOf(request, client), key: keyOf(request) };
      const signedUp = await users.signUp(request.actor, signUp);
      return sendLoggedIn(request, marked(reply, signedUp), signedUp, 201);
    },
  );

  for (const { url, name } of OWN) {
    app.get(url, operation(`read${name}`, 'Read your profile', { data: Profile }), async ({ actor }, reply) =>
      sendProfile(reply, await users.me(actor)),
    );

    app.put(
      url,
      operation(`update${name}`, 'Replace sections of your profile; absent sections do not change', {
        body: ProfileChange,
        data: Profile,
        fails: [...ON_SECTIONS, ...ON_NAME, ...ON_FRESH, 'user.name_fixed'],
      }),
      async (request, reply) => {
        const { username = null, ...sections } = request.body;
        const change = { username, sections, presence: presenceOf(request) };
        return sendProfile(reply, await users.update(request.actor, change));
      },
    );

    app.put(
      `${url}/password`,
      operation(`change${name}Password`, 'Change your password and end all other sessions', {
        body: PasswordChange,
        fails: [...ON_FRESH, ...ON_PASSWORD],
      }),
      async (request, reply) => {
        const { old, current_password, ...change } = request.body;
        const known = { old: old ?? current_password ?? null, address: clientAddress(request) };
        return sendData(withSession(reply, await users.changePassword(request.actor, { ...change, ...known })), '');
      },
    );
  }

  app.put(
    '/me/username',
    operation('rename', 'Change your user name; sessions stay valid', {
      body: Rename,
      fails: [...ON_NAME, ...ON_FRESH],
    }),
    async (request, reply) => sendDone(reply, users.rename(request.actor, request.body.username, presenceOf(request))),
  );

  app.put(
    '/me/suspend',
    operation('suspendMe', 'Suspend your account and end all its sessions', {
      fails: [...ON_FRESH, 'user.internal'],
      describes: PRESENCE,
    }),
    async (request, reply) => sendDone(reply, users.suspend(request.actor, presenceOf(request))),
  );

  app.put(
    '/me/credentials',
    operation('chooseCredentials', 'Turn a guest into a user with a name and a password', {
      body: Credentials,
      data: PermanentUser,
      fails: ['auth.fresh_login_required', 'guest.required', ...ON_NAME, ...ON_PASSWORD],
    }),
    async (request, reply) => {
      const { client, ...chosen } = request.body;
      const { address, client: known } = sourceOf(request, client);
      const permanent = await guests.chooseCredentials(request.actor, { ...chosen, address, client: known });
      return sendLoggedIn(request, reply, permanent);
    },
  );

  app.delete(
    '/me',
    operation('deleteMe', 'Delete your account and all your data', {
      description: 'Ends all sessions, keys and devices. The deletion can be cancelled until the time in the response.',
      response: { 202: Envelope(Erasure, 202) },
      fails: [...ON_FRESH, 'account.built_in'],
      describes: PRESENCE,
    }),
    async (request, reply) => {
      const at = await erasures.requestOwn(request.actor, presenceOf(request));
      return sendData(reply, { at: wireDate(at) }, 202);
    },
  );

  app.post(
    '/me/erase/cancel',
    operation('cancelErasure', 'Cancel the deletion of your account', {
      body: ErasureCancellation,
      ...BEFORE_LOGIN,
    }),
    async (request, reply) => {
      const { username: name, password, client = clientIn(request) } = request.body;
      const credentials = { name, password, client, address: clientAddress(request) };
      return sendDone(reply, erasures.cancel(request.actor, credentials));
    },
  );
};
