import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';

/** The proxy next to the service, unless a test says otherwise. */
const PROXY = '10.0.0.1';

/** Worlds with rate limits behind proxies that are trusted by this `TRUST_PROXY`. */
function behind(trustProxy: string) {
  let backend: TestBackend;
  let world: World;
  beforeAll(async () => {
    backend = await createTestBackend({ trustProxy, rateLimit: true });
    world = createWorld(backend);
  });
  afterAll(() => backend.close());

  const login = (username: string, password: string, headers: Readonly<Record<string, string>>, from = PROXY) =>
    world.call('POST', '/login', { body: { username, password }, headers, from });

  /** The network that the list of sessions shows for a login with these headers. */
  async function networkOf(headers: Readonly<Record<string, string>>, from?: string): Promise<unknown> {
    const { name } = await world.user();
    const { data } = await login(name, 'secret', headers, from);
    const sessions = await world.call('GET', '/me/sessions', { token: data['X-BB-SESSION'] });
    return sessions.data.find(({ current }: { current: boolean }) => current).network;
  }

  const call: World['call'] = (...args) => world.call(...args);
  const user = () => world.user();
  return { call, user, login, networkOf };
}

const forwardedFor = (text: string) => ({ 'x-forwarded-for': text });
const forwarded = (text: string) => ({ forwarded: text });

