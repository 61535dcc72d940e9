import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AdapterWithSettings,
  AppError,
  type Mailer,
  type OAuthNetwork,
  type SettingGroup,
  setting,
} from '@baobab/core';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';

const MAIL_SETTINGS = {
  section: 'PasswordRecovery',
  settings: {
    'mail.api.url': setting.protected.string('', 'Where the mail API is'),
    'mail.api.key': setting.protected.secret('The key of the mail API'),
  },
} as const satisfies SettingGroup;

/** A mailer that calls an HTTP API, such as those of mail services. */
const apiMailer: AdapterWithSettings<Mailer, typeof MAIL_SETTINGS> = {
  settings: MAIL_SETTINGS,
  create: (settings) => ({
    async requireSetUp() {
      if ((await settings.current())['mail.api.url'] === '') throw new AppError('mail.unavailable');
    },
    async send({ from, to, subject, text, html }) {
      const { 'mail.api.url': url, 'mail.api.key': key } = await settings.current();
      const body = JSON.stringify({
        personalizations: [{ to: [{ email: to }] }],
        from,
        subject,
        content: [text, html],
      });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const { status } = await fetch(url, { method: 'POST', headers, body });
      if (status !== 202) throw new AppError(status < 500 ? 'mail.refused' : 'mail.unavailable');
      return `HTTP ${status}`;
    },
  }),
};

const ACME_SETTINGS = {
  section: 'Social',
  settings: { 'social.acme.enabled': setting.protected.boolean(false, 'Whether people can log in with Acme') },
} as const satisfies SettingGroup;

/** A network that accepts tokens of one form. */
const acme: AdapterWithSettings<OAuthNetwork, typeof ACME_SETTINGS> = {
  settings: ACME_SETTINGS,
  create: (settings) => ({
    isEnabled: async () => (await settings.current())['social.acme.enabled'],
    async identify({ token }) {
      const [, id] = /^acme:(\w+)$/.exec(token) ?? [];
      if (id === undefined) throw new AppError('social.refused');
      return { id, email: null, name: 'Ann of Acme', avatarUrl: null, pageUrl: null };
    },
    close: async () => undefined,
  }),
};

interface Received {
  readonly key: string | undefined;
  readonly body: { readonly personalizations: unknown; readonly subject: string };
}

async function startMailApi() {
  const received: Received[] = [];
  const read = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ key: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
  };
  const server = createServer((request, response) => {
    read(request).then(
      () => response.writeHead(202).end(),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/mail/send`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('adapters that the core does not know', () => {
  let api: Awaited<ReturnType<typeof startMailApi>>;
  let backend: TestBackend;
  let world: World;

  beforeAll(async () => {
    api = await startMailApi();
    backend = await createTestBackend({ mailer: apiMailer, ownNetworks: { acme } });
    world = createWorld(backend);
  });
  afterAll(async () => {
    await backend.close();
    await api.close();
  });

  it('register their own settings, and replace those of the default adapters', async () => {
    const { data } = await expectStatus(
      world.call('GET', '/admin/configuration/PasswordRecovery', { basic: adminOf(world) }),
      200,
    );
    const keys = data.map(({ key }: { key: string }) => key);
    expect(keys).toEqual(expect.arrayContaining(['mail.api.url', 'mail.api.key']));
    expect(keys.filter((key: string) => key.startsWith('network.smtp'))).toEqual([]);
  });

  it('send the mail of a password reset without any SMTP setting', async () => {
    await setSettings(world, 'PasswordRecovery', { 'mail.api.url': api.url, 'mail.api.key': 'k3y' });
    const name = world.unique('ann');
    const body = { username: name, password: 'secret', visibleByTheUser: { email: 'ann@example.com' } };
    await expectStatus(world.call('POST', '/user', { body }), 201);
    await expectStatus(world.call('GET', `/user/${name}/password/reset`), 200);
    expect(api.received).toEqual([
      {
        key: 'Bearer k3y',
        body: expect.objectContaining({
          personalizations: [{ to: [{ email: 'ann@example.com' }] }],
          subject: 'Choose a new password',
        }),
      },
    ]);
  });

  it('log users in by a network of their own once it is switched on', async () => {
    const login = (token: string) =>
      world.call('POST', '/social/acme', { body: { oauth_token: token, oauth_secret: token } });
    expect((await login('acme:7')).status).toBe(400);
    await setSettings(world, 'Social', { 'social.acme.enabled': true });
    const { data } = await expectStatus(login('acme:7'), 200);
    const again = await expectStatus(login('acme:7'), 200);
    expect(again.data.user.name).toBe(data.user.name);
    expect(data.visibleByRegisteredUsers._social).toEqual({ acme: { id: '7' } });
    expect((await login('forged')).status).toBe(401);
    expect((await world.call('POST', '/social/toString', { body: {} })).status).toBe(404);
  });
});
