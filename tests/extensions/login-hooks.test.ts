import { createAuthenticator } from '@baobab/contracts/webauthn';
import { defineExtension, refuse } from '@baobab/server/extensions';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { createFactorCalls, expectCode } from '../support/second-factor.ts';
import { APPS, logInBy } from '../support/social.ts';

const clock = createHandDrivenClock();
const seen: string[] = [];
let refuses = false;

const gate = defineExtension((app) => {
  app.before('user.login', {}, ({ username, method }) => {
    if (username === 'admin') return;
    seen.push(method);
    if (refuses) throw refuse('Your subscription has ended');
  });
});

onEveryStorage(
  'hooks before logins',
  (world) => {
    const mailbox = createMailbox(world);
    const passkeys = createPasskeyCalls(world);
    const factors = createFactorCalls(world, clock);
    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { 'login.by.mail': true });
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': APPS.google });
    });
    beforeEach(() => {
      refuses = false;
      seen.length = 0;
    });

    const sessionsOf = async (name: string): Promise<readonly { readonly last_used: string }[]> =>
      (await expectStatus(world.call('GET', `/admin/user/${name}/sessions`, { basic: adminOf(world) }), 200)).data;

    /** Logs in while the hook refuses, and then while it does not. A refused login must change no session. */
    async function tryBoth(name: string, method: string, login: () => Promise<Answer>) {
      const before = await sessionsOf(name);
      refuses = true;
      expectCode(await login(), 400, 'extension.refused');
      expect(await sessionsOf(name)).toEqual(before);
      refuses = false;
      const answer = await expectStatus(login(), 200);
      expect(answer.data.user.name).toBe(name);
      expect(seen).toEqual([method, method]);
    }

    it('refuse passwords, without ending a surplus session or registering a device', async () => {
      const { name, token } = await world.user();
      await setSettings(world, 'Application', { 'session_tokens.max.per.user': 1 });
      const login_data = { os: 'ios', deviceId: world.unique('phone') };
      await tryBoth(name, 'password', () => factors.login(name, { login_data }));
      expect((await world.call('GET', '/me', { token })).status).toBe(401);
      await setSettings(world, 'Application', { 'session_tokens.max.per.user': 0 });
    });

    it('do not run for a wrong password', async () => {
      const { name } = await world.user();
      expectCode(
        await world.call('POST', '/login', { body: { username: name, password: 'wrong' } }),
        401,
        'auth.invalid',
      );
      expect(seen).toEqual([]);
    });

    it('refuse Basic credentials, and run again for them after a minute', async () => {
      const { name } = await world.user();
      const read = () => world.call('GET', '/me', { basic: [name, 'secret'] });
      refuses = true;
      expectCode(await read(), 400, 'extension.refused');
      refuses = false;
      for (let i = 0; i < 3; i++) await expectStatus(read(), 200);
      expect(seen).toEqual(['basic', 'basic']);
      refuses = true;
      clock.advance(2 * MINUTE);
      expectCode(await read(), 400, 'extension.refused');
    });

    it('run once for two factors, and leave the code and the challenge unused', async () => {
      const user = await factors.ann();
      const challenge = await factors.challengeOf(user.name);
      expect(seen).toEqual([]);
      const code = factors.codeOf(user);
      await tryBoth(user.name, 'second_factor', () => factors.second({ challenge, code }));
      expectCode(await factors.second({ challenge, code }), 401, 'auth.challenge_invalid');
    });

    it('leave a mailed code unused', async () => {
      const { name, email } = await mailbox.verifiedUser();
      const { data } = await expectStatus(world.call('POST', '/login/code', { body: { email } }), 200);
      const { code } = await mailbox.mailTo(email);
      const body = { challenge: data.challenge, code };
      await tryBoth(name, 'mail', () => world.call('POST', '/login/code/confirm', { body }));
      expectCode(await world.call('POST', '/login/code/confirm', { body }), 401, 'auth.code_invalid');
    });

    it('refuse passkeys', async () => {
      const { name, authenticator } = await passkeys.owner(createAuthenticator({ counter: null }));
      await tryBoth(name, 'passkey', () => passkeys.login(authenticator));
    });

    it('refuse social logins, and leave the session of the link; a social sign-up is none', async () => {
      const person = { id: world.unique('person'), name: 'Ann' };
      const login = () =>
        logInBy(world, 'google', world.backend.networks.google.issue({ person, clientId: APPS.google }));
      const { data } = await expectStatus(login(), 200);
      expect(seen).toEqual([]);
      clock.advance(MINUTE);
      await tryBoth(data.user.name, 'social', login);
    });

    it('record a refusal in the audit log', async () => {
      const { name } = await world.user();
      refuses = true;
      await factors.login(name);
      await world.backend.deliver();
      const { data } = await expectStatus(
        world.call('GET', '/admin/audit?act=login.failed', { basic: adminOf(world) }),
        200,
      );
      const reasons = data.map(({ details }: { details: { reason: string } }) => details.reason);
      expect(reasons).toContain('extension.refused');
    });
  },
  { clock, extensions: [gate] },
);
