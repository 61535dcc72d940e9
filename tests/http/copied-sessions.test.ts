import { createAuthenticator } from '@baobab/contracts/webauthn';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { adminOf, expectStatus, loginAs, setSettings } from '../support/people.ts';
import { createFactorCalls } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const FRESH = 10 * MINUTE;
const DAY = 24 * 60 * MINUTE;

onEveryStorage(
  'a copied session',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const mailbox = createMailbox(world);
    const passkeys = createPasskeyCalls(world);
    const factors = createFactorCalls(world, clock);

    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { 'guests.allowed': true, 'login.by.mail': true });
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
    });

    /** Asks for something that only needs a fresh login. */
    const isFresh = async (token: string) => {
      const { status, body } = await call('POST', '/me/passkeys/options', { token });
      if (status !== 200) expect(body.code).toBe('auth.fresh_login_required');
      return status === 200;
    };
    const issue = (id: string) => world.backend.networks.google.issue({ person: { id }, clientId: 'app' });
    const bySocial = async (oauth_token: string, more: object = {}): Promise<string> => {
      const body = { oauth_token, oauth_secret: 'x', ...more };
      return (await expectStatus(call('POST', '/social/google', { body }), 200)).data['X-BB-SESSION'];
    };
    const onPhone = (deviceId: string) => ({ login_data: { os: 'ios', deviceId } });

    describe('of a user of a social network', () => {
      it('is returned for the same token, and does not become fresh', async () => {
        const token = issue(world.unique('p'));
        const session = await bySocial(token);
        clock.advance(FRESH);
        expect(await bySocial(token)).toBe(session);
        expect(await isFresh(session)).toBe(false);
      });

      it('does not become fresh when another token begins a fresh one', async () => {
        const person = world.unique('p');
        const [one, two] = [issue(person), issue(person)];
        const stolen = await bySocial(one);
        clock.advance(FRESH);
        const next = await bySocial(two);
        expect([next === stolen, await isFresh(next), await isFresh(stolen)]).toEqual([false, true, false]);
        // Nor does any token that was sent before, whatever came after it.
        expect([await bySocial(one), await isFresh(stolen)]).toEqual([stolen, false]);
      });

      it('gives its token of the network to the thief, who begins no fresh session with it', async () => {
        const person = world.unique('p');
        const stolen = await bySocial(issue(person));
        const [{ token }] = (await expectStatus(call('GET', '/social', { token: stolen }), 200)).data;
        clock.advance(FRESH);
        expect(await isFresh(await bySocial(token, onPhone(world.unique('d'))))).toBe(false);
        await expectStatus(call('POST', '/logout', { token: stolen }), 200);
        const again = await bySocial(token);
        expect([again === stolen, await isFresh(again)]).toEqual([false, false]);
        clock.advance(FRESH * 2);
        expect(await isFresh(await bySocial(token))).toBe(false);
        expect(await isFresh(await bySocial(issue(person)))).toBe(true);
      });

      it('gives no fresher session with a token that linked the account', async () => {
        const { token } = await world.user();
        const proof = issue(world.unique('p'));
        await expectStatus(
          call('PUT', '/social/google', { token, body: { oauth_token: proof, oauth_secret: 'x' } }),
          200,
        );
        expect(await isFresh(await bySocial(proof))).toBe(true);
        clock.advance(FRESH);
        expect(await isFresh(await bySocial(proof))).toBe(false);
      });

      it('lasts no longer by further logins than from its beginning', async () => {
        await setSettings(world, 'Application', { 'session_tokens.lifetime': 20 });
        try {
          const token = issue(world.unique('p'));
          const session = await bySocial(token);
          clock.advance(FRESH);
          expect(await bySocial(token)).toBe(session);
          clock.advance(FRESH);
          expect((await call('GET', '/me', { token: session })).status).toBe(401);
          const next = await bySocial(token);
          expect([(await call('GET', '/me', { token: next })).status, await isFresh(next)]).toEqual([200, false]);
        } finally {
          await setSettings(world, 'Application', { 'session_tokens.lifetime': 0 });
        }
      });

      it('stays as it is when a second factor completes a login, which is fresh', async () => {
        const ann = await factors.ann();
        const proof = issue(world.unique('p'));
        const link = { oauth_token: proof, oauth_secret: 'x' };
        await expectStatus(call('PUT', '/social/google', { token: ann.token, body: link }), 200);
        clock.advance(FRESH);
        const { body } = await call('POST', '/social/google', { body: link });
        const answer = { challenge: body.challenge, code: factors.codeOf(ann) };
        const { data } = await expectStatus(factors.second(answer), 200);
        expect([await isFresh(data['X-BB-SESSION']), await isFresh(ann.token)]).toEqual([true, false]);
      });
    });

    describe('of a guest', () => {
      const guest = async () => (await expectStatus(call('POST', '/user/guest'), 201)).data['X-BB-SESSION'] as string;

      it.each<[string, (token: string) => Promise<unknown>]>([
        [
          'PUT /me/credentials',
          async (token) => {
            const body = { username: world.unique('chosen'), password: 'chosen' };
            const { data, headers } = await expectStatus(call('PUT', '/me/credentials', { token, body }), 200);
            expect(headers['x-bb-session']).toBe(data['X-BB-SESSION']);
            return data['X-BB-SESSION'];
          },
        ],
        [
          'PUT /me/password',
          async (token) =>
            (await call('PUT', '/me/password', { token, body: { new: 'first' } })).headers['x-bb-session'],
        ],
        [
          'PUT /social/:network',
          async (token) => {
            const body = { oauth_token: issue(world.unique('p')), oauth_secret: 'x' };
            return (await call('PUT', '/social/google', { token, body })).headers['x-bb-session'];
          },
        ],
        [
          'POST /me/passkeys',
          async (token) => (await passkeys.register(token, createAuthenticator())).headers['x-bb-session'],
        ],
      ])('does not become fresh by %s, which answers a session that is', async (_what, stay) => {
        const stolen = await guest();
        clock.advance(20 * DAY);
        const next = String(await stay(stolen));
        expect([await isFresh(next), await isFresh(stolen)]).toEqual([true, false]);
        const { data } = await call('GET', '/me/sessions', { token: next });
        expect(data.map(({ current }: { current: boolean }) => current).sort()).toEqual([false, true]);
      });

      it('ends by the lifetime from its beginning on, and the new one does not', async () => {
        await setSettings(world, 'Application', { 'session_tokens.lifetime': 60 });
        try {
          const stolen = await guest();
          clock.advance(DAY);
          const { headers } = await call('PUT', '/me/password', { token: stolen, body: { new: 'first' } });
          const own = String(headers['x-bb-session']);
          const [old, next] = [await call('GET', '/me', { token: stolen }), await call('GET', '/me', { token: own })];
          expect([old.status, next.status]).toEqual([401, 200]);
        } finally {
          await setSettings(world, 'Application', { 'session_tokens.lifetime': 0 });
        }
      });

      it('is answered by no other session when the user is not a guest', async () => {
        const { token } = await world.user();
        const changed = await call('PUT', '/me/password', { token, body: { old: 'secret', new: 'secret' } });
        const added = await passkeys.register(token, createAuthenticator());
        expect([changed, added].map(({ headers }) => headers['x-bb-session'])).toEqual([undefined, undefined]);
      });
    });

    describe('of any user', () => {
      it.each<[string, () => Promise<{ readonly token: string; readonly login: () => Promise<unknown> }>]>([
        [
          'a password on the same device',
          async () => {
            const { name } = await world.user();
            const phone = onPhone(world.unique('d')).login_data;
            return {
              token: await loginAs(world, name, 'secret', phone),
              login: () => loginAs(world, name, 'secret', phone),
            };
          },
        ],
        [
          'a second factor',
          async () => {
            const ann = await factors.ann();
            const login = () => expectStatus(factors.login(ann.name, { code: factors.codeOf(ann) }), 200);
            return { token: ann.token, login };
          },
        ],
        [
          'a passkey',
          async () => {
            const { token, authenticator } = await passkeys.owner();
            return { token, login: () => expectStatus(passkeys.login(authenticator), 200) };
          },
        ],
        [
          'a code in a mail',
          async () => {
            const { name, email, token } = await mailbox.verifiedUser();
            const login = async () => {
              const { data } = await expectStatus(call('POST', '/login/code', { body: { username: name } }), 200);
              const { code } = await mailbox.mailTo(email);
              const body = { challenge: data.challenge, code };
              await expectStatus(call('POST', '/login/code/confirm', { body }), 200);
            };
            return { token, login };
          },
        ],
        [
          'a sign-up that is repeated',
          async () => {
            const body = { username: world.unique('twice'), password: 'secret' };
            const headers = { 'idempotency-key': world.unique('k') };
            const login = async () => (await expectStatus(call('POST', '/user', { body, headers }), 201)).data;
            return { token: (await login())['X-BB-SESSION'], login };
          },
        ],
      ])('does not become fresh when the owner logs in with %s', async (_what, owner) => {
        const { token, login } = await owner();
        clock.advance(FRESH);
        await login();
        expect([await isFresh(token), (await call('GET', '/me', { token })).status]).toEqual([false, 200]);
      });

      it('does not become fresh by a change of the password, of a factor or of the name', async () => {
        const { token } = await world.user();
        clock.advance(FRESH);
        const renamed = { username: world.unique('renamed'), current_password: 'secret' };
        await expectStatus(call('GET', '/refresh', { token }), 200);
        await expectStatus(call('PUT', '/me/password', { token, body: { old: 'secret', new: 'secret' } }), 200);
        await expectStatus(call('PUT', '/me/username', { token, body: renamed }), 200);
        await expectStatus(call('POST', '/me/totp', { token, body: { current_password: 'secret' } }), 200);
        expect(await isFresh(token)).toBe(false);
      });

      it('of an administrator makes no administrators when the owner logs in with a social network again', async () => {
        const proof = issue(world.unique('p'));
        const stolen = await bySocial(proof);
        const { data } = await call('GET', '/me', { token: stolen });
        const role = { basic: adminOf(world), body: { role: 'administrator' } };
        await expectStatus(call('PUT', `/admin/user/${data.user.name}`, role), 200);
        clock.advance(FRESH);
        expect(await bySocial(proof)).toBe(stolen);
        const body = { username: world.unique('thief'), password: 'x', role: 'administrator' };
        expect((await call('POST', '/admin/user', { token: stolen, body })).body.code).toBe(
          'auth.fresh_login_required',
        );
      });
    });
  },
  { clock },
);
