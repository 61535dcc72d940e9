import { createServer } from 'node:net';
import { specialUse } from '@baobab/adapters/outbound';
import { createWebhookSender, signedHeaders, type WebhookSenderOptions } from '@baobab/adapters/webhooks';
import type { WebhookRequest } from '@baobab/core';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { answering, type Receiver, startReceiver } from '../support/receiver.ts';

const opened: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
function closing<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

const sender = (options: Partial<WebhookSenderOptions> = {}) =>
  closing(createWebhookSender({ allowsPrivate: true, ...options }));
const receiver = async (host?: string): Promise<Receiver> => closing(await startReceiver(host));

// cspell:disable-next-line
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = (url: string, overrides: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  id: 'msg_1',
  timestamp: Math.floor(Date.now() / 1_000),
  body: '{"type":"test","text":"Zoë"}',
  secrets: [SECRET],
  ...overrides,
});

describe('signatures', () => {
  it('are those of the published vector of Standard Webhooks', () => {
    const content = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    expect(signedHeaders([SECRET], content)['webhook-signature']).toBe(expected);
    const { id, timestamp, body } = content;
    expect(new Webhook(SECRET).sign(id, new Date(timestamp * 1_000), body)).toBe(expected);
  });

  it('are verified by the library, each of several secrets by itself', async () => {
    const { createSecret, send } = sender();
    const { url, received } = await receiver();
    const [old, next, other] = [createSecret(), createSecret(), createSecret()];
    await send(message(url, { secrets: [next, old] }));
    const [got] = received;
    const headers = got?.headers as Record<string, string>;
    const verify = (secret: string, text = got?.text ?? '') => new Webhook(secret).verify(text, headers);
    expect(verify(next)).toEqual({ type: 'test', text: 'Zoë' });
    expect(verify(old)).toEqual({ type: 'test', text: 'Zoë' });
    expect(() => verify(other)).toThrow();
    expect(() => verify(next, '{"type":"test"}')).toThrow();
    expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' });
  });

  it('are made with secrets of 256 bits', () => {
    const { createSecret } = sender();
    const secrets = Array.from({ length: 10 }, createSecret);
    expect(new Set(secrets).size).toBe(10);
    for (const secret of secrets) expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });
});

describe('the answer', () => {
  const answer = async (behaviour: Parameters<Receiver['behave']>[0], options: Partial<WebhookSenderOptions> = {}) => {
    const one = await receiver();
    one.behave(behaviour);
    return sender(options).send(message(one.url));
  };
  const accepted = { error: null, isRefused: false, retryAfter: null };

  it('is accepted with every 2xx', async () => {
    expect(await answer(answering(200, {}, 'thanks'))).toEqual({ status: 200, body: 'thanks', ...accepted });
    expect(await answer(answering(204))).toEqual({ status: 204, body: '', ...accepted });
  });

  it('is a failure with every other status; redirects are not followed', async () => {
    const target = await receiver();
    const moved = await answer(answering(307, { location: target.url }));
    expect(moved).toMatchObject({ status: 307, error: expect.stringContaining('redirects are not followed') });
    expect(target.received).toEqual([]);
    const failed = await answer(answering(500, {}, 'oh no'));
    expect(failed).toMatchObject({ status: 500, body: 'oh no', error: 'The receiver answered 500', retryAfter: null });
  });

  it('says how long to wait, in seconds or as a date', async () => {
    expect(await answer(answering(429, { 'retry-after': '120' }))).toMatchObject({ retryAfter: 120_000 });
    const past = new Date(Date.now() - 60_000).toUTCString();
    expect(await answer(answering(503, { 'retry-after': past }))).toMatchObject({ retryAfter: 0 });
    for (const wrong of ['soon', '-1', '1e9', '99999999999']) {
      expect(await answer(answering(429, { 'retry-after': wrong }))).toMatchObject({ retryAfter: null });
    }
  });

  it('is kept up to 1,024 bytes, as text that can be stored', async () => {
    const long = `${'x'.repeat(1_023)}Zoë and more`;
    expect((await answer(answering(200, {}, long))).body).toBe(`${'x'.repeat(1_023)}Z`);
    expect((await answer(answering(200, {}, `${'x'.repeat(1_023)}ë and more`))).body).toBe('x'.repeat(1_023));
    expect((await answer(answering(500, {}, 'a\0b'))).body).toBe('a\uFFFDb');
    expect((await answer((response) => void response.end(Buffer.from([0x61, 0xff, 0x62])))).body).toBe('a\uFFFDb');
  });

  it('does not have to end: an endless body is cut, and one that stops is what has arrived', async () => {
    const endless = await answer((response) => {
      const timer = setInterval(() => response.write('y'.repeat(512)), 1);
      response.on('close', () => clearInterval(timer));
    });
    expect(endless).toEqual({ status: 200, body: 'y'.repeat(1_024), ...accepted });
    const cut = await answer((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('begun', () => response.destroy());
    });
    expect(cut).toEqual({ status: 200, body: 'begun', ...accepted });
  });

  it('is absent when the connection is cut, refused, or nothing comes in time', async () => {
    const nothing = { status: null, body: null, isRefused: false, retryAfter: null };
    expect(await answer((response) => response.destroy())).toMatchObject({
      ...nothing,
      error: expect.stringContaining('was cut'),
    });
    const slow = await answer(() => undefined, { timeLimit: 100 });
    expect(slow).toMatchObject({ ...nothing, error: expect.stringContaining('did not answer in time') });
    const gone = await receiver();
    await gone.close();
    const refused = await sender().send(message(gone.url));
    expect(refused).toMatchObject({ ...nothing, error: 'The connection was refused (ECONNREFUSED)' });
  });

  it('may be garbage', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end('SSH-2.0-OpenSSH_9.2\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const answered = await sender().send(message(`http://127.0.0.1:${port}/`));
    expect(answered).toMatchObject({ status: null, error: expect.stringContaining('The request failed') });
  });
});

