import { smtpMailer } from '@baobab/adapters/smtp';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { linkIn, openLink, request, withAddress, worksFor } from '../support/password-reset.ts';
import { until } from '../support/patience.ts';
import { expectStatus, setSettings } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import {
  type Certificate,
  createCertificate,
  type MailServerOptions,
  type ReceivedMail,
  startMailServer,
  startSilentServer,
} from '../support/smtp.ts';

const TIME_LIMIT_MS = 1_000;
const credentials = { user: 'app', password: 'smtp secret' };

describe('password reset with a real mail server', () => {
  let certificate: Certificate;
  let backend: TestBackend;
  let world: World;
  let address: string;

  beforeAll(async () => {
    certificate = createCertificate();
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    const mailer = smtpMailer({ allowsPrivate: true, ca: certificate.cert, timeLimit: TIME_LIMIT_MS });
    backend = await createTestBackend({ mailer, publicUrl: address });
    await backend.app.listen({ port, host: '127.0.0.1' });
    world = createWorld(backend);
    await setSettings(world, 'PasswordRecovery', { 'email.from': 'My App <app@example.com>' });
  });
  afterAll(() => backend.close());

  const point = (port: number, more: Record<string, unknown> = {}) =>
    setSettings(world, 'PasswordRecovery', {
      'network.smtp.host': '127.0.0.1',
      'network.smtp.port': port,
      'network.smtp.ssl': false,
      'network.smtp.tls': false,
      'network.smtp.authentication': false,
      ...more,
    });

  async function mailOf(options: MailServerOptions, settings: Record<string, unknown>, name: string) {
    const server = await startMailServer(options);
    try {
      await point(server.port, settings);
      await expectStatus(request(world, name), 200);
      expect(server.received).toHaveLength(1);
      return server.received[0] as ReceivedMail;
    } finally {
      await server.close();
    }
  }

  const ssl = { 'network.smtp.ssl': true };
  const tls = { 'network.smtp.tls': true };
  const authentication = {
    'network.smtp.authentication': true,
    'network.smtp.user': credentials.user,
    'network.smtp.password': credentials.password,
  };

  it.each<readonly [string, MailServerOptions, Record<string, unknown>]>([
    ['in the clear', { security: 'none' }, {}],
    ['in the clear, with a password', { security: 'none', credentials }, authentication],
    ['by STARTTLS', { security: 'starttls' }, tls],
    ['by STARTTLS, with a password', { security: 'starttls', credentials }, { ...tls, ...authentication }],
    ['by TLS', { security: 'tls' }, ssl],
    ['by TLS, with a password', { security: 'tls', credentials }, { ...ssl, ...authentication }],
  ])('a link that arrived %s opens in a browser and sets the password', async (_how, options, settings) => {
    const ann = await withAddress(world);
    const mail = await mailOf({ ...options, certificate }, settings, ann.name);
    expect(mail).toMatchObject({
      sender: 'app@example.com',
      recipients: [ann.email],
      secure: options.security !== 'none',
      user: options.credentials === undefined ? null : credentials.user,
      subject: 'Choose a new password',
      from: { name: 'My App', address: 'app@example.com' },
    });
    expect(mail.headers.get('content-type')).toMatch(/^multipart\/alternative/);
    expect([...mail.headers.keys()]).toEqual(expect.arrayContaining(['to', 'date', 'message-id', 'mime-version']));
    const { base, path } = linkIn(mail.text);
    const link = `${address}${path}`;
    expect(base).toBe(`${address}/user/password/reset/`);
    expect(mail.html).toContain(`<a href="${link}">`);

    const page = await fetch(link);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const action = /<form method="post" action="([^"]+)">/.exec(html)?.[1] ?? '';
    const [password = '', repeated = ''] = [...html.matchAll(/<input[^>]* name="([^"]+)"/g)].map(
      ([, name]) => name ?? '',
    );
    const body = new URLSearchParams({ [password]: 'new & č', [repeated]: 'new & č' });
    const answer = await fetch(action, { method: 'POST', body });
    expect([answer.status, (await answer.text()).includes('Your new password is set')]).toEqual([200, true]);
    expect([await worksFor(world, ann.name, 'new & č'), await worksFor(world, ann.name, 'old')]).toEqual([true, false]);
  });

  it('adds no header and no recipient, whatever names contain', async () => {
    const evil = 'Evil: 1\u2028Bcc: evil@example.org';
    const ann = await withAddress(world, world.unique('=0d=0aBcc:_evil@example.org,'));
    for (const [section, key, value] of [
      ['Application', 'application.name', 'App\r\nBcc: evil@example.org'],
      ['PasswordRecovery', 'email.subject', 'Hi\r\nBcc: evil@example.org'],
      ['PasswordRecovery', 'email.from', 'app@example.com\r\nBcc: evil@example.org'],
    ] as const) {
      const path = `/admin/configuration/${section}/${key}`;
      expectFailure(await world.call('PUT', path, { token: await world.admin(), body: { value } }), 400);
    }
    await setSettings(world, 'Application', { 'application.name': evil });
    await setSettings(world, 'PasswordRecovery', {
      'email.subject': evil,
      'email.from': `"${evil}" <app@example.com>`,
    });
    const mail = await mailOf({ security: 'none' }, {}, ann.name);
    expect(mail.recipients).toEqual([ann.email]);
    expect([...mail.headers.keys()]).not.toEqual(expect.arrayContaining(['bcc']));
    expect([...mail.headers.keys()]).not.toEqual(expect.arrayContaining(['evil']));
    await setSettings(world, 'Application', { 'application.name': 'Baobab' });
    await setSettings(world, 'PasswordRecovery', { 'email.subject': 'Hi', 'email.from': 'app@example.com' });
  });

  it('names a sender even when the settings name none', async () => {
    await setSettings(world, 'PasswordRecovery', { 'email.from': '' });
    const ann = await withAddress(world);
    const mail = await mailOf({ security: 'none' }, {}, ann.name);
    expect(mail.from.address).toMatch(/^\S+@\S+$/);
    await setSettings(world, 'PasswordRecovery', { 'email.from': 'app@example.com' });
  });

  describe('a mail server that does not accept the mail', () => {
    function expectUnavailable(answer: Awaited<ReturnType<typeof request>>): void {
      expectFailure(answer, 503, [credentials.password, '127.0.0.1', 'ECONN', 'certificate']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }

    /** Delivers to a mail server that accepts everything. Resolves to the only mail that greets the user. */
    async function arrivedAfter(name: string): Promise<ReceivedMail> {
      const server = await startMailServer({ security: 'none' });
      await point(server.port);
      const mails = () => server.received.filter(({ text }) => text.includes(`Hello ${name},`));
      await until(async () => {
        await backend.deliver();
        return mails().length > 0;
      });
      await server.close();
      expect(mails()).toHaveLength(1);
      return mails()[0] as ReceivedMail;
    }

    it('is down for a while: the mail is on its way', async () => {
      const ann = await withAddress(world);
      await point(await freePort());
      await expectStatus(request(world, ann.name), 200);
      expect((await arrivedAfter(ann.name)).recipients).toEqual([ann.email]);
    });

    it('rejects the recipient once (451): the mail is on its way, and a second request replaces it', async () => {
      const ann = await withAddress(world);
      const server = await startMailServer({ security: 'none', refusal: { code: 451, text: 'later' } });
      await point(server.port);
      await expectStatus(request(world, ann.name), 200);
      await expectStatus(request(world, ann.name), 200);
      await server.close();
      const { path } = linkIn((await arrivedAfter(ann.name)).text);
      expect((await openLink(world, path)).status).toBe(200);
    });

    it('rejects the recipient (550)', async () => {
      const ann = await withAddress(world);
      const server = await startMailServer({ security: 'none', refusal: { code: 550, text: 'not here' } });
      await point(server.port);
      expectUnavailable(await request(world, ann.name));
      await server.close();
    });

    it('rejects the password', async () => {
      const ann = await withAddress(world);
      const server = await startMailServer({ security: 'none', credentials });
      await point(server.port, { ...authentication, 'network.smtp.password': `${credentials.password}!` });
      expectUnavailable(await request(world, ann.name));
      expect([server.received.length, server.attempts.length]).toEqual([0, 1]);
      await server.close();
    });

    it('has an untrusted certificate', async () => {
      const ann = await withAddress(world);
      const server = await startMailServer({ security: 'tls', certificate: createCertificate() });
      await point(server.port, ssl);
      await expectStatus(request(world, ann.name), 200);
      expect(server.received).toEqual([]);
      await server.close();
    });

    it('hangs, while 200 other requests are served', async () => {
      const ann = await withAddress(world);
      const silent = await startSilentServer();
      await point(silent.port);
      let hanging = true;
      const waiting = request(world, ann.name).finally(() => {
        hanging = false;
      });
      const others = Array.from({ length: 200 }, () => world.call('GET', '/me', { token: ann.token }));
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
      expect(hanging).toBe(true);
      await expectStatus(waiting, 200);
      await silent.close();
    });
  });
});
