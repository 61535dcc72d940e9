import { tokenSignedWithText, unsignedToken } from '@baobab/contracts/oauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { APPS, logInBy, NETWORKS, type Network, setUpNetworks, startNetworks } from '../support/social.ts';

const clock = createHandDrivenClock(Date.now());
const networks = await startNetworks(clock);
afterAll(() => networks.close());

onEveryStorage(
  'rejected log-ins by social networks',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);

    beforeAll(() => setUpNetworks(world, networks));

    /** A token for a new account at the network, or for this one. */
    const issue = (network: Network, id = world.unique('person'), kind = 'access token') =>
      networks[network].issue(kind, { person: { id, name: `Name of ${id}` }, clientId: APPS[network] });
    const countUsers = async () => {
      const { data } = await call('GET', '/users?count=true', { basic: adminOf(world) });
      return data[0]?.count ?? data.count;
    };

    describe('no user was created', () => {
      /** The rejected token, and the failure. */
      const refusals: Record<string, (network: Network) => Promise<string>> = {
        'for another app': (network) =>
          networks[network].issue('access token', { person: { id: world.unique('p') }, clientId: 'another-app' }),
        'that has expired': (network) =>
          networks[network].issue('access token', {
            person: { id: world.unique('p') },
            clientId: APPS[network],
            expires: clock.now() - 10 * MINUTE,
          }),
        'that is invented': async () => 'ya29.made-up',
      };
      const forged: Record<string, (network: 'google' | 'openid') => Promise<string>> = {
        'of another issuer': async (network) => {
          const from = network === 'google' ? 'openid' : 'google';
          return networks[from].issue('id_token', { person: { id: world.unique('p') }, clientId: APPS[network] });
        },
        'without a signature': async (network) =>
          unsignedToken(
            networks[network].claims({ person: { id: world.unique('p') }, clientId: APPS[network] }),
            'none',
          ),
        'with the public key as the key of a MAC': async (network) => {
          const claims = networks[network].claims({ person: { id: world.unique('p') }, clientId: APPS[network] });
          const [key] = networks[network].keys;
          return tokenSignedWithText(claims, key?.publicPem ?? '', key?.kid ?? '');
        },
        'for another app': (network) =>
          networks[network].issue('id_token', { person: { id: world.unique('p') }, clientId: 'another-app' }),
        'that has expired': (network) =>
          networks[network].issue('id_token', {
            person: { id: world.unique('p') },
            clientId: APPS[network],
            expires: clock.now() - 10 * MINUTE,
          }),
      };
      const cases = [
        ...NETWORKS.flatMap((network) =>
          Object.entries(refusals).map(([what, make]) => [what, network, make] as const),
        ),
        ...(['google', 'openid'] as const).flatMap((network) =>
          Object.entries(forged).map(([what, make]) => [`(id_token) ${what}`, network, make] as const),
        ),
      ];

      it.each(cases)('rejects a token %s, at %s: 401', async (_what, network, make) => {
        const before = await countUsers();
        const token = await make(network as 'google');
        expectFailure(await logInBy(world, network, token), 401, [token]);
        expect(await countUsers()).toBe(before);
      });
    });

    describe('is rejected', () => {
      it.each([
        {},
        { oauth_token: 'x' },
        { oauth_secret: 'x' },
        { oauth_token: '', oauth_secret: 'x' },
        { oauth_token: 'x', oauth_secret: '' },
        { oauth_token: null, oauth_secret: 'x' },
        { oauth_token: 1, oauth_secret: 'x' },
        { oauth_token: ['x'], oauth_secret: 'x' },
        { oauth_token: 'x', oauth_secret: 'x', nonce: 1 },
        { oauth_token: 'x'.repeat(8193), oauth_secret: 'x' },
        [],
        'x',
      ])('with 400 when a parameter is missing or invalid: %j', async (body) => {
        expectFailure(await call('POST', '/social/google', { body: JSON.stringify(body) }), 400);
      });

      it('with 400 when all parameters are missing, or one is repeated', async () => {
        expectFailure(await call('POST', '/social/google'), 400);
        expectFailure(await call('POST', '/social/google?oauth_token=a&oauth_token=b&oauth_secret=c'), 400);
      });

      it('with 401 without an application code, and 400 with a wrong one', async () => {
        const token = await issue('google');
        expectFailure(await logInBy(world, 'google', token, { appCode: null }), 401);
        expectFailure(await logInBy(world, 'google', token, { appCode: 'wrong' }), 400);
        const query = `?X-SERVICE-APPCODE=${world.backend.appCode}&oauth_token=${token}&oauth_secret=x`;
        await expectStatus(call('POST', `/social/google${query}`, { appCode: null }), 200);
      });

      it('with 404 when the network is unknown, and 400 when it is switched off', async () => {
        for (const network of ['twitter', 'Google', '_', 'constructor', '__proto__']) {
          expectFailure(await logInBy(world, network, 'x'), 404);
        }
        const token = await issue('google');
        await setSettings(world, 'Social', { 'social.google.enabled': false });
        expectFailure(await logInBy(world, 'google', token), 400);
        await setSettings(world, 'Social', { 'social.google.enabled': true });
        await expectStatus(logInBy(world, 'google', token), 200);
      });

      it('with 503 when the network is not configured', async () => {
        for (const [network, key, value] of [
          ['google', 'token', APPS.google],
          ['openid', 'issuer', networks.openid.issuer],
        ] as const) {
          const token = await issue(network);
          await setSettings(world, 'Social', { [`social.${network}.${key}`]: '' });
          const answer = await logInBy(world, network, token);
          expectFailure(answer, 503, [token]);
          expect(answer.text).toContain(`social.${network}.${key}`);
          await setSettings(world, 'Social', { [`social.${network}.${key}`]: value });
        }
      });
    });
  },
  { clock, networkUrls: networks.urls },
);
