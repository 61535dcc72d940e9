import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createApnsPush } from '@baobab/adapters/apns';
import { createFcmPush } from '@baobab/adapters/fcm';
import { createGoogleVerifier, createOpenIdVerifier } from '@baobab/adapters/oauth';
import { createGuard, createRequests, type Proxies, proxyFor } from '@baobab/adapters/outbound';
import { createS3Blobs } from '@baobab/adapters/s3';
import { createSystemClock } from '@baobab/adapters/system';
import { createWebhookSender } from '@baobab/adapters/webhooks';
import { type StandIn, startStandIn } from '@baobab/contracts/oauth';
import { NOTIFICATION, wanted } from '@baobab/contracts/push';
import { afterEach, describe, expect, it } from 'vitest';
import { s3Options } from '../support/blobs.ts';
import { type ConnectProxyOptions, startConnectProxy } from '../support/connect-proxy.ts';
import { startGoogle, startOpenIdProvider } from '../support/oauth/networks.ts';
import { startApns } from '../support/push/apns.ts';
import { startFcm } from '../support/push/fcm.ts';
import { startReceiver } from '../support/receiver.ts';
import { createCertificate } from '../support/smtp.ts';

const clock = createSystemClock();
const opened: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
function closing<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

const through = (url: string, exceptions = ''): Proxies => ({ https: url, http: url, exceptions });

/** A proxy on which `name` leads to a server on this machine. */
async function leadingTo(at: string, name: string, options: ConnectProxyOptions = {}) {
  const { port, protocol } = new URL(at);
  const route = { host: '127.0.0.1', port: Number(port) };
  const proxy = closing(await startConnectProxy({ ...options, routes: { [name]: route, [`${name}:80`]: route } }));
  return { proxy, proxies: through(proxy.url), url: `${protocol}//${name}` };
}

