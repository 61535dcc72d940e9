import { isJsonObject, type JsonObject, type JsonValue, type Users } from '@baobab/core';
import { clientAddress } from '../client-address.ts';
import { sendDone } from '../envelope.ts';
import { keyOf, marked } from '../idempotency.ts';
import { sendProfile } from '../render/profile.ts';
import { KEY_HEADER, ON_FRESH, ON_KEY_MISUSED, ON_NAME, ON_PASSWORD, ON_SECTIONS } from '../schemas/failing.ts';
import { PasswordChange, Profile, ProfileChange, Rename, SignedUp, SignUpBody } from '../schemas/users.ts';
import { BEFORE_LOGIN, operationsIn, type Routes } from './describe.ts';
import { presenceOf } from './factors.ts';
import { sendLoggedIn, sourceOf } from './sessions.ts';

const operation = operationsIn('users');
const sessions = operationsIn('sessions');

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

/** Routes of a user's own account. */
export const userRoutes: Routes<{ users: Users }> = async (app, { users }) => {
  app.post(
    '/user',
    operation('signUp', 'Sign up, and log in unless the address has to be verified first', {
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
    app.get(url, operation(`read${name}`, 'Your own profile', { data: Profile }), async ({ actor }, reply) =>
      sendProfile(reply, await users.me(actor)),
    );

    app.put(
      url,
      operation(`update${name}`, 'Replace sections of your own profile; sections that are not sent stay', {
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
      operation(`change${name}Password`, 'Change your own password and end all other sessions', {
        body: PasswordChange,
        fails: [...ON_FRESH, ...ON_PASSWORD],
      }),
      async (request, reply) => {
        const { old, current_password, ...change } = request.body;
        const known = { old: old ?? current_password ?? null, address: clientAddress(request) };
        return sendDone(reply, users.changePassword(request.actor, { ...change, ...known }));
      },
    );
  }

  app.put(
    '/me/username',
    operation('rename', 'Change your name; sessions stay valid', { body: Rename, fails: ON_NAME }),
    async ({ actor, body }, reply) => sendDone(reply, users.rename(actor, body.username)),
  );

  app.delete(
    '/me/sessions',
    sessions('removeOtherSessions', 'End all sessions of the caller except the current one'),
    async ({ actor }, reply) => sendDone(reply, users.endOtherSessions(actor)),
  );

  app.put(
    '/me/suspend',
    operation('suspendMe', 'Suspend yourself and end all sessions', { fails: ['user.internal'] }),
    async ({ actor }, reply) => sendDone(reply, users.suspend(actor)),
  );
};
