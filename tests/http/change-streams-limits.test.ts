import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { until } from '../support/patience.ts';
import { openSocket } from '../support/sockets.ts';
import { openStream, type StreamClient } from '../support/streams.ts';

/** Of these one network can have 5, and users can have 18. */
const MAX_STREAMS = 20;

/** A world whose streams are opened through a proxy that names the client. */
function behind(trustProxy: string) {
  let backend: TestBackend;
  let world: World;
  let address: string;
  const open: StreamClient[] = [];
  beforeAll(async () => {
    backend = await createTestBackend({ trustProxy, maxStreams: MAX_STREAMS });
    world = createWorld(backend);
    address = `http://127.0.0.1:${await openSocket(backend.app)}`;
  });
  afterEach(async () => {
    for (const stream of open.splice(0)) stream.close();
    await until(async () => {
      const { text } = await world.call('GET', '/metrics', { token: await world.admin() });
      return /^baobab_changes_streams 0$/m.test(text);
    });
  });
  afterAll(() => backend.close());

  /** Opens a stream for a client with this address. Resolves to the status, or to the code of the refusal. */
  async function outcome(client: string, token: string): Promise<number | string> {
    const headers = { 'x-forwarded-for': client };
    const stream = await openStream(address, '', { token, appCode: backend.appCode, headers });
    open.push(stream);
    if (stream.status === 200) return 200;
    expect(Number(stream.headers.get('retry-after'))).toBeGreaterThan(0);
    return `${stream.status} ${stream.failure.code}`;
  }

  /** The outcomes for as many clients of a network as given, each with another account. */
  async function outcomes(network: string, count: number): Promise<Array<number | string>> {
    const all: Array<number | string> = [];
    for (let n = 1; n <= count; n++) all.push(await outcome(`${network}${n}`, await user()));
    return all;
  }

  const user = async () => (await world.user()).token;
  const admin = () => world.admin();
  const closeFirst = () => open[0]?.close();
  return { outcome, outcomes, user, admin, closeFirst };
}

const OPENED = [200, 200, 200, 200, 200];
const FROM_NETWORK = '429 changes.too_many_from_network';

describe('behind a trusted proxy', () => {
  const { outcome, outcomes, user, admin, closeFirst } = behind('on');

  it.each([
    ['IPv4 /24', '203.0.113.', '203.0.113.200', '203.0.114.1'],
    ['IPv6 /48', '2001:db8:1:1::', '2001:db8:1:2::1', '2001:db8:2:1::1'],
  ])('one network (%s) has a quarter of the streams, however many accounts it has', async (_, same, near, other) => {
    expect(await outcomes(same, 6)).toEqual([...OPENED, FROM_NETWORK]);
    expect(await outcome(near, await user())).toBe(FROM_NETWORK);
    expect(await outcome(other, await user())).toBe(200);
  });

  it('one address with many accounts has no more, and a further stream once one has ended', async () => {
    const address = '198.51.100.7';
    for (const expected of [...OPENED, FROM_NETWORK]) expect(await outcome(address, await user())).toBe(expected);
    closeFirst();
    const token = await user();
    await until(async () => (await outcome(address, token)) === 200);
  });

  it('administrators are not held back by their network, and take nothing from it', async () => {
    const token = await admin();
    for (let n = 0; n < 3; n++) expect(await outcome('203.0.113.9', token)).toBe(200);
    expect(await outcomes('203.0.113.', 6)).toEqual([...OPENED, FROM_NETWORK]);
    expect(await outcome('203.0.113.9', token)).toBe(200);
  });

  it('the last tenth of the streams is for administrators', async () => {
    for (const network of ['10.1.1.', '10.1.2.', '10.1.3.']) expect(await outcomes(network, 5)).toEqual(OPENED);
    const full = '503 changes.unavailable';
    expect(await outcomes('10.1.4.', 4)).toEqual([200, 200, 200, full]);
    const token = await admin();
    expect([await outcome('10.1.5.1', token), await outcome('10.1.5.1', token)]).toEqual([200, 200]);
    expect(await outcome('10.1.5.1', token)).toBe(full);
    expect(await outcome('10.1.6.1', await user())).toBe(full);
  });
});

describe('behind a proxy that is not trusted', () => {
  const { outcome, outcomes, user } = behind('off');

  it('all clients are one network', async () => {
    expect(await outcomes('203.0.113.', 5)).toEqual(OPENED);
    expect(await outcome('198.51.100.7', await user())).toBe(FROM_NETWORK);
  });
});