describe('the proxy for a URL', () => {
  const of = (url: string, exceptions = '') =>
    proxyFor(new URL(url), { https: 'http://secure:1', http: 'http://plain:2', exceptions });

  it('depends on the scheme', () => {
    expect([of('https://a.example/x'), of('http://a.example/x')]).toEqual(['http://secure:1', 'http://plain:2']);
    expect(proxyFor(new URL('https://a.example'), { https: null, http: 'http://plain:2', exceptions: '' })).toBeNull();
    expect(proxyFor(new URL('https://a.example'), null)).toBeNull();
  });

  it.each(['http://localhost:9', 'https://127.0.0.1', 'https://127.1.2.3', 'http://[::1]:8', 'https://a.localhost'])(
    'is none for this machine: %s',
    (url) => expect(of(url)).toBeNull(),
  );

  it.each([
    ['https://hook.example', 'hook.example'],
    ['https://HOOK.example.', 'Hook.Example'],
    ['https://a.hook.example', 'hook.example'],
    ['https://a.hook.example', '.hook.example'],
    ['https://a.hook.example', 'other.example *.hook.example'],
    ['https://hook.example:8443', 'other.example,hook.example:8443'],
    ['https://hook.example', 'hook.example:443'],
    ['https://10.1.2.3', '10.0.0.0/8'],
    ['https://[fd00::7]', 'fd00::/8'],
    ['https://[fd00::7]', '[fd00::7]:443'],
    ['https://[fd00::7]', 'fd00::7'],
    ['https://hook.example', '*'],
  ])('is none for %s with NO_PROXY=%s', (url, exceptions) => expect(of(url, exceptions)).toBeNull());

  it.each([
    ['https://other.example', 'hook.example'],
    ['https://myhook.example', 'hook.example'],
    ['https://hook.example', 'hook.example:8443'],
    ['https://11.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '10.0.0.0/99, fd00::/8'],
  ])('stays for %s with NO_PROXY=%s', (url, exceptions) => expect(of(url, exceptions)).toBe('http://secure:1'));
});

describe('through a proxy', () => {
  const credentials = { user: 'app', password: 'p@ss:word' };

  it('requests over TLS go through a tunnel, with the credentials of the proxy', async () => {
    const certificate = createCertificate('hook.example');
    const server = createServer(certificate, (_request, response) => void response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing({ close: () => new Promise((resolve) => void server.close(() => resolve())) });
    const { port } = server.address() as AddressInfo;
    const route = { host: '127.0.0.1', port };
    const proxy = closing(await startConnectProxy({ credentials, routes: { 'hook.example:443': route } }));
    const requests = closing(createRequests({ proxies: through(proxy.url), connect: { ca: certificate.cert } }));
    const { statusCode, body } = await requests.request('https://hook.example/x', { method: 'GET' });
    expect([statusCode, await body.text(), proxy.asked]).toEqual([200, 'reached', ['hook.example:443']]);
  });

  const message = { id: 'msg_1', timestamp: 1, body: '{}', secrets: ['whsec_AAAA'] };

  it('webhooks arrive', async () => {
    const receiver = closing(await startReceiver());
    const { proxy, proxies } = await leadingTo(receiver.url, 'hook.example', { credentials });
    const sender = closing(createWebhookSender({ allowsPrivate: false, proxies, resolve: async () => [] }));
    for (let sent = 1; sent <= 3; sent++) {
      const answer = await sender.send({ ...message, url: `http://hook.example/${sent}` });
      expect(answer).toMatchObject({ status: 204, error: null });
    }
    expect(proxy.asked).toEqual([1, 2, 3].map((sent) => `http://hook.example/${sent}`));
    expect(receiver.received).toHaveLength(3);
  });

  it('webhooks are not sent to private addresses, nor to names that have one here', async () => {
    const receiver = closing(await startReceiver());
    const { proxy, proxies } = await leadingTo(receiver.url, 'hook.example');
    const addresses = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '10.0.0.5', family: 4 },
    ];
    const sender = closing(createWebhookSender({ allowsPrivate: false, proxies, resolve: addresses }));
    for (const url of ['http://hook.example/', 'http://10.0.0.5/', 'http://[fd00::1]/']) {
      const answer = await sender.send({ ...message, url });
      expect(answer).toMatchObject({ isRefused: true, error: expect.stringContaining('WEBHOOK_PRIVATE=on') });
    }
    expect([proxy.asked, receiver.received]).toEqual([[], []]);
  });

  it('webhooks fail when the proxy demands other credentials', async () => {
    const receiver = closing(await startReceiver());
    const { proxies } = await leadingTo(receiver.url, 'hook.example', { credentials });
    const other = through(new URL(proxies.https ?? '').origin);
    const sender = closing(createWebhookSender({ allowsPrivate: false, proxies: other, resolve: async () => [] }));
    const answer = await sender.send({ ...message, url: 'http://hook.example/' });
    expect([answer.error === null, receiver.received]).toEqual([false, []]);
  });

  it('notifications reach FCM', async () => {
    const fcm = await startFcm();
    opened.push(fcm);
    const { proxy, proxies, url } = await leadingTo(fcm.url, 'fcm.example');
    const sender = closing(createFcmPush({ clock, url, proxies }));
    expect(await sender.send(fcm.config, NOTIFICATION, wanted)).toEqual({ kind: 'delivered' });
    expect(proxy.asked).toHaveLength(2);
  });

  it('notifications reach Apple over HTTP/2', async () => {
    const apns = await startApns();
    opened.push(apns);
    const { proxy, proxies, url } = await leadingTo(apns.url, 'apns.example');
    const sender = closing(createApnsPush({ clock, url, proxies }));
    expect(await sender.send(apns.config, NOTIFICATION, wanted)).toEqual({ kind: 'delivered' });
    expect(proxy.asked).toEqual(['apns.example:80']);
    const refusing = through((await leadingTo(apns.url, 'apns.example', { credentials })).proxies.https ?? '');
    const anonymous = { ...refusing, https: null, http: new URL(refusing.http ?? '').origin };
    const failing = closing(createApnsPush({ clock, url, proxies: anonymous }));
    expect(await failing.send(apns.config, NOTIFICATION, wanted)).toMatchObject({
      kind: 'retry',
      reason: expect.stringMatching(/the proxy http:\/\/127\.0\.0\.1:\d+ answered 407/),
    });
  });

  it('social networks are asked', async () => {
    const google = await startGoogle(clock);
    closing(google.standIn);
    const { proxy, proxies, url } = await leadingTo(google.standIn.url, 'google.example');
    const verifier = closing(createGoogleVerifier({ clock, url, proxies }));
    const token = await google.issue('access token', { person: { id: '1' }, clientId: 'app' });
    const app = { clientIds: ['app'], secret: '', issuer: '' };
    expect(await verifier.identify(app, { token, nonce: null })).toMatchObject({ id: '1' });
    expect(proxy.asked).toHaveLength(2);
  });

  it('files reach S3', async () => {
    const options = s3Options();
    const { proxy, proxies, url } = await leadingTo(options.endpoint ?? '', 's3.example');
    const blobs = closing(createS3Blobs({ ...options, endpoint: url, proxies }));
    // The server takes the name for that of a bucket, which it does not have: the answer is from S3.
    await expect(blobs.health()).rejects.toMatchObject({ message: expect.stringContaining('there is no such bucket') });
    expect(proxy.asked.at(0)).toBe('s3.example:80');
  });
});

