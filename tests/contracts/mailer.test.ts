import { type AddressInfo, createServer } from 'node:net';
import { createMemoryMailer } from '@baobab/adapters/memory';
import { checkMailServer, SMTP_SETTINGS, type SmtpOptions, smtpMailer } from '@baobab/adapters/smtp';
import { MESSAGE, mailerContract } from '@baobab/contracts/mailer';
import type { Mailer } from '@baobab/core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { createWith, defaultsOf } from '../support/fixed-settings.ts';
import { freePort } from '../support/ports.ts';
import {
  type Certificate,
  createCertificate,
  type MailServerOptions,
  startMailServer,
  startSilentServer,
  type TestMailServer,
} from '../support/smtp.ts';

/** A server as the settings describe it. */
interface Place {
  readonly port: number;
  readonly security: 'none' | 'starttls' | 'tls';
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const at = (port: number, more: Partial<Place> = {}): Place => ({ port, security: 'none', credentials: null, ...more });

const DEFAULTS = defaultsOf(SMTP_SETTINGS);

/** The mailer with settings for this server. */
const mailerFor = ({ port, security, credentials }: Place, options: SmtpOptions = {}): Mailer =>
  createWith(smtpMailer({ allowsPrivate: true, ...options }), {
    'network.smtp.host': 'localhost',
    'network.smtp.port': port,
    'network.smtp.ssl': security === 'tls',
    'network.smtp.tls': security === 'starttls',
    'network.smtp.authentication': credentials !== null,
    'network.smtp.user': credentials?.user ?? '',
    'network.smtp.password': credentials?.password ?? '',
  });

mailerContract('memory', async () => {
  const mailer = createMemoryMailer();
  return {
    mailer,
    delivered: () =>
      mailer.sent.map(({ id, to, ...mail }) => ({ ...mail, messageId: id, recipients: [to], headers: null })),
    close: async () => undefined,
  };
});

mailerContract('smtp', async () => {
  const server = await startMailServer({ security: 'none' });
  return {
    mailer: mailerFor(at(server.port)),
    delivered: () =>
      server.received.map(({ from, headers, ...mail }) => ({
        ...mail,
        from: `${from.name} <${from.address}>`,
        messageId: headers.get('message-id') ?? '',
        headers: [...headers.keys()],
      })),
    close: server.close,
  };
});

describe('the SMTP mailer', () => {
  let certificate: Certificate;
  const opened: Array<{ close(): Promise<void> }> = [];
  const credentials = { user: 'app', password: 'smtp secret' };

  beforeAll(() => {
    certificate = createCertificate();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((server) => server.close()));
  });

  async function open(options: MailServerOptions): Promise<TestMailServer> {
    const server = await startMailServer(options);
    opened.push(server);
    return server;
  }

  const trusting = (place: Place) => mailerFor(place, { ca: certificate.cert });

  it.each(['none', 'starttls', 'tls'] as const)('sends with security %s and with credentials', async (security) => {
    const server = await open({ security, certificate, credentials });
    await trusting(at(server.port, { security, credentials })).send(MESSAGE);
    expect(server.received).toEqual([
      expect.objectContaining({ secure: security !== 'none', user: 'app', recipients: ['ann@example.com'] }),
    ]);
  });

  it.each(['starttls', 'tls'] as const)(
    'sends nothing to a server whose certificate is not trusted (%s)',
    async (security) => {
      const server = await open({ security, certificate, credentials });
      const sending = mailerFor(at(server.port, { security, credentials })).send(MESSAGE);
      await expect(sending).rejects.toMatchObject({ code: 'mail.unavailable' });
      expect([server.received, server.attempts]).toEqual([[], []]);
    },
  );

  it('sends nothing to a server that does not offer the required STARTTLS', async () => {
    const server = await open({ security: 'none', credentials });
    const sending = trusting(at(server.port, { security: 'starttls', credentials })).send(MESSAGE);
    await expect(sending).rejects.toMatchObject({ code: expect.stringMatching(/^mail\./) });
    expect([server.received, server.attempts]).toEqual([[], []]);
  });

  it('encrypts opportunistically when the server offers it, even with an untrusted certificate', async () => {
    const server = await open({ security: 'starttls', certificate });
    await mailerFor(at(server.port)).send(MESSAGE);
    expect(server.received).toEqual([expect.objectContaining({ secure: true })]);
  });

  it('is rejected with wrong credentials, and without required ones', async () => {
    const server = await open({ security: 'none', credentials });
    for (const wrong of [{ user: 'app', password: 'wrong' }, null]) {
      const sending = mailerFor(at(server.port, { credentials: wrong })).send(MESSAGE);
      await expect(sending).rejects.toMatchObject({ code: 'mail.refused' });
    }
    expect(server.received).toEqual([]);
  });

  it.each([
    [550, 'mail.refused'],
    [450, 'mail.unavailable'],
  ])('tells a permanent rejection from a temporary one: %s', async (code, expected) => {
    const server = await open({ security: 'none', refusal: { code, text: 'no' } });
    const sending = mailerFor(at(server.port)).send(MESSAGE);
    await expect(sending).rejects.toMatchObject({ code: expected });
  });

  it('times out on a server that does not answer, and fails on one that does not exist', async () => {
    const silent = await startSilentServer();
    opened.push(silent);
    for (const server of [at(silent.port), at(silent.port, { security: 'tls' }), at(await freePort())]) {
      await expect(mailerFor(server, { timeLimit: 200 }).send(MESSAGE)).rejects.toMatchObject({
        code: 'mail.unavailable',
      });
    }
  });

  it('has a limited number of messages in progress', async () => {
    const silent = await startSilentServer();
    opened.push(silent);
    const place = { port: silent.port };
    const settings = { 'network.smtp.host': 'localhost' };
    const mailer = smtpMailer({ allowsPrivate: true, timeLimit: 500, concurrency: 2 }).create({
      current: async () => ({ ...DEFAULTS, ...settings, 'network.smtp.port': place.port }),
    });
    const order: string[] = [];
    const send = (name: string) =>
      mailer.send(MESSAGE).catch(({ code }: { code: string }) => order.push(`${name} ${code}`));
    await Promise.all([send('first'), send('second'), send('third')]);
    expect(order[0]).toBe('third mail.unavailable');
    expect(order).toHaveLength(3);
    const server = await open({ security: 'none' });
    place.port = server.port; // settings may change at runtime
    await mailer.send(MESSAGE);
    expect(server.received).toHaveLength(1);
  });

  /** The cause of a failure, which administrators see. */
  const causeOf = async (sending: Promise<unknown>) =>
    (
      (await sending.then(
        () => new Error('it was sent'),
        (error: Error) => error.cause,
      )) as Error
    ).message;

  it('marks messages as automatic, so that absence notes do not answer them', async () => {
    const server = await open({ security: 'none' });
    await mailerFor(at(server.port)).send(MESSAGE);
    expect(server.received[0]?.headers.get('auto-submitted')).toBe('auto-generated');
  });

  it('connects to addresses that are not public only when allowed, and names the variable', async () => {
    const server = await open({ security: 'none' });
    const rebound = async () => [{ address: '127.0.0.1', family: 4 }];
    for (const [host, options] of [
      ['localhost', {}],
      ['127.0.0.1', {}],
      ['mail.example.com', { resolve: rebound }],
    ] as const) {
      const settings = { 'network.smtp.host': host, 'network.smtp.port': server.port };
      const sending = createWith(smtpMailer(options), settings).send(MESSAGE);
      expect(await causeOf(sending)).toMatch(/OUTBOUND_PRIVATE=on allows it/);
      await expect(sending).rejects.toMatchObject({ code: 'mail.unavailable' });
      await createWith(smtpMailer({ ...options, allowsPrivate: true }), settings).send(MESSAGE);
    }
    expect(server.received).toHaveLength(3);
  });

  it('shows of what a server says nothing but the status', async () => {
    const banner = 'internal-admin-panel';
    const foreign = createServer((socket) => void socket.end(`HTTP/1.1 400 ${banner}\r\n\r\n`));
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => new Promise((resolve) => void foreign.close(() => resolve())) });
    const { port } = foreign.address() as AddressInfo;
    const refusing = await open({ security: 'none', refusal: { code: 550, text: `5.1.1 ${banner}` } });
    const accepting = await open({ security: 'none' });
    expect(await causeOf(mailerFor(at(port)).send(MESSAGE))).toBe('the server does not speak SMTP');
    expect(await causeOf(mailerFor(at(refusing.port)).send(MESSAGE))).toBe(
      'the mail server answered 550 5.1.1 to RCPT TO',
    );
    expect(await mailerFor(at(accepting.port)).send(MESSAGE)).toBe('250');
  });

  describe('with a password, to a server on another machine that offers no encryption', () => {
    const host = '127.0.0.1';
    // Behind a proxy every server is on another machine.
    const clientOf = async (port: number, options: SmtpOptions = {}) => {
      const proxy = await startConnectProxy({ routes: { [`mail.example.com:${port}`]: { host, port } } });
      opened.push(proxy);
      const proxies = { https: proxy.url, http: null, exceptions: '' };
      const settings = {
        'network.smtp.host': 'mail.example.com',
        'network.smtp.port': port,
        'network.smtp.authentication': true,
        'network.smtp.user': credentials.user,
        'network.smtp.password': credentials.password,
      };
      const all = { allowsPrivate: true, proxies, ...options };
      return {
        send: createWith(smtpMailer(all), settings).send,
        check: () => checkMailServer({ ...DEFAULTS, ...settings }, all),
      };
    };

    it('sends none, and names the variable that allows it', async () => {
      const server = await open({ security: 'none', credentials, host });
      const { send, check } = await clientOf(server.port);
      const sending = send(MESSAGE);
      expect(await causeOf(sending)).toMatch(/no encryption \(STARTTLS\).*SMTP_PLAINTEXT_AUTH=on allows it/);
      await expect(sending).rejects.toMatchObject({ code: 'mail.unavailable' });
      expect(await causeOf(check())).toMatch(/SMTP_PLAINTEXT_AUTH=on allows it/);
      expect([server.received, server.attempts]).toEqual([[], []]);
    });

    it('sends it when allowed', async () => {
      const server = await open({ security: 'none', credentials, host });
      await (await clientOf(server.port, { allowsPlaintextAuth: true })).send(MESSAGE);
      expect(server.attempts).toEqual([{ user: 'app', secure: false }]);
    });

    it('sends it encrypted when the server offers that', async () => {
      const server = await open({ security: 'starttls', certificate, credentials, host });
      await (await clientOf(server.port)).send(MESSAGE);
      expect(server.attempts).toEqual([{ user: 'app', secure: true }]);
    });
  });

  it('is unavailable while no server is configured, and names the setting', async () => {
    const mailer = createWith(smtpMailer());
    for (const refused of [mailer.send(MESSAGE), mailer.requireSetUp()]) {
      await expect(refused).rejects.toMatchObject({
        code: 'mail.unavailable',
        message: expect.stringContaining('network.smtp.host'),
      });
    }
  });
});
