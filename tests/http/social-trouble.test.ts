import { SLOW_TROUBLES, type StandIn, TROUBLES } from '@baobab/contracts/oauth';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs } from '../support/people.ts';
import { APPS, logInBy, NETWORKS, type Network, setUpNetworks, startNetworks } from '../support/social.ts';

const clock = createHandDrivenClock(Date.now());
const networks = await startNetworks(clock);
afterAll(() => networks.close());

const issue = (network: Network, id: string) =>
  networks[network].issue('access token', { person: { id }, clientId: APPS[network] });

onEveryStorage(
  'unavailable social networks',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    beforeAll(() => setUpNetworks(world, networks));

    const countUsers = async () => (await call('GET', '/users?count=true', { basic: adminOf(world) })).text;

    it.each(TROUBLES.filter((trouble) => !SLOW_TROUBLES.includes(trouble)))(
      'give log-ins and links a 503: one %s',
      async (trouble) => {
        const { name } = await world.user();
        const before = await countUsers();
        for (const network of NETWORKS) {
          const { standIn } = networks[network];
          const token = await issue(network, world.unique('person'));
          // Cached keys need no request: they are fetched again after some time.
          clock.advance(61 * MINUTE);
          const session = await loginAs(world, name);
          standIn.trouble = trouble;
          const body = { oauth_token: token, oauth_secret: token };
          const answers = [
            await logInBy(world, network, token),
            await call('PUT', `/social/${network}`, { body, token: session }),
          ];
          standIn.trouble = null;
          for (const answer of answers) {
            expectFailure(answer, 503, [token]);
            expect(answer.headers['retry-after']).toBe('1');
          }
          expectFailure(await call('GET', '/social', { token: session }), 404);
        }
        expect(await countUsers()).toBe(before);
        for (const network of NETWORKS) {
          await expectStatus(logInBy(world, network, await issue(network, world.unique('person'))), 200);
        }
      },
    );

    it('that do not answer delay neither other users nor other networks', async () => {
      const { standIn } = networks.google;
      const user = await world.user();
      const tokens = await Promise.all(Array.from({ length: 300 }, () => issue('google', world.unique('person'))));
      const before = standIn.requests.length;
      standIn.trouble = 'says nothing';
      let settled = 0;
      const waiting = tokens.map(async (token) => {
        const { status } = await logInBy(world, 'google', token);
        settled++;
        return status;
      });
      await expect.poll(() => standIn.requests.length - before).toBeGreaterThan(20);
      // 256 are in progress, the others were rejected immediately.
      await expect.poll(() => settled).toBe(44);
      for (let i = 0; i < 20; i++) {
        await expectStatus(call('GET', '/me', { token: user.token }), 200);
        await loginAs(world, user.name);
        await expectStatus(logInBy(world, 'facebook', await issue('facebook', world.unique('person'))), 200);
        await expectStatus(logInBy(world, 'openid', await issue('openid', world.unique('person'))), 200);
      }
      // None of them waited for those, which are all still in progress.
      expect(settled).toBe(44);
      standIn.trouble = 'cuts the connection';
      standIn.cut();
      expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]));
      standIn.trouble = null;
      await expectStatus(logInBy(world, 'google', tokens[0] as string), 200);
    });
  },
  // Nothing times out, even if a busy machine takes minutes for the requests that must not wait.
  { clock, networkUrls: networks.urls, networkTimeLimit: 3_600_000 },
);

describe('networks that never answer', () => {
  let backend: TestBackend;
  let world: World;
  beforeAll(async () => {
    backend = await createTestBackend({ clock, networkUrls: networks.urls });
    world = createWorld(backend);
    await setUpNetworks(world, networks);
  });
  afterAll(() => backend.close());

  it('time out after some seconds', async () => {
    const tokens = await Promise.all(NETWORKS.map((network) => issue(network, world.unique('person'))));
    const all: StandIn[] = NETWORKS.map((network) => networks[network].standIn);
    for (const [i, standIn] of all.entries()) standIn.trouble = SLOW_TROUBLES[i] ?? null;
    const started = performance.now();
    const answers = await Promise.all(NETWORKS.map((network, i) => logInBy(world, network, tokens[i] as string)));
    const took = performance.now() - started;
    for (const standIn of all) standIn.trouble = null;
    for (const answer of answers) expectFailure(answer, 503, tokens);
    expect(took).toBeGreaterThan(4000);
    expect(took).toBeLessThan(60_000);
  });
});
