import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { linkIn, request, requestLink, submit } from '../support/password-reset.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const FRESH = 10 * MINUTE;

onEveryStorage(
  'the address of an account',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    beforeAll(() => setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' }));

    /** A user who gave an address at sign-up. */
    async function ann() {
      const name = world.unique('ann');
      const email = `${name}@example.org`;
      const body = { username: name, password: 'secret', visibleByTheUser: { email, city: 'Rome' } };
      const { data } = await expectStatus(call('POST', '/user', { body }), 201);
      return { name, email, token: data['X-BB-SESSION'] as string };
    }

    type User = Awaited<ReturnType<typeof ann>>;

    async function mailsTo(address: string) {
      await world.backend.deliver();
      return world.backend.mail.filter(({ to }) => to === address);
    }

    async function verify({ token }: Pick<User, 'token'>, email: string): Promise<void> {
      await expectStatus(call('POST', '/me/email', { token, body: { email } }), 200);
      const codes = (await mailsTo(email)).map(({ text }) => /^\d{6}$/m.exec(text)?.[0]);
      const code = codes.findLast((one) => one !== undefined);
      await expectStatus(call('POST', '/me/email/confirm', { token, body: { code } }), 200);
    }

    const other = 'thief@example.net';
    const routes: ReadonlyArray<readonly [string, (user: User, own: object, more: object) => Promise<Answer>]> = [
      ['PUT /me', ({ token }, own, more) => call('PUT', '/me', { token, body: { visibleByTheUser: own, ...more } })],
      [
        'PUT /user',
        ({ token }, own, more) => call('PUT', '/user', { token, body: { visibleByTheUser: own, ...more } }),
      ],
    ];

    describe.each(routes)('by %s', (_route, put) => {
      it.each([
        ['another one', { email: other }],
        ['none', { city: 'Oslo' }],
      ])('needs a fresh login or the password to become %s', async (_what, own) => {
        const user = await ann();
        clock.advance(FRESH);
        expectCode(await put(user, own, {}), 401, 'auth.fresh_login_required');
        expectCode(await put(user, own, { current_password: 'wrong' }), 400, 'user.old_password_invalid');
        const { data } = await call('GET', '/me', { token: user.token });
        expect(data.visibleByTheUser).toEqual({ email: user.email, city: 'Rome' });
        await expectStatus(put(user, own, { current_password: 'secret' }), 200);
        const changed = (await call('GET', '/me', { token: user.token })).data;
        expect(changed.visibleByTheUser).toEqual(own);
        expect(changed).not.toHaveProperty('current_password');
      });

      it('needs a fresh login to be added', async () => {
        const user = { ...(await world.user()), email: '' };
        clock.advance(FRESH);
        expectCode(await put(user, { email: other }, {}), 401, 'auth.fresh_login_required');
        await expectStatus(put(user, { city: 'Oslo' }, {}), 200);
      });

      it('may be sent back unchanged, with other changes, by any session', async () => {
        const user = await ann();
        clock.advance(FRESH);
        await expectStatus(put(user, { email: user.email, city: 'Oslo' }, {}), 200);
        await expectStatus(put(user, { email: user.email }, { visibleByFriend: { n: 1 } }), 200);
        expect(await mailsTo(user.email)).toEqual([]);
      });

      it('may be changed right after a login, and the former one gets a notice that does not name the new one', async () => {
        const user = await ann();
        await expectStatus(put(user, { email: other }, {}), 200);
        const [notice, ...more] = await mailsTo(user.email);
        expect(more).toEqual([]);
        expect(notice?.text).toContain(user.name);
        expect(notice?.text).not.toContain(other);
      });
    });

    it('may be changed with Basic credentials, and by guests', async () => {
      const user = await ann();
      const body = { visibleByTheUser: { email: other } };
      clock.advance(FRESH);
      await expectStatus(call('PUT', '/me', { basic: [user.name, 'secret'], body }), 200);
      await setSettings(world, 'Application', { 'guests.allowed': true });
      const token = (await expectStatus(call('POST', '/user/guest'), 201)).data['X-BB-SESSION'];
      clock.advance(FRESH);
      await expectStatus(call('PUT', '/me', { token, body }), 200);
    });

    it('cannot be changed back by a request of a stale session that overtakes another change', async () => {
      const user = await ann();
      clock.advance(FRESH);
      const fresh = await loginAs(world, user.name);
      const put = (token: string, email: string) =>
        call('PUT', '/me', { token, body: { visibleByTheUser: { email } } });
      for (let round = 0; round < 10; round++) {
        const email = `${round}.${user.email}`;
        const before = (await call('GET', '/me', { token: fresh })).data.visibleByTheUser.email;
        await Promise.all([expectStatus(put(fresh, email), 200), put(user.token, before), put(user.token, before)]);
        expect((await call('GET', '/me', { token: fresh })).data.visibleByTheUser.email).toBe(email);
      }
    });

    it('is changed by administrators after a fresh login, and the former one gets a notice', async () => {
      const [admin, user] = [await personWithRole(world, 'administrator'), await ann()];
      const put = (name: string, more: object = {}) =>
        call('PUT', `/admin/user/${name}`, {
          token: admin.token,
          body: { visibleByTheUser: { email: other }, ...more },
        });
      clock.advance(FRESH);
      for (const name of [user.name, admin.name]) {
        expectCode(await put(name), 401, 'auth.fresh_login_required');
        expectCode(await put(name, { current_password: 'wrong' }), 400, 'user.old_password_invalid');
        await expectStatus(put(name, { current_password: 'secret' }), 200);
      }
      await expectStatus(put(user.name), 200); // the address that it has already
      expect(await mailsTo(user.email)).toHaveLength(1);
    });

    it('is told of a confirmed change as well, verified or not', async () => {
      const user = await ann();
      await verify(user, `new.${user.email}`);
      expect(await mailsTo(user.email)).toHaveLength(1);
      await verify(user, `newer.${user.email}`);
      const changed = (await mailsTo(`new.${user.email}`)).filter(({ text }) => !/^\d{6}$/m.test(text));
      expect(changed.length).toBeGreaterThan(0);
    });

    it('does not become a way to fill the mailboxes of strangers', async () => {
      const { token } = await world.user();
      const [stranger, own] = [`${world.unique('stranger')}@example.org`, `${world.unique('own')}@example.org`];
      for (let i = 0; i < 8; i++) {
        for (const email of [stranger, own]) {
          await expectStatus(call('PUT', '/me', { token, body: { visibleByTheUser: { email } } }), 200);
        }
      }
      expect((await mailsTo(stranger)).length).toBeLessThanOrEqual(3);
    });

    describe('gets a link for a new password', () => {
      const put = ({ token }: Pick<User, 'token'>, email: string) =>
        expectStatus(call('PUT', '/me', { token, body: { visibleByTheUser: { email } } }), 200);
      const isSent = async (name: string) => (await request(world, name)).status === 200;

      it('if it was given at sign-up', async () => {
        const { name, email } = await ann();
        await expectStatus(request(world, name), 200);
        expect(world.backend.mail.at(-1)?.to).toBe(email);
      });

      it('if it was changed longer ago than the link would live, and not before', async () => {
        await setSettings(world, 'PasswordRecovery', { 'email.expiration.time': 60 });
        const user = await ann();
        await put(user, `new.${user.email}`);
        expectCode(await request(world, user.name), 400, 'reset.address_missing');
        clock.advance(60 * MINUTE - 1);
        expect(await isSent(user.name)).toBe(false);
        clock.advance(1);
        expect(await isSent(user.name)).toBe(true);
        await setSettings(world, 'PasswordRecovery', { 'email.expiration.time': 15 });
      });

      it('at once if it is verified', async () => {
        const user = await ann();
        await verify(user, `new.${user.email}`);
        expect(await isSent(user.name)).toBe(true);
      });

      it('not because it was the address before the last change', async () => {
        const user = await ann();
        await verify(user, user.email);
        await put(user, `new.${user.email}`);
        await put(user, user.email);
        expect(await isSent(user.name)).toBe(false);
      });

      it('which no longer works once the address is another one, or the password', async () => {
        const [one, two] = [await ann(), await ann()];
        const links = [await requestLink(world, one.name), await requestLink(world, two.name)] as const;
        await put(one, `new.${one.email}`);
        const body = { old: 'secret', new: 'other' };
        await expectStatus(call('PUT', '/me/password', { token: two.token, body }), 200);
        for (const link of links) expect((await submit(world, link, 'stolen')).status).toBe(400);
      });

      it('also in the account of somebody whose address an administrator has just changed: only later', async () => {
        const user = await ann();
        const body = { visibleByTheUser: { email: `new.${user.email}` } };
        await expectStatus(call('PUT', `/admin/user/${user.name}`, { basic: adminOf(world), body }), 200);
        expect(await isSent(user.name)).toBe(false);
        clock.advance(15 * MINUTE);
        await requestLink(world, user.name);
        expect(linkIn(world.backend.mail.at(-1)?.text).token).toMatch(/\S/);
      });
    });

    it('is not taken over by a claim that was made before the password changed', async () => {
      const user = await ann();
      await expectStatus(call('POST', '/me/email', { token: user.token, body: { email: other } }), 200);
      const mail = (await mailsTo(other)).findLast(({ text }) => text.includes('/user/email/confirm/'));
      const path = /(\/user\/email\/confirm\/[\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
      expect((await call('GET', path, { appCode: null })).status).toBe(200);
      const fresh = await loginAs(world, user.name);
      const body = { old: 'secret', new: 'other' };
      await expectStatus(call('PUT', '/me/password', { token: fresh, body }), 200);
      expect((await call('POST', path, { appCode: null, form: {} })).status).toBe(400);
      expect((await call('GET', '/me', { token: fresh })).data.visibleByTheUser.email).toBe(user.email);
    });
  },
  { clock, publicUrl: 'https://app.example.com' },
);