describe('the address of a client behind one proxy', () => {
  const { call, user, login, networkOf } = behind('on');

  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['203.0.113.7:50001', '203.0.113.0/24'],
    ['203.0.113.7:_port', '203.0.113.0/24'],
    ['"203.0.113.7"', '203.0.113.0/24'],
    ['"203.0.113.7:80"', '203.0.113.0/24'],
    ['2001:db8::7', '2001:db8::/48'],
    ['2001:DB8:0:0::7', '2001:db8::/48'],
    ['[2001:db8::7]', '2001:db8::/48'],
    ['[2001:db8::7]:50001', '2001:db8::/48'],
    ['"[2001:db8::7]:50001"', '2001:db8::/48'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['::ffff:cb00:7107', '203.0.113.0/24'],
    ['64:ff9b::203.0.113.7', '64:ff9b::/48'],
    ['fe80::7%eth0', 'fe80::/48'],
    ['198.51.100.9, 203.0.113.7', '203.0.113.0/24'],
    ['198.51.100.9,203.0.113.7:1', '203.0.113.0/24'],
    // The client is unknown, so the address of the proxy counts.
    ['unknown', '10.0.0.0/24'],
    ['198.51.100.9, unknown', '10.0.0.0/24'],
    ['_hidden', '10.0.0.0/24'],
    ['_hidden:_port', '10.0.0.0/24'],
    ['203.0.113.7.evil', '10.0.0.0/24'],
    ['[203.0.113.7]', '10.0.0.0/24'],
    ['2001:db8::7]:1', '10.0.0.0/24'],
    ['3405803783', '10.0.0.0/24'],
    ['', '10.0.0.0/24'],
  ])('is read from X-Forwarded-For: %s', async (text, network) => {
    expect(await networkOf(forwardedFor(text))).toBe(network);
  });

  it.each([
    ['for=203.0.113.7', '203.0.113.0/24'],
    ['For=203.0.113.7;proto=https;by=10.0.0.9', '203.0.113.0/24'],
    ['proto=https; for="203.0.113.7:4711" ; host="a;for=6.6.6.6"', '203.0.113.0/24'],
    ['host="a;for=6.6.6.6";for=203.0.113.7', '203.0.113.0/24'],
    ['for=203.0.113.7:4711', '203.0.113.0/24'],
    ['for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::/48'],
    ['for=198.51.100.9, for=203.0.113.7', '203.0.113.0/24'],
    ['for=198.51.100.9,,for=203.0.113.7;proto=http,', '203.0.113.0/24'],
    ['for=unknown', '10.0.0.0/24'],
    ['for=_hidden', '10.0.0.0/24'],
    ['proto=https', '10.0.0.0/24'],
    ['for=198.51.100.9, proto=https', '10.0.0.0/24'],
    // A client that opens a quote does not hide what its proxy adds.
    ['for="6.6.6.6, for=203.0.113.7', '10.0.0.0/24'],
    ['for=", for="203.0.113.7"', '10.0.0.0/24'],
    ['for="6.6.6.6, 7.7.7.7"', '10.0.0.0/24'],
    ['nonsense', '10.0.0.0/24'],
  ])('is read from Forwarded: %s', async (text, network) => {
    expect(await networkOf(forwarded(text))).toBe(network);
  });

  it('is read from X-Forwarded-For where both are present, since most proxies pass Forwarded on unchanged', async () => {
    expect(await networkOf({ ...forwardedFor('203.0.113.7'), ...forwarded('for=6.6.6.6') })).toBe('203.0.113.0/24');
  });

  it('does not depend on the port, so that limits apply to each client', async () => {
    const { name } = await user();
    const reset = (port: number) =>
      call('GET', `/user/${name}/password/reset`, { headers: forwardedFor(`203.0.113.7:${port}`), from: PROXY });
    const statuses: number[] = [];
    for (let port = 50_001; port <= 50_006; port++) statuses.push((await reset(port)).status);
    expect(statuses.slice(0, 5)).not.toContain(429);
    expect(statuses[5]).toBe(429);
  });

  it('does not depend on the port where one network guesses the passwords of many users', async () => {
    const guess = (i: number) => login(`nobody-${i}`, 'wrong', forwardedFor(`[2001:db8:9::7]:${50_000 + i}`));
    const answers = await Promise.all(Array.from({ length: 301 }, (_, i) => guess(i)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('the address of a client behind a number of proxies', () => {
  const { user, login, networkOf } = behind('2');

  it.each([
    ['198.51.100.9, 172.68.1.1', '198.51.100.0/24'],
    ['6.6.6.6, 198.51.100.9:1, [2001:db8::1]:2', '198.51.100.0/24'],
    ['198.51.100.9, unknown', '198.51.100.0/24'],
    ['unknown, 172.68.1.1', '172.68.1.0/24'],
    ['172.68.1.1', '172.68.1.0/24'],
  ])('is found that many places before the service: %s', async (text, network) => {
    expect(await networkOf(forwardedFor(text))).toBe(network);
  });

  it('is counted alone, so that one guesser behind a CDN blocks nobody else behind it', async () => {
    const { name } = await user();
    const guess = (i: number) => login(`nobody-${i}`, 'wrong', forwardedFor('198.51.100.9, 172.68.1.1'));
    const answers = await Promise.all(Array.from({ length: 301 }, (_, i) => guess(i)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect((await login(name, 'secret', forwardedFor('198.51.100.10, 172.68.1.1'))).status).toBe(200);
  });
});

describe('the address of a client behind proxies in known networks', () => {
  const { networkOf } = behind('10.0.0.0/8, 172.64.0.0/13, 2001:db8:abcd::/48, loopback');

  it.each([
    ['198.51.100.9, 172.68.1.1', '198.51.100.0/24'],
    ['198.51.100.9, 172.68.1.1:443, 127.0.0.1', '198.51.100.0/24'],
    ['198.51.100.9, [2001:db8:abcd::1]:443', '198.51.100.0/24'],
    ['198.51.100.9, ::ffff:172.68.1.1', '198.51.100.0/24'],
    ['6.6.6.6, 198.51.100.9', '198.51.100.0/24'],
    ['6.6.6.6, unknown, 172.68.1.1', '172.68.1.0/24'],
  ])('is the last one that is in none of them: %s', async (text, network) => {
    expect(await networkOf(forwardedFor(text))).toBe(network);
  });

  it('is that of the connection where no proxy sent the request', async () => {
    expect(await networkOf(forwardedFor('6.6.6.6'), '198.51.100.9')).toBe('198.51.100.0/24');
    expect(await networkOf(forwarded('for=6.6.6.6'), '198.51.100.9')).toBe('198.51.100.0/24');
    expect(await networkOf(forwardedFor('198.51.100.9'), '::ffff:10.0.0.1')).toBe('198.51.100.0/24');
  });
});

describe('the address of a client without a proxy', () => {
  const { networkOf } = behind('off');

  it('is that of the connection, whatever the client writes', async () => {
    const forged = { ...forwardedFor('6.6.6.6'), ...forwarded('for=6.6.6.6') };
    expect(await networkOf(forged, '198.51.100.9')).toBe('198.51.100.0/24');
  });
});