describe('addresses', () => {
  const REFUSED = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.0.3',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.1.2.3',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'no address',
  ];
  const PUBLIC = [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:1.1.1.1',
    '64:ff9b::808:808',
  ];

  it.each(REFUSED)('%s is refused', (address) => {
    expect(specialUse(address)).not.toBeNull();
  });
  it.each(PUBLIC)('%s is public', (address) => {
    expect(specialUse(address)).toBeNull();
  });

  const LITERAL = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fd00::1]:8080/x',
    'http://169.254.169.254/latest/meta-data',
    'http://0/',
    'https://localhost/',
    'https://LOCALHOST./',
    'http://api.localhost:9000/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'example.org/hook',
    '',
    'https://user:password@example.org/',
    `https://example.org/${'x'.repeat(2_048)}`,
  ];

  it.each(LITERAL)('%.60s is no URL for a webhook', (url) => {
    const { read } = sender({ allowsPrivate: false });
    expect(read(url)).toEqual({ problem: expect.any(String) });
  });

  it.each(['https://example.org/hook?x=1', 'http://1.1.1.1/', 'https://[2606:4700::1]/', 'https://xn--zo-mja.org/'])(
    '%s is a URL for a webhook',
    (url) => {
      expect(sender({ allowsPrivate: false }).read(url)).toEqual({ url });
    },
  );

  it.each([
    ['HTTPS://EXAMPLE.ORG:443/Hook', 'https://example.org/Hook'],
    ['  https://example.org\n', 'https://example.org/'],
    ['https:example.org', 'https://example.org/'],
    ['https:\\\\example.org\\hook', 'https://example.org/hook'],
    ['https://example.org/a/../b/%2e%2e/c?x=ä#part', 'https://example.org/c?x=%C3%A4'],
    ['https://example.org/#', 'https://example.org/'],
    ['https://zoë.org/', 'https://xn--zo-ija.org/'],
    ['https://exa\u00admple\u3002org/', 'https://example.org/'],
    ['http://16843009/', 'http://1.1.1.1/'],
    ['http://0x1010101:080/', 'http://1.1.1.1/'],
    ['http://1.257/', 'http://1.0.1.1/'],
    ['https://[2606:4700:0:0:0:0:0:1]/', 'https://[2606:4700::1]/'],
  ])('%j is read as the URL that is called', (given, url) => {
    const { read } = sender({ allowsPrivate: false });
    expect(read(given)).toEqual({ url });
    expect(read(url)).toEqual({ url });
  });

  it('that are literal are refused when sending too', async () => {
    const { url, received } = await receiver();
    const answer = await sender({ allowsPrivate: false }).send(message(url));
    expect(answer).toMatchObject({ status: null, isRefused: true, error: expect.stringContaining('loopback') });
    expect(received).toEqual([]);
  });

  it.each([
    ['127.0.0.1', 4],
    ['::ffff:127.0.0.1', 6],
    ['10.1.2.3', 4],
    ['0.0.0.0', 4],
  ])('that name servers answer are refused: %s', async (address, family) => {
    const { port, received } = await receiver();
    const resolve = async () => [{ address, family }];
    const { send, read } = sender({ allowsPrivate: false, resolve });
    const url = `http://receiver.example:${port}/`;
    expect(read(url)).toEqual({ url });
    const answer = await send(message(url));
    expect(answer).toMatchObject({ status: null, isRefused: true, error: expect.stringContaining(address) });
    expect(received).toEqual([]);
  });

  it('are checked at every connection: a name that is given another address is refused', async () => {
    const one = await receiver('0.0.0.0');
    one.behave(answering(200, { connection: 'close' }));
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], []];
    const resolve = async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
    const specialUseOf = (address: string) => (address === '127.0.0.2' ? null : 'loopback');
    const { send } = sender({ allowsPrivate: false, resolve, specialUse: specialUseOf });
    const url = `http://receiver.example:${one.port}/`;
    expect(await send(message(url))).toMatchObject({ status: 200 });
    expect(await send(message(url))).toMatchObject({ status: null, isRefused: true });
    expect(one.received).toHaveLength(1);
    expect(await send(message(url))).toMatchObject({ status: 200 });
    expect(await send(message(url))).toMatchObject({ status: null, isRefused: false });
  });

  it('may be private if that is allowed, by name too', async () => {
    const { port, url } = await receiver();
    const { send, read } = sender();
    for (const allowed of [url, 'http://localhost/']) expect(read(allowed)).toEqual({ url: allowed });
    expect(await send(message(url))).toMatchObject({ status: 204 });
    expect(await send(message(`http://localhost:${port}/`))).toMatchObject({ status: 204 });
  });

  it('of unknown names are failures', async () => {
    const unknown = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const { send } = sender({ resolve: () => Promise.reject(unknown) });
    const answer = await send(message('http://receiver.invalid/'));
    expect(answer).toMatchObject({ status: null, error: 'The name of the receiver is unknown (ENOTFOUND)' });
  });
});
