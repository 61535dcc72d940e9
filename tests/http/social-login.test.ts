import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs } from '../support/people.ts';
import { APPS, logInBy, NETWORKS, type Network, setUpNetworks, startNetworks } from '../support/social.ts';

const clock = createHandDrivenClock(Date.now());
const networks = await startNetworks(clock);
afterAll(() => networks.close());

onEveryStorage(
  'log-in by social networks',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const statusOf = async (token: string) => (await call('GET', '/me', { token })).status;
    const tokenOf = (data: Record<string, string>) => data['X-BB-SESSION'] as string;

    beforeAll(() => setUpNetworks(world, networks));

    /** A token for a new account at the network, or for this one. */
    const issue = (network: Network, id = world.unique('person'), kind = 'access token') =>
      networks[network].issue(kind, { person: { id, name: `Name of ${id}` }, clientId: APPS[network] });
    const logIn = async (network: Network, token: string, body: object = {}) =>
      (await expectStatus(logInBy(world, network, token, { body }), 200)).data;
    const countUsers = async () => {
      const { data } = await call('GET', '/users?count=true', { basic: adminOf(world) });
      return data[0]?.count ?? data.count;
    };

    it.each(NETWORKS)('signs up and logs in a new user at %s', async (network) => {
      const person = {
        id: world.unique('person'),
        email: 'ann@example.com',
        name: 'Ann 😀',
        avatarUrl: 'https://example.com/ann.png',
        pageUrl: 'https://example.com/ann',
      };
      const token = await networks[network].issue('access token', { person, clientId: APPS[network] });
      const { data, headers } = await expectStatus(logInBy(world, network, token), 200);
      const { avatarUrl, email, name } = person;
      expect(data).toEqual({
        user: {
          name: expect.stringMatching(/^user-[a-z0-9_-]{22}$/),
          status: 'ACTIVE',
          roles: [{ name: 'registereduser' }],
        },
        id: expect.any(String),
        visibleByTheUser: { email, name, avatarUrl, personal_url: person.pageUrl },
        visibleByFriend: {},
        visibleByRegisteredUsers: { _social: { [network]: { id: person.id } } },
        visibleByAnonymousUsers: {},
        signUpDate: expect.any(String),
        generated_username: true,
        email_verified: false,
        'X-BB-SESSION': headers['x-bb-session'],
        client: expect.stringMatching(/^[\w-]{44}$/),
      });
      const { data: me } = await expectStatus(call('GET', '/me', { token: tokenOf(data) }), 200);
      expect(data).toMatchObject({ ...me, 'X-BB-SESSION': tokenOf(data) });
    });

    it('accepts the parameters as JSON, as a form, in the query, or split between them', async () => {
      const token = await issue('google');
      const both = { oauth_token: token, oauth_secret: 'any' };
      const query = new URLSearchParams(both);
      const accessPaths = [
        call('POST', '/social/google', { body: both }),
        call('POST', '/social/google', { form: both }),
        call('POST', `/social/google?${query}`),
        call('POST', `/social/google?${query}`, { body: '' }),
        call('POST', '/social/google?oauth_secret=any', { body: { oauth_token: token } }),
        call('POST', `/social/google?oauth_token=${token}`, { form: { oauth_secret: 'any' } }),
        call('POST', '/social/google?oauth_token=wrong', { body: both }),
        call('POST', `/social/google?${query}`, { headers: { 'content-type': 'application/json' } }),
      ];
      const ids = (await Promise.all(accessPaths.map((way) => expectStatus(way, 200)))).map(({ data }) => data.id);
      expect(new Set(ids).size).toBe(1);
    });

    describe('for an existing user', () => {
      it('returns the session of the token while it lasts, also after another token, and counts that as use', async () => {
        const person = world.unique('person');
        const [one, two] = [await issue('google', person), await issue('google', person)];
        const first = await logIn('google', one);
        clock.advance(6 * MINUTE);
        const second = await logIn('google', two);
        clock.advance(6 * MINUTE);
        const again = [await logIn('google', one), await logIn('google', two)];
        clock.advance(8 * MINUTE);
        again.push(await logIn('google', one));
        expect(again.map(tokenOf)).toEqual([first, second, first].map(tokenOf));
        expect(await Promise.all([first, second].map((data) => statusOf(tokenOf(data))))).toEqual([200, 200]);
      });

      it('begins a session of its own for each other token of the same user', async () => {
        const person = world.unique('person');
        const logins = [
          await logIn('google', await issue('google', person)),
          await logIn('google', await issue('google', person)),
          await logIn('google', await issue('google', person, 'id_token')),
        ];
        expect(new Set(logins.map(({ id }) => id)).size).toBe(1);
        expect(new Set(logins.map(tokenOf)).size).toBe(3);
        expect(await Promise.all(logins.map((data) => statusOf(tokenOf(data))))).toEqual([200, 200, 200]);
      });

      it('begins a new session when the old one has ended or expired', async () => {
        const token = await issue('facebook');
        const tokens = [tokenOf(await logIn('facebook', token))];
        await expectStatus(call('POST', '/logout', { token: tokens[0] }), 200);
        tokens.push(tokenOf(await logIn('facebook', token)));
        clock.advance(20 * MINUTE);
        tokens.push(tokenOf(await logIn('facebook', token)));
        expect(new Set(tokens).size).toBe(3);
        expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401, 200]);
      });

      it('begins one new session, however many requests arrive at once', async () => {
        const token = await issue('openid');
        await expectStatus(call('POST', '/logout', { token: tokenOf(await logIn('openid', token)) }), 200);
        const all = await Promise.all(Array.from({ length: 20 }, () => logIn('openid', token)));
        expect(new Set(all.map(tokenOf)).size).toBe(1);
      });

      it('does not affect other sessions of the user', async () => {
        const token = await issue('google');
        const { user, ...first } = await logIn('google', token);
        const password = { basic: adminOf(world), body: { password: 'secret' } };
        await expectStatus(call('PUT', `/admin/user/${user.name}/password`, password), 200);
        const byPassword = await loginAs(world, user.name);
        const again = await logIn('google', token);
        expect([byPassword, tokenOf(first)]).not.toContain(tokenOf(again));
        expect(await statusOf(byPassword)).toBe(200);
      });

      it('is rejected while the user is suspended, and creates nobody', async () => {
        const token = await issue('google');
        const { user, ...first } = await logIn('google', token);
        await expectStatus(call('PUT', `/admin/user/suspend/${user.name}`, { basic: adminOf(world) }), 200);
        const before = await countUsers();
        expectFailure(await logInBy(world, 'google', token), 401, [token]);
        expect([await statusOf(tokenOf(first)), await countUsers()]).toEqual([401, before]);
        await expectStatus(call('PUT', `/admin/user/activate/${user.name}`, { basic: adminOf(world) }), 200);
        expect((await logIn('google', token)).id).toBe(first.id);
      });

      it('creates a new user after the old one was removed', async () => {
        const token = await issue('google');
        const { user, id } = await logIn('google', token);
        await expectStatus(call('DELETE', `/admin/user/${user.name}`, { basic: adminOf(world) }), 200);
        const again = await logIn('google', token);
        expect(again.id).not.toBe(id);
        expect(await statusOf(tokenOf(again))).toBe(200);
      });
    });

    describe('with login_data', () => {
      const devicesOf = async (token: string) =>
        (await call('GET', '/me/sessions', { token })).data.map(({ device }: { device: unknown }) => device);

      it('registers the device, in every form that a login accepts', async () => {
        for (const how of ['object', 'text', 'form', 'query'] as const) {
          const [token, deviceId] = [await issue('google'), world.unique('phone')];
          const login_data = JSON.stringify({ os: 'ios', deviceId });
          const tokens = { oauth_token: token, oauth_secret: token };
          const accessPaths = {
            object: { body: { ...tokens, login_data: { os: 'ios', pushToken: deviceId } } },
            text: { body: { ...tokens, login_data } },
            form: { form: { ...tokens, login_data } },
            query: {},
          };
          const query = how === 'query' ? `?${new URLSearchParams({ ...tokens, login_data })}` : '';
          const { data } = await expectStatus(call('POST', `/social/google${query}`, accessPaths[how]), 200);
          expect(await devicesOf(tokenOf(data))).toEqual([{ id: deviceId, os: 'ios' }]);
        }
      });

      it('continues the session of that device, and begins another one for a new device', async () => {
        const token = await issue('google');
        const [mine, other] = [world.unique('phone'), world.unique('phone')];
        const on = (deviceId: string) => logIn('google', token, { login_data: { os: 'android', deviceId } });
        const first = tokenOf(await on(mine));
        expect(tokenOf(await on(mine))).toBe(first);
        const second = tokenOf(await on(other));
        expect(second).not.toBe(first);
        expect(await Promise.all([first, second].map(statusOf))).toEqual([200, 200]);
        expect((await devicesOf(second)).map(({ id }: { id: string }) => id).toSorted()).toEqual(
          [mine, other].toSorted(),
        );
      });

      it('is 400 when it is invalid, and creates nobody', async () => {
        const before = await countUsers();
        for (const login_data of ['{', { os: 'windows', deviceId: 'x' }, { os: 'ios' }, 1]) {
          expectFailure(await logInBy(world, 'google', await issue('google'), { body: { login_data } }), 400);
        }
        expect(await countUsers()).toBe(before);
      });
    });

    it('identifies accounts by their id at the network, never by their address', async () => {
      const email = `${world.unique('mail')}@example.com`;
      const owner = await world.user();
      await expectStatus(call('PUT', '/me', { token: owner.token, body: { visibleByTheUser: { email } } }), 200);
      const ids = [owner.id];
      for (const network of NETWORKS) {
        const person = { id: world.unique('person'), email };
        ids.push((await logIn(network, await networks[network].issue('id', { person, clientId: APPS[network] }))).id);
      }
      // The same id at two networks is two accounts.
      const id = world.unique('person');
      for (const network of NETWORKS) ids.push((await logIn(network, await issue(network, id))).id);
      expect(new Set(ids).size).toBe(7);
    });

    it('creates one user when fifty first log-ins of an account arrive at once', async () => {
      for (const network of NETWORKS) {
        const before = await countUsers();
        const token = await issue(network);
        const login = (i: number) => (i % 2 === 0 ? {} : { login_data: { os: 'ios', deviceId: `${token}-${i % 5}` } });
        const all = await Promise.all(Array.from({ length: 50 }, (_, i) => logIn(network, token, login(i))));
        expect(new Set(all.map(({ id }) => id)).size).toBe(1);
        expect(await countUsers()).toBe(before + 1);
        expect(new Set(await Promise.all(all.map((data) => statusOf(tokenOf(data)))))).toEqual(new Set([200]));
      }
    });

    it('does not let clients change the ids at networks', async () => {
      const [token, id] = [await issue('google'), world.unique('person')];
      const session = { token: tokenOf(await logIn('google', token)) };
      const shown = async () => (await call('GET', '/me', session)).data.visibleByRegisteredUsers;
      const before = await shown();
      for (const visibleByRegisteredUsers of [{}, { a: 1 }, { _social: { google: { id } }, '2': 1, a: 1.5e3 }]) {
        await expectStatus(call('PUT', '/me', { ...session, body: { visibleByRegisteredUsers } }), 200);
        expect(await shown()).toEqual({ ...visibleByRegisteredUsers, ...before });
      }
      const { data } = await call('GET', '/me', session);
      const options = { basic: adminOf(world), body: { visibleByRegisteredUsers: { b: 2 }, role: 'BackOffice' } };
      await expectStatus(call('PUT', `/admin/user/${data.user.name}`, options), 200);
      expect(await shown()).toEqual({ b: 2, ...before });
      await expectStatus(call('PUT', '/me', { ...session, body: { visibleByFriend: { c: 3 } } }), 200);
      expect(await shown()).toEqual({ b: 2, ...before });
    });

    it('lets the new user choose a name once', async () => {
      const session = { token: tokenOf(await logIn('google', await issue('google'))) };
      const username = world.unique('chosen');
      const { data } = await expectStatus(call('PUT', '/me', { ...session, body: { username } }), 200);
      expect([data.user.name, data.generated_username]).toEqual([username, false]);
      expectFailure(await call('POST', '/login', { body: { username, password: '' } }), 401);
    });

    it('ignores expired credentials, which clients may send along', async () => {
      for (const options of [{ token: 'stale' }, { basic: ['nobody', 'wrong'] as const }]) {
        await expectStatus(logInBy(world, 'google', await issue('google'), options), 200);
      }
      const { token, id } = await world.user();
      const { data } = await expectStatus(logInBy(world, 'google', await issue('google'), { token }), 200);
      expect(data.id).not.toBe(id);
    });
  },
  { clock, networkUrls: networks.urls },
);