describe('a host in a setting', () => {
  const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
    'private.example': ['10.0.0.1', 'fd00::1'],
    'public.example': ['192.0.43.8'],
    'both.example': ['10.0.0.1', '192.0.43.8'],
  };
  async function resolve(name: string) {
    const addresses = ADDRESSES[name];
    if (addresses === undefined) throw new Error('unknown');
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
  const guard = (allowsPrivate: boolean) => createGuard({ allowsPrivate, variable: 'OUTBOUND_PRIVATE', resolve });

  it.each(['10.0.0.1', '127.0.0.1', '::1', 'localhost', 'private.example'])(
    'is refused by the addresses that it has now, unless they are allowed: %s',
    async (host) => {
      expect(await guard(false).currentProblemOf(host)).toMatch(/ it is .*; OUTBOUND_PRIVATE=on allows it$/);
      expect(await guard(true).currentProblemOf(host)).toBeNull();
    },
  );

  it.each(['192.0.43.8', 'public.example', 'both.example', 'unknown.example'])(
    'is accepted if it may be reached, or is unknown: %s',
    async (host) => expect(await guard(false).currentProblemOf(host)).toBeNull(),
  );
});

describe('an OpenID provider', () => {
  const app = (issuer: string) => ({ clientIds: ['app'], secret: '', issuer });

  it('on an address that is not public is called only when allowed, and the failure names the variable', async () => {
    const provider = await startOpenIdProvider(clock);
    closing(provider.standIn);
    const token = await provider.issue('id_token', { person: { id: '1' }, clientId: 'app' });
    const refusing = closing(createOpenIdVerifier({ clock }));
    // A check of the settings has no id_token.
    for (const proof of [token, 'a test of the settings']) {
      await expect(refusing.identify(app(provider.issuer), { token: proof, nonce: null })).rejects.toMatchObject({
        code: 'social.unavailable',
        cause: { message: expect.stringContaining('OUTBOUND_PRIVATE=on allows it') },
      });
    }
    expect(provider.standIn.requests).toEqual([]);
    const allowing = closing(createOpenIdVerifier({ clock, allowsPrivate: true }));
    expect(await allowing.identify(app(provider.issuer), { token, nonce: null })).toMatchObject({ id: '1' });
  });

  it('cannot lead to such an address by its discovery document', async () => {
    const standIn: StandIn = closing(
      await startStandIn({
        '/.well-known/openid-configuration': () => ({
          json: { issuer: standIn.url, jwks_uri: `http://[::1]:${new URL(standIn.url).port}/keys` },
        }),
      }),
    );
    const provider = await startOpenIdProvider(clock);
    closing(provider.standIn);
    const token = await provider.issue('id_token', { person: { id: '1' }, clientId: 'app' });
    const specialUse = (address: string) => (address === '::1' ? 'loopback' : null);
    const verifier = closing(createOpenIdVerifier({ clock, specialUse }));
    await expect(verifier.identify(app(standIn.url), { token, nonce: null })).rejects.toMatchObject({
      code: 'social.unavailable',
      cause: { message: expect.stringContaining('::1: it is not public (loopback)') },
    });
  });
});
