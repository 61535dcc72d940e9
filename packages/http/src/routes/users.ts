import { isJsonObject, type JsonObject, type JsonValue, type Users } from '@baobab/core';
import { clientAddress, clientIn, originOf } from '../authenticate.ts';
import { sendDone, sendJson } from '../envelope.ts';
import { keyOf, marked } from '../idempotency.ts';
import { profileJson, styleOf } from '../render/profile.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { KEY_HEADER, ON_FRESH, ON_KEY_MISUSED, ON_NAME, ON_PASSWORD, ON_SECTIONS } from '../schemas/failing.ts';
import { PasswordChange, Profile, ProfileChange, Rename, SignedUp, SignUpBody } from '../schemas/users.ts';
import type { Routes } from './plugin.ts';
import { sendLoggedIn } from './sessions.ts';

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['users'] });

/** The older and the newer path of the same resource. */
const OWN = [
  { url: '/user', name: 'OwnUser' },
  { url: '/me', name: 'Me' },
] as const;

/** The sections of a sign-up, with the `email` that was sent next to them. An address inside the sections wins. */
function withEmail<Sections extends { readonly visibleByTheUser?: unknown }>(
  sections: Sections,
  email: string | undefined,
): Sections {
  const { visibleByTheUser = {} } = sections;
  if (email === undefined || !isJsonObject(visibleByTheUser as JsonValue)) return sections;
  return { ...sections, visibleByTheUser: { email, ...(visibleByTheUser as JsonObject) } };
}

/** Routes for a user's own account. */
export const userRoutes: Routes<{ users: Users }> = async (app, { users }) => {
  app.post(
    '/user',
    {
      schema: {
        ...schema('signUp', 'Sign up, and log in unless the address has to be verified first'),
        body: SignUpBody,
        response: { 201: Envelope(SignedUp, 201), ...failures },
      },
      config: {
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
        access: 'anybody',
        ignoresOldCredentials: true,
      },
    },
    async (request, reply) => {
      const { username, password, email, client = clientIn(request), ...rest } = request.body;
      const sections = withEmail(rest, email);
      const address = clientAddress(request);
      const signUp = { username, password, sections, address, client, origin: originOf(request), key: keyOf(request) };
      const signedUp = await users.signUp(request.actor, signUp);
      return sendLoggedIn(request, marked(reply, signedUp), signedUp, 201);
    },
  );

  for (const { url, name } of OWN) {
    app.get(
      url,
      { schema: { ...schema(`read${name}`, 'Your own profile'), response: { 200: Envelope(Profile), ...failures } } },
      async (request, reply) => sendJson(reply, profileJson(await users.me(request.actor), styleOf(request))),
    );

    app.put(
      url,
      {
        schema: {
          ...schema(`update${name}`, 'Replace sections of your own profile; sections that are not sent stay'),
          body: ProfileChange,
          response: { 200: Envelope(Profile), ...failures },
        },
        config: { fails: [...ON_SECTIONS, ...ON_NAME, 'user.name_fixed'] },
      },
      async (request, reply) => {
        const { username = null, ...sections } = request.body;
        const profile = await users.update(request.actor, { username, sections });
        return sendJson(reply, profileJson(profile, styleOf(request)));
      },
    );

    app.put(
      `${url}/password`,
      {
        schema: {
          ...schema(`change${name}Password`, 'Change your own password and end all other sessions'),
          body: PasswordChange,
          response: { 200: Envelope(Empty), ...failures },
        },
        config: { fails: [...ON_FRESH, ...ON_PASSWORD] },
      },
      async (request, reply) => {
        const { old, current_password, ...change } = request.body;
        const known = { old: old ?? current_password ?? null, address: clientAddress(request) };
        return sendDone(reply, users.changePassword(request.actor, { ...change, ...known }));
      },
    );
  }

  app.put(
    '/me/username',
    {
      schema: {
        ...schema('rename', 'Change your name; sessions stay valid'),
        body: Rename,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ON_NAME },
    },
    async ({ actor, body }, reply) => sendDone(reply, users.rename(actor, body.username)),
  );

  app.delete(
    '/me/sessions',
    {
      schema: {
        operationId: 'removeOtherSessions',
        summary: 'End all sessions of the caller except the current one',
        tags: ['sessions'],
        response: { 200: Envelope(Empty), ...failures },
      },
    },
    async ({ actor }, reply) => sendDone(reply, users.endOtherSessions(actor)),
  );

  app.put(
    '/me/suspend',
    {
      schema: {
        ...schema('suspendMe', 'Suspend yourself and end all sessions'),
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['user.internal'] },
    },
    async ({ actor }, reply) => sendDone(reply, users.suspend(actor)),
  );
};
