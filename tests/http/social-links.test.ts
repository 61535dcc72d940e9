import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { APPS, logInBy, NETWORKS, type Network, setUpNetworks, startNetworks } from '../support/social.ts';

const clock = createHandDrivenClock(Date.now());
const networks = await startNetworks(clock);
afterAll(() => networks.close());

onEveryStorage(
  'links to social networks',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    beforeAll(() => setUpNetworks(world, networks));

    const issue = (network: Network, id = world.unique('person')) =>
      networks[network].issue('access token', { person: { id }, clientId: APPS[network] });
    const logIn = async (network: Network, token: string) =>
      (await expectStatus(logInBy(world, network, token), 200)).data;
    /** A new user who signed up by a network, and the session. */
    const newcomer = async (network: Network, token?: string) => {
      const data = await logIn(network, token ?? (await issue(network)));
      return { id: data.id as string, name: data.user.name as string, token: data['X-BB-SESSION'] as string };
    };
    const link = (network: string, oauth_token: string, token?: string) =>
      call('PUT', `/social/${network}`, { body: { oauth_token, oauth_secret: 'secret' }, token });
    const unlink = (network: string, token?: string) => call('DELETE', `/social/${network}`, { token });
    const linked = async (token: string) =>
      (await expectStatus(call('GET', '/social', { token }), 200)).data.map(({ from }: { from: string }) => from);
    const socialOf = async (token: string) =>
      (await call('GET', '/me', { token })).data.visibleByRegisteredUsers._social;

    describe('PUT /social/:network', () => {
      it.each(NETWORKS)(
        'links the caller to an account at %s, by which the caller can then log in',
        async (network) => {
          const [user, id] = [await world.user(), world.unique('person')];
          const token = await issue(network, id);
          const { data } = await expectStatus(link(network, token, user.token), 200);
          expect(data).toBe('');
          expect((await logIn(network, token)).id).toBe(user.id);
          expect(await socialOf(user.token)).toEqual({ [network]: { id } });
          // The rest of the profile is unchanged.
          expect((await call('GET', '/me', { token: user.token })).data.visibleByTheUser).toEqual({});
        },
      );

      it('accepts the parameters as JSON, as a form or in the query', async () => {
        const { token } = await world.user();
        const both = { oauth_token: await issue('google'), oauth_secret: 'any' };
        await expectStatus(call('PUT', '/social/google', { form: both, token }), 200);
        await expectStatus(call('PUT', `/social/google?${new URLSearchParams(both)}`, { token }), 200);
        expectFailure(await call('PUT', '/social/google', { body: { oauth_token: 'x' }, token }), 400);
        expectFailure(await call('PUT', '/social/google', { token }), 400);
      });

      it("is idempotent, and the link's session remains valid", async () => {
        const token = await issue('google');
        const user = await newcomer('google', token);
        await expectStatus(link('google', token, user.token), 200);
        expect(await newcomer('google', token)).toEqual(user);
      });

      it('replaces the linked account when another one of the same network is sent', async () => {
        const [user, ids] = [await world.user(), [world.unique('person'), world.unique('person')]];
        const tokens = await Promise.all(ids.map((id) => issue('google', id)));
        for (const token of tokens) await expectStatus(link('google', token, user.token), 200);
        const { data } = await call('GET', '/social', { token: user.token });
        expect(data.map(({ id }: { id: string }) => id)).toEqual([ids[1]]);
        expect(await socialOf(user.token)).toEqual({ google: { id: ids[1] } });
        expect((await newcomer('google', tokens[0])).id).not.toBe(user.id);
      });

      it('is 500 when the account is linked to another user, and changes nothing', async () => {
        const token = await issue('google');
        const [ann, bob] = [await newcomer('google', token), await world.user()];
        expectFailure(await link('google', token, bob.token), 500, [token]);
        expectFailure(await call('GET', '/social', { token: bob.token }), 404);
        expect(await socialOf(bob.token)).toBeUndefined();
        expect((await logIn('google', token)).id).toBe(ann.id);
        // Nor does it replace their own link.
        await expectStatus(link('google', await issue('google'), bob.token), 200);
        const before = await call('GET', '/social', { token: bob.token });
        expectFailure(await link('google', token, bob.token), 500);
        expect((await call('GET', '/social', { token: bob.token })).data).toEqual(before.data);
      });

      it('links one account for exactly one of many concurrent users', async () => {
        const [token, users] = [
          await issue('facebook'),
          await Promise.all(Array.from({ length: 8 }, () => world.user())),
        ];
        const answers = await Promise.all(users.map((user) => link('facebook', token, user.token)));
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 500)]);
        const winner = users[answers.findIndex(({ status }) => status === 200)];
        expect((await logIn('facebook', token)).id).toBe(winner?.id);
      });

      it('leaves one user for an account that concurrently logs in for the first time', async () => {
        for (let round = 0; round < 5; round++) {
          const [token, user] = [await issue('google'), await world.user()];
          const [answer, ...others] = await Promise.all([
            link('google', token, user.token),
            ...Array.from({ length: 5 }, () => logIn('google', token)),
          ]);
          const ids = new Set(others.map(({ id }) => id));
          expect(ids.size).toBe(1);
          expect([...ids][0] === user.id).toBe(answer.status === 200);
        }
      });

      it('is 401 for a rejected token, 404 and 400 for networks that are unknown or switched off', async () => {
        const { token } = await world.user();
        expectFailure(await link('google', 'made-up', token), 401, ['made-up']);
        expectFailure(await link('twitter', 'x', token), 404);
        await setSettings(world, 'Social', { 'social.openid.enabled': false });
        expectFailure(await link('openid', await issue('openid'), token), 400);
        expectFailure(await unlink('openid', token), 400);
        await setSettings(world, 'Social', { 'social.openid.enabled': true });
        expectFailure(await call('GET', '/social', { token }), 404);
      });
    });

    describe('DELETE /social/:network', () => {
      it('removes the link; the session continues, and the account signs up anew', async () => {
        const [user, token] = [await world.user(), await issue('google')];
        await expectStatus(link('google', token, user.token), 200);
        await expectStatus(link('facebook', await issue('facebook'), user.token), 200);
        const session = (await logIn('google', token))['X-BB-SESSION'];
        const { data } = await expectStatus(unlink('google', user.token), 200);
        expect([data, await linked(user.token)]).toEqual(['', ['facebook']]);
        expect(Object.keys(await socialOf(user.token))).toEqual(['facebook']);
        expect((await call('GET', '/me', { token: session })).status).toBe(200);
        const next = await logIn('google', token);
        expect(next.id).not.toBe(user.id);
        expect(next['X-BB-SESSION']).not.toBe(session);
        await expectStatus(unlink('facebook', user.token), 200);
        expect(await socialOf(user.token)).toBeUndefined();
      });

      it('is 400 when there is no such link, 404 when there is no such network', async () => {
        const { token } = await world.user();
        expectFailure(await unlink('google', token), 400);
        await expectStatus(link('facebook', await issue('facebook'), token), 200);
        expectFailure(await unlink('google', token), 400);
        expectFailure(await unlink('twitter', token), 404);
      });

      it('is 500 for the only link of a user without a password, whatever the name', async () => {
        const user = await newcomer('google');
        expectFailure(await unlink('google', user.token), 500);
        const username = world.unique('chosen');
        await expectStatus(call('PUT', '/me', { body: { username }, token: user.token }), 200);
        expectFailure(await unlink('google', user.token), 500);
        expect(await linked(user.token)).toEqual(['google']);
        await expectStatus(link('facebook', await issue('facebook'), user.token), 200);
        await expectStatus(unlink('google', user.token), 200);
        expectFailure(await unlink('facebook', user.token), 500);
      });

      it('succeeds once the user has a password', async () => {
        const user = await newcomer('google');
        const options = { basic: adminOf(world), body: { password: 'secret' } };
        await expectStatus(call('PUT', `/admin/user/${user.name}/password`, options), 200);
        await expectStatus(call('DELETE', '/social/google', { basic: [user.name, 'secret'] }), 200);
      });

      it('keeps one link when a user without a password removes all of them at once', async () => {
        const user = await newcomer('google');
        for (const network of ['facebook', 'openid'] as const) {
          await expectStatus(link(network, await issue(network), user.token), 200);
        }
        const answers = await Promise.all(NETWORKS.map((network) => unlink(network, user.token)));
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 500]);
        expect(await linked(user.token)).toHaveLength(1);
      });
    });

    describe('GET /social', () => {
      it('lists the links with all their data, by network', async () => {
        const user = await world.user();
        const person = {
          id: world.unique('person'),
          email: 'ann@example.com',
          name: 'Ann',
          avatarUrl: 'https://example.com/ann.png',
          pageUrl: 'https://example.com/ann',
        };
        const google = await networks.google.issue('access token', { person, clientId: APPS.google });
        const id = world.unique('person');
        const facebook = await issue('facebook', id);
        await expectStatus(link('google', google, user.token), 200);
        await expectStatus(link('facebook', facebook, user.token), 200);
        const { data, headers } = await expectStatus(call('GET', '/social', { token: user.token }), 200);
        const { avatarUrl, email, name, pageUrl } = person;
        const common = { username: user.name, password: null, secret: 'secret' };
        const nothing = { email: null, name: null, avatarUrl: null, personal_url: null };
        const all = { email, name, avatarUrl, personal_url: pageUrl };
        expect(data).toEqual([
          { ...common, from: 'facebook', token: facebook, id, additionalData: nothing },
          { ...common, from: 'google', token: google, id: person.id, additionalData: all },
        ]);
        expect(headers['cache-control']).toBe('no-store');
      });

      it('shows the tokens that were sent last', async () => {
        const id = world.unique('person');
        const user = await newcomer('google', await issue('google', id));
        const later = await issue('google', id);
        await logIn('google', later);
        const { data } = await call('GET', '/social', { token: user.token });
        expect([data[0].token, data[0].secret]).toEqual([later, later]);
      });

      it('shows links to their user only, and is 404 when there are none', async () => {
        await newcomer('google');
        const { token } = await world.user();
        expectFailure(await call('GET', '/social', { token }), 404);
        expectFailure(await call('GET', '/social', { token: await world.admin() }), 404);
      });
    });

    it('require a session and the application code: 401 without one, 400 for a wrong code', async () => {
      const { token } = await newcomer('google');
      for (const [method, url] of [
        ['GET', '/social'],
        ['PUT', '/social/google'],
        ['DELETE', '/social/google'],
      ] as const) {
        const body = method === 'PUT' ? { oauth_token: await issue('google'), oauth_secret: 'x' } : undefined;
        expectFailure(await call(method, url, { body }), 401);
        expectFailure(await call(method, url, { body, token: 'stale' }), 401);
        expectFailure(await call(method, url, { body, token, appCode: null }), 401);
        expectFailure(await call(method, url, { body, appCode: null }), 401);
        expectFailure(await call(method, url, { body, token, appCode: 'wrong' }), 400);
        expectFailure(await call(method, url, { body, basic: ['nobody', 'wrong'] }), 401);
      }
      expect(await linked(token)).toEqual(['google']);
    });

    it('survive concurrent changes of the profile, and do not undo them', async () => {
      const { token } = await world.user();
      await expectStatus(link('facebook', await issue('facebook'), token), 200);
      for (let round = 0; round < 10; round++) {
        const person = await issue('google');
        const change = (i: number) =>
          call('PUT', '/me', { token, body: { visibleByRegisteredUsers: { i, round, _social: {} } } });
        await Promise.all([change(0), change(1), link('google', person, token), change(2)]);
        const { data } = await call('GET', '/me', { token });
        expect(Object.keys(data.visibleByRegisteredUsers._social).toSorted()).toEqual(['facebook', 'google']);
        expect(data.visibleByRegisteredUsers.round).toBe(round);
        await Promise.all([change(3), unlink('google', token), change(4)]);
        expect(Object.keys(await socialOf(token))).toEqual(['facebook']);
      }
    });

    it('are removed with their user', async () => {
      const token = await issue('google');
      const user = await world.user();
      await expectStatus(link('google', token, user.token), 200);
      await expectStatus(call('DELETE', `/admin/user/${user.name}`, { basic: adminOf(world) }), 200);
      const other = await world.user();
      await expectStatus(link('google', token, other.token), 200);
    });
  },
  { clock, networkUrls: networks.urls },
);
