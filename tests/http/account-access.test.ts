import { createAuthenticator } from '@baobab/contracts/webauthn';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { keyScenarios } from '../support/api-keys.ts';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { linkIn, submit, worksFor } from '../support/password-reset.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { codeAt } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'what gives access to an account',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const mailbox = createMailbox(world);
    const passkeys = createPasskeyCalls(world);
    const keys = keyScenarios(world);

    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
    });

    const issue = (id: string) => world.backend.networks.google.issue({ person: { id }, clientId: 'app' });
    const bySocial = (id: string) =>
      call('POST', '/social/google', { body: { oauth_token: issue(id), oauth_secret: 'x' } });

    /** A user with every way to log in, and with a second session. */
    async function withEverything() {
      const user = await mailbox.verifiedUser();
      const authenticator = createAuthenticator();
      const { data: passkey } = await expectStatus(passkeys.register(user.token, authenticator), 201);
      const person = world.unique('p');
      const link = { token: user.token, body: { oauth_token: issue(person), oauth_secret: 'x' } };
      await expectStatus(call('PUT', '/social/google', link), 200);
      const other = await loginAs(world, user.name);
      const { data: totp } = await expectStatus(call('POST', '/me/totp', { token: user.token }), 200);
      const confirmation = { token: user.token, body: { code: codeAt(totp.secret, clock.now()) } };
      await expectStatus(call('POST', '/me/totp/confirm', confirmation), 200);
      // Turning the second factor on has ended the other session.
      expect((await call('GET', '/me', { token: other })).status).toBe(401);
      clock.advance(1);
      const second = await expectStatus(passkeys.login(authenticator), 200);
      return { ...user, authenticator, passkey, person, sessions: [user.token, second.data['X-BB-SESSION']] };
    }

    const accessOf = async (name: string) =>
      (await expectStatus(call('GET', `/admin/user/${name}/access`, { basic: adminOf(world) }), 200)).data;
    const secure = (name: string, options: object = {}) =>
      call('POST', `/admin/user/${name}/secure`, { basic: adminOf(world), ...options });

    describe('is listed', () => {
      it('for the user and for administrators', async () => {
        const user = await withEverything();
        const { data } = await expectStatus(call('GET', '/me/access', { token: user.token }), 200);
        expect(data).toMatchObject({
          email: user.email,
          email_verified: true,
          password: true,
          totp: expect.any(String),
          passkeys: [{ id: user.passkey.id, name: 'Phone' }],
          networks: [{ network: 'google', id: user.person }],
        });
        expect(data.sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
        const others = data.sessions.map((session: object) => ({ ...session, current: false }));
        expect(await accessOf(user.name)).toEqual({ ...data, sessions: others });
      });

      it('when there is little', async () => {
        const { data } = await expectStatus(bySocial(world.unique('p')), 200);
        expect(await accessOf(data.user.name)).toMatchObject({
          email: null,
          email_verified: false,
          password: false,
          totp: null,
          passkeys: [],
          sessions: [{}],
        });
      });

      it('for nobody else', async () => {
        const [user, other] = [await world.user(), await world.user()];
        const boss = await personWithRole(world, 'administrator');
        const { key } = await keys.addKey('administrator');
        const url = `/admin/user/${user.name}/access`;
        expect((await call('GET', url, { token: other.token })).status).toBe(403);
        expect((await call('GET', url)).status).toBe(401);
        expect((await call('GET', '/me/access')).status).toBe(401);
        expect((await keys.withKey(key, 'GET', url)).status).toBe(200);
        const refused = await keys.withKey(key, 'GET', `/admin/user/${boss.name}/access`);
        expect([refused.status, refused.body.code]).toEqual([403, 'key.user_required']);
        const none = { basic: adminOf(world) };
        expect((await call('GET', `/admin/user/${world.unique('none')}/access`, none)).status).toBe(404);
      });
    });

    describe('is removed by administrators', () => {
      it('one by one', async () => {
        const user = await withEverything();
        const basic = adminOf(world);
        const url = `/admin/user/${user.name}`;
        for (const [path, code] of [
          [`/passkeys/${user.passkey.id}`, 'passkey.not_found'],
          ['/social/google', 'social.not_linked'],
        ] as const) {
          await expectStatus(call('DELETE', `${url}${path}`, { basic }), 200);
          const again = await expectStatus(call('DELETE', `${url}${path}`, { basic }), 404);
          expect(again.body.code).toBe(code);
        }
        expect(await accessOf(user.name)).toMatchObject({ passkeys: [], networks: [] });
        expect((await passkeys.login(user.authenticator)).status).toBe(401);
        expect((await expectStatus(bySocial(user.person), 200)).data.id).not.toBe(user.id);
        const { data } = await expectStatus(call('GET', url, { basic }), 200);
        expect(data.visibleByRegisteredUsers).toEqual({});
        expect((await call('GET', '/me', { token: user.token })).status).toBe(200);
      });

      it('all at once, and the user gets a link for a new password', async () => {
        const user = await withEverything();
        const { data } = await expectStatus(secure(user.name), 200);
        expect(data).toEqual({ totp: true, passkeys: 1, networks: ['google'], mail: 'sent' });
        for (const token of user.sessions) expect((await call('GET', '/me', { token })).status).toBe(401);
        const basic = await call('GET', '/me', { basic: [user.name, 'secret'] });
        expect([basic.status, await worksFor(world, user.name, 'secret')]).toEqual([401, false]);
        expect((await passkeys.login(user.authenticator)).status).toBe(401);
        expect((await expectStatus(bySocial(user.person), 200)).data.id).not.toBe(user.id);
        expect(await accessOf(user.name)).toMatchObject({ totp: null, passkeys: [], networks: [], sessions: [] });

        const { path } = linkIn((await mailbox.mailTo(user.email)).text);
        await expectStatus(submit(world, path, 'new secret'), 200);
        expect(await worksFor(world, user.name, 'new secret')).toBe(true);
      });

      it('also from the invitations of the user, and is told to the user and recorded', async () => {
        const user = await mailbox.verifiedUser();
        const { data: group } = await expectStatus(
          call('POST', '/group', { token: user.token, body: { name: world.unique('g') } }),
          201,
        );
        const { data: made } = await expectStatus(
          call('POST', `/group/${group.id}/invitation`, { token: user.token, body: {} }),
          201,
        );
        await setSettings(world, 'Application', { 'security.notices': true });
        await expectStatus(secure(user.name), 200);
        const texts = (await mailbox.mailsTo(user.email)).map(({ text }) => text);
        expect(texts.some((text) => text.includes('logged you out everywhere'))).toBe(true);
        await setSettings(world, 'Application', { 'security.notices': false });

        const guest = await world.user();
        expect((await call('POST', `/invitation/${made.code}`, { token: guest.token })).status).toBe(404);
        const { data: events } = await expectStatus(
          call('GET', '/admin/audit?act=user.secured&recordsPerPage=1', { basic: adminOf(world) }),
          200,
        );
        expect(events[0].to).toMatchObject({ kind: 'user', id: user.id });
      });

      it('without a mail if the address may be that of the thief, or there is none', async () => {
        const user = await mailbox.verifiedUser();
        const body = { visibleByTheUser: { email: mailbox.unique('thief') }, current_password: 'secret' };
        await expectStatus(call('PUT', '/me', { token: user.token, body }), 200);
        expect((await expectStatus(secure(user.name), 200)).data.mail).toBe('no_address');
        const { name } = await world.user();
        expect((await expectStatus(secure(name), 200)).data.mail).toBe('no_address');
        expect(await worksFor(world, name, 'secret')).toBe(false);
        const password = { basic: adminOf(world), body: { password: 'by phone' } };
        await expectStatus(call('PUT', `/admin/user/${name}/password`, password), 200);
        expect(await worksFor(world, name, 'by phone')).toBe(true);
      });

      it('of administrators only with a fresh login, which keeps its own session', async () => {
        const boss = await personWithRole(world, 'administrator');
        const { key } = await keys.addKey('administrator');
        const refused = await keys.withKey(key, 'POST', `/admin/user/${boss.name}/secure`);
        expect([refused.status, refused.body.code]).toEqual([403, 'key.user_required']);
        const token = await loginAs(world, boss.name);
        clock.advance(11 * MINUTE);
        for (const [method, path] of [
          ['POST', 'secure'],
          ['DELETE', 'social/google'],
          ['DELETE', `passkeys/${boss.id}`],
        ] as const) {
          const stale = await call(method, `/admin/user/${boss.name}/${path}`, { token });
          expect([stale.status, stale.body.code]).toEqual([401, 'auth.fresh_login_required']);
        }
        await expectStatus(secure(boss.name, { basic: undefined, token, body: { current_password: 'secret' } }), 200);
        expect((await call('GET', '/me', { token })).status).toBe(200);
        expect((await call('GET', '/me', { token: boss.token })).status).toBe(401);
        const plain = await world.user();
        clock.advance(MINUTE);
        expect((await call('POST', `/admin/user/${plain.name}/secure`, { token: plain.token })).status).toBe(403);
        await expectStatus(keys.withKey(key, 'POST', `/admin/user/${plain.name}/secure`), 200);
      });
    });
  },
  { clock },
);
