import { expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { expectFailure } from '../support/envelope.ts';
import { requestLink, submit, withAddress } from '../support/password-reset.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { codeAt, createFactorCalls, expectCode, STEP_MS, wrongCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'around the second factor: it',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const { login, second, codeOf, ann } = createFactorCalls(world, clock);

    it('is not passed by Basic credentials', async () => {
      const user = await ann();
      for (let times = 0; times < 2; times++) {
        const answer = await call('GET', '/me', { basic: [user.name, 'secret'] });
        expectCode(answer, 401, 'auth.second_factor_required');
        expect(answer.body.challenge).toBeUndefined();
      }
      expectCode(await call('GET', '/me', { basic: [user.name, 'wrong'] }), 401, 'auth.invalid');
      const { status } = await call('POST', '/me/totp', { basic: [user.name, 'secret'] });
      expect(status).toBe(401);
    });

    it('is not passed by a reset of the password', async () => {
      const settings = { 'network.smtp.host': 'mail.example.com', 'email.from': 'a@b.cd' };
      await setSettings(world, 'PasswordRecovery', settings);
      const { name, token } = await withAddress(world);
      const { data } = await expectStatus(call('POST', '/me/totp', { token }), 200);
      const body = { code: codeAt(data.secret, clock.now()) };
      await expectStatus(call('POST', '/me/totp/confirm', { token, body }), 200);
      const page = await submit(world, await requestLink(world, name), 'reset');
      expect([page.status, page.headers['x-bb-session']]).toEqual([200, undefined]);
      const answer = await call('POST', '/login', { body: { username: name, password: 'reset' } });
      expectCode(answer, 401, 'auth.second_factor_required');
    });

    it('is not passed by a social network, not even by a session that such a login began', async () => {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
      const token = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
      const bySocial = () => call('POST', '/social/google', { body: { oauth_token: token, oauth_secret: 'x' } });
      const { data } = await expectStatus(bySocial(), 200);
      const session = data['X-BB-SESSION'];
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token: session }), 200)).data;
      const body = { code: codeAt(secret, clock.now()) };
      await expectStatus(call('POST', '/me/totp/confirm', { token: session, body }), 200);
      clock.advance(STEP_MS);
      const answer = await bySocial();
      expectCode(answer, 401, 'auth.second_factor_required');
      expect(answer.text).not.toContain(session);
      const { challenge } = answer.body;
      const done = await expectStatus(second({ challenge, code: codeAt(secret, clock.now()) }), 200);
      expect(done.data.id).toBe(data.id);
      expectCode(await bySocial(), 401, 'auth.second_factor_required');
    });

    it.each(['social', 'password', 'mail'] as const)(
      'has to be proved before a login by %s makes anything fresh, or extends a session',
      async (method) => {
        await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'app' });
        await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
        await setSettings(world, 'Application', { 'login.by.mail': true });
        const { name, token } = await world.user();
        const email = `${name}@example.org`;
        const codeIn = async () => {
          await world.backend.deliver();
          const codes = world.backend.mail
            .filter(({ to }) => to === email)
            .map(({ text }) => /^\d{6}$/m.exec(text)?.[0]);
          return codes.findLast((code) => code !== undefined);
        };
        await expectStatus(call('POST', '/me/email', { token, body: { email } }), 200);
        await expectStatus(call('POST', '/me/email/confirm', { token, body: { code: await codeIn() } }), 200);
        const oauth_token = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
        const proof = { oauth_token, oauth_secret: 'x', login_data: { os: 'ios', deviceId: world.unique('phone') } };
        await expectStatus(call('PUT', '/social/google', { token, body: proof }), 200);
        // The session that the link continues.
        const { data } = await expectStatus(call('POST', '/social/google', { body: proof }), 200);
        const session = data['X-BB-SESSION'] as string;
        const { secret } = (await expectStatus(call('POST', '/me/totp', { token: session }), 200)).data;
        const code = codeAt(secret, clock.now());
        await expectStatus(call('POST', '/me/totp/confirm', { token: session, body: { code } }), 200);
        clock.advance(10 * MINUTE);
        const logIn = {
          social: () => call('POST', '/social/google', { body: proof }),
          password: () => login(name),
          mail: async () => {
            const { challenge } = (await expectStatus(call('POST', '/login/code', { body: { email } }), 200)).data;
            return call('POST', '/login/code/confirm', { body: { challenge, code: await codeIn() } });
          },
        };
        const answer = await logIn[method]();
        expectCode(answer, 401, 'auth.second_factor_required');
        expect(answer.text).not.toContain('X-BB-SESSION');
        // Neither fresh nor used: it ends at the time at which it would have ended without the attempt.
        expectCode(await call('DELETE', '/me/totp', { token: session }), 401, 'auth.fresh_login_required');
        const { challenge } = answer.body;
        const done = await expectStatus(second({ challenge, code: codeAt(secret, clock.now()) }), 200);
        expect(done.data['X-BB-SESSION']).not.toBe(session);
        await expectStatus(call('DELETE', '/me/totp', { token: done.data['X-BB-SESSION'] }), 200);
      },
    );

    it('has to be proved before a login by a social network stores its tokens', async () => {
      const { name, token } = await world.user();
      const person = { id: world.unique('p') };
      const issue = () => world.backend.networks.google.issue({ person, clientId: 'app' });
      const bySocial = (oauth_token: string) =>
        call('POST', '/social/google', { body: { oauth_token, oauth_secret: 'x' } });
      const [linked, refused, proven] = [issue(), issue(), issue()];
      const stored = async (session: string) =>
        (await expectStatus(call('GET', '/social', { token: session }), 200)).data[0].token;
      await expectStatus(
        call('PUT', '/social/google', { token, body: { oauth_token: linked, oauth_secret: 'x' } }),
        200,
      );
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token }), 200)).data;
      const body = { code: codeAt(secret, clock.now()) };
      await expectStatus(call('POST', '/me/totp/confirm', { token, body }), 200);
      expectCode(await bySocial(refused), 401, 'auth.second_factor_required');
      expect(await stored(token)).toBe(linked);
      clock.advance(STEP_MS);
      const { challenge } = (await bySocial(proven)).body;
      const done = await expectStatus(second({ challenge, code: codeAt(secret, clock.now()) }), 200);
      expect(done.data.user.name).toBe(name);
      expect(await stored(token)).toBe(proven);
    });

    it('does not bring back a link that was removed meanwhile', async () => {
      const { token } = await world.user();
      const oauth_token = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
      const body = { oauth_token, oauth_secret: 'x' };
      await expectStatus(call('PUT', '/social/google', { token, body }), 200);
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token }), 200)).data;
      const code = codeAt(secret, clock.now());
      await expectStatus(call('POST', '/me/totp/confirm', { token, body: { code } }), 200);
      clock.advance(STEP_MS);
      const { challenge } = (await call('POST', '/social/google', { body })).body;
      await expectStatus(call('DELETE', '/social/google', { token }), 200);
      const late = await second({ challenge, code: codeAt(secret, clock.now()) });
      expectCode(late, 401, 'auth.invalid');
      expect((await call('GET', '/social', { token })).status).toBe(404);
    });

    it('has to be proved before a login by a social network extends a session', async () => {
      const { token } = await world.user();
      const oauth_token = world.backend.networks.google.issue({ person: { id: world.unique('p') }, clientId: 'app' });
      const body = { oauth_token, oauth_secret: 'x' };
      await expectStatus(call('PUT', '/social/google', { token, body }), 200);
      const session = (await expectStatus(call('POST', '/social/google', { body }), 200)).data['X-BB-SESSION'];
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token: session }), 200)).data;
      const code = codeAt(secret, clock.now());
      await expectStatus(call('POST', '/me/totp/confirm', { token: session, body: { code } }), 200);
      clock.advance(10 * MINUTE);
      expectCode(await call('POST', '/social/google', { body }), 401, 'auth.second_factor_required');
      clock.advance(6 * MINUTE);
      expect((await call('GET', '/me', { token: session })).status).toBe(401);
    });

    it('stays on when the password changes, and when the user is renamed', async () => {
      const user = await ann();
      const { token } = user;
      await expectStatus(call('PUT', '/me/password', { token, body: { old: 'secret', new: 'secret' } }), 200);
      const username = world.unique('renamed');
      await expectStatus(call('PUT', '/me/username', { token, body: { username } }), 200);
      expectCode(await login(username), 401, 'auth.second_factor_required');
      expect((await login(username, { code: codeOf(user) })).status).toBe(200);
    });

    it.each(['code', 'recovery_code'])('is turned off with a %s, and not with a wrong one', async (member) => {
      const user = await ann();
      const { token } = user;
      const remove = (body: object) => call('DELETE', '/me/totp', { token, body });
      expectCode(await remove({ code: wrongCode(user.secret, clock.now()) }), 400, 'auth.code_invalid');
      expectCode(await remove({ recovery_code: 'AAAA' }), 400, 'auth.code_invalid');
      expectCode(await login(user.name), 401, 'auth.second_factor_required');
      const proof = { [member]: member === 'code' ? codeOf(user) : user.recoveryCodes[0] };
      await expectStatus(remove(proof), 200);
      expectCode(await remove(proof), 404, 'totp.not_found');
      expect((await login(user.name)).status).toBe(200);
      expect((await call('GET', '/me', { basic: [user.name, 'secret'] })).status).toBe(200);
      const { data } = await call('POST', '/me/totp', { token });
      expect(data.secret).not.toBe(user.secret);
    });

    it('is turned off by an administrator, which ends all sessions of the user', async () => {
      const [user, other] = [await ann(), await ann()];
      const path = `/admin/user/${user.name}/factors`;
      expectFailure(await call('DELETE', path, { token: other.token }), 403);
      expectFailure(await call('DELETE', path), 401);
      expectCode(await call('DELETE', '/admin/user/nobody/factors', { basic: adminOf(world) }), 404, 'user.not_found');
      await expectStatus(call('DELETE', path, { basic: adminOf(world) }), 200);
      expect((await call('GET', '/me', { token: user.token })).status).toBe(401);
      expect((await login(user.name)).status).toBe(200);
      expectCode(await login(other.name), 401, 'auth.second_factor_required');
      await expectStatus(call('DELETE', path, { basic: adminOf(world) }), 200);
    });

    it('is stored neither as a readable secret nor as readable codes', async () => {
      const user = await ann();
      const answers = [
        await call('GET', '/me', { token: user.token }),
        await call('GET', '/me/totp', { token: user.token }),
      ];
      for (const { text } of answers) {
        for (const secret of [user.secret, ...user.recoveryCodes]) expect(text).not.toContain(secret);
      }
    });
  },
  { clock },
);
