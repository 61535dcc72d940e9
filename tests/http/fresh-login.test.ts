import { expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { codeAt, createFactorCalls, expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const FRESH = 10 * MINUTE;

interface Owner {
  readonly name: string;
  readonly token: string;
}

onEveryStorage(
  'a fresh login',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const { ann } = createFactorCalls(world, clock);

    const setPassword = (token: string, body: object) => call('PUT', '/me/password', { token, body });
    /** Proof of another person of a social network. */
    async function proof() {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      const person = { id: world.unique('p') };
      return { oauth_token: world.backend.networks.google.issue({ person, clientId: 'app' }), oauth_secret: 'x' };
    }
    /** Calls that need a fresh login, with their user. */
    const changes: ReadonlyArray<
      readonly [string, () => Promise<Owner>, (owner: Owner, body: object) => Promise<Answer>]
    > = [
      [
        'PUT /social/:network',
        () => world.user(),
        async ({ token }, body) => call('PUT', '/social/google', { token, body: { ...(await proof()), ...body } }),
      ],
      [
        'DELETE /social/:network',
        async () => {
          const user = await world.user();
          await expectStatus(call('PUT', '/social/google', { token: user.token, body: await proof() }), 200);
          return user;
        },
        ({ token }, body) => call('DELETE', '/social/google', { token, body }),
      ],
      ['POST /me/totp', () => world.user(), ({ token }, body) => call('POST', '/me/totp', { token, body })],
      ['DELETE /me/totp', ann, ({ token }, body) => call('DELETE', '/me/totp', { token, body })],
      [
        'PUT /me/username',
        () => world.user(),
        ({ token }, body) => call('PUT', '/me/username', { token, body: { username: world.unique('new'), ...body } }),
      ],
      ['PUT /me/suspend', () => world.user(), ({ token }, body) => call('PUT', '/me/suspend', { token, body })],
      [
        'PUT /admin/user/:username/password for oneself',
        () => personWithRole(world, 'administrator'),
        ({ token, name }, body) =>
          call('PUT', `/admin/user/${name}/password`, { token, body: { password: 'other', ...body } }),
      ],
      [
        'DELETE /admin/user/:username/factors for oneself',
        () => personWithRole(world, 'administrator'),
        ({ token, name }, body) => call('DELETE', `/admin/user/${name.toUpperCase()}/factors`, { token, body }),
      ],
    ];

    it.each(changes)('is needed for %s', async (_what, owner, change) => {
      const user = await owner();
      clock.advance(FRESH);
      expectCode(await change(user, {}), 401, 'auth.fresh_login_required');
      expect((await call('GET', '/me', { token: user.token })).status).toBe(200);
    });

    it.each(changes)('of the last ten minutes suffices for %s', async (_what, owner, change) => {
      const user = await owner();
      const { token } = user;
      const [{ created }] = (await call('GET', '/me/sessions', { token })).data;
      clock.advance(FRESH - 1 - (clock.now() - Date.parse(created.replace('+0000', 'Z'))));
      expect((await change(user, {})).status).toBe(200);
    });

    it.each(changes)('is replaced by the password for %s, and not by a wrong one', async (_what, owner, change) => {
      const user = await owner();
      clock.advance(FRESH);
      expectCode(await change(user, { current_password: 'wrong' }), 400, 'user.old_password_invalid');
      expectCode(await change(user, { current_password: '' }), 400, 'user.old_password_invalid');
      expectFailure(await change(user, { current_password: 7 }), 400);
      expect((await change(user, { current_password: 'secret' })).status).toBe(200);
    });

    it('does not come from using or refreshing a session, nor from another session', async () => {
      const { name, token } = await world.user();
      clock.advance(FRESH / 2);
      await expectStatus(call('GET', '/refresh', { token }), 200);
      clock.advance(FRESH / 2);
      const other = await loginAs(world, name);
      expectCode(await call('POST', '/me/totp', { token }), 401, 'auth.fresh_login_required');
      expect((await call('POST', '/me/totp', { token: other })).status).toBe(200);
    });

    it('is not needed with `old`, as clients send it', async () => {
      const { token } = await world.user();
      clock.advance(FRESH);
      expectCode(await setPassword(token, { old: 'wrong', new: 'x' }), 400, 'user.old_password_invalid');
      expect((await setPassword(token, { old: 'secret', new: 'x' })).status).toBe(200);
    });

    it.each(['/me/password', '/user/password'])(
      'does not replace `old` for users who have a password, at %s',
      async (path) => {
        const { name, token } = await world.user();
        for (const options of [{ token }, { basic: [name, 'secret'] as const }]) {
          const answer = await call('PUT', path, { ...options, body: { new: 'other' } });
          expectCode(answer, 400, 'input.invalid');
          expect(answer.body.errors).toMatchObject([{ path: '/old' }]);
        }
        clock.advance(FRESH);
        expectCode(await call('PUT', path, { token, body: { new: 'other' } }), 400, 'input.invalid');
        expect(await loginAs(world, name)).toMatch(/\S/);
        await expectStatus(call('PUT', path, { token, body: { new: 'other', current_password: 'secret' } }), 200);
      },
    );

    it('replaces `old` for guests, who have no password yet', async () => {
      await setSettings(world, 'Application', { 'guests.allowed': true });
      const { data } = await expectStatus(call('POST', '/user/guest'), 201);
      const token = data['X-BB-SESSION'];
      clock.advance(FRESH);
      await expectStatus(setPassword(token, { new: 'first' }), 200);
      expectCode(await setPassword(token, { new: 'second' }), 400, 'input.invalid');
    });

    it('does not excuse a wrong `old`', async () => {
      const { token } = await world.user();
      expectCode(await setPassword(token, { old: 'wrong', new: 'x' }), 400, 'user.old_password_invalid');
    });

    it('is what Basic credentials are', async () => {
      const { name } = await world.user();
      clock.advance(FRESH);
      const basic = [name, 'secret'] as const;
      await expectStatus(call('POST', '/me/totp', { basic }), 200);
    });

    it('is needed to set a first password too', async () => {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      const person = { id: world.unique('p') };
      const login = async () => {
        const oauth_token = world.backend.networks.google.issue({ person, clientId: 'app' });
        return (await expectStatus(call('POST', '/social/google', { body: { oauth_token, oauth_secret: 'x' } }), 200))
          .data;
      };
      const { 'X-BB-SESSION': session, user } = await login();
      clock.advance(FRESH);
      expectCode(await setPassword(session, { new: 'first' }), 401, 'auth.fresh_login_required');
      expectCode(await setPassword(session, { new: 'first', old: '' }), 400, 'user.old_password_invalid');
      const { 'X-BB-SESSION': next } = await login();
      expectCode(await setPassword(session, { new: 'first' }), 401, 'auth.fresh_login_required');
      expect((await setPassword(next, { new: 'first' })).status).toBe(200);
      expect(await loginAs(world, user.name, 'first')).not.toBe(next);
    });

    it('is not needed to choose a name in place of a generated one, once', async () => {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      for (const path of ['/me/username', '/me']) {
        const { data } = await expectStatus(call('POST', '/social/google', { body: await proof() }), 200);
        const token = data['X-BB-SESSION'];
        clock.advance(FRESH);
        await expectStatus(call('PUT', path, { token, body: { username: world.unique('chosen') } }), 200);
        const again = await call('PUT', '/me/username', { token, body: { username: world.unique('chosen') } });
        expectCode(again, 401, 'auth.fresh_login_required');
      }
    });

    it('is not needed to turn the second factor off with a code', async () => {
      const user = await ann();
      clock.advance(FRESH);
      const body = { code: codeAt(user.secret, clock.now()) };
      await expectStatus(call('DELETE', '/me/totp', { token: user.token, body }), 200);
    });

    it('is not needed of administrators who help others', async () => {
      const [admin, user] = [await personWithRole(world, 'administrator'), await ann()];
      clock.advance(FRESH);
      const { token } = admin;
      await expectStatus(call('DELETE', `/admin/user/${user.name}/factors`, { token }), 200);
      const body = { password: 'new' };
      await expectStatus(call('PUT', `/admin/user/${user.name}/password`, { token, body }), 200);
    });

    it('cannot be had with the session of somebody who was removed', async () => {
      const { name, token } = await world.user();
      await expectStatus(call('DELETE', `/admin/user/${name}`, { basic: adminOf(world) }), 200);
      expect((await setPassword(token, { old: 'secret', new: 'x' })).status).toBe(401);
    });
  },
  { clock },
);
