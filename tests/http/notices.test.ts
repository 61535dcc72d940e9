import { createAuthenticator } from '@baobab/contracts/webauthn';
import { beforeAll, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { requestLink, submit } from '../support/password-reset.ts';
import { adminOf, expectStatus, loginAs, setSettings } from '../support/people.ts';
import { codeAt, STEP_MS } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const DAY = 24 * 60 * MINUTE;

onEveryStorage(
  'notices',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    beforeAll(() => setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' }));

    /** A user with a verified address. */
    async function ann() {
      const { name, token } = await world.user();
      const email = `${name}@example.org`;
      await expectStatus(call('POST', '/me/email', { token, body: { email } }), 200);
      await world.backend.deliver();
      const code = /^(\d{6})$/m.exec(world.backend.mail.findLast(({ to }) => to === email)?.text ?? '')?.[1];
      await expectStatus(call('POST', '/me/email/confirm', { token, body: { code } }), 200);
      return { name, token, email };
    }

    /** The mails to an address that `work` causes. */
    async function mailsTo(email: string, work: () => Promise<unknown>) {
      const before = world.backend.mail.length;
      await work();
      await world.backend.deliver();
      return world.backend.mail.slice(before).filter(({ to }) => to === email);
    }

    const login = (name: string, client?: string, agent = 'Phone/1.0') =>
      call('POST', '/login', {
        body: { username: name, password: 'secret', client },
        headers: { 'user-agent': agent },
      });

    it('tell a user of a login from a client that is new, and not of one from a known client', async () => {
      const { name, email } = await ann();
      let client = '';
      const [mail, ...others] = await mailsTo(email, async () => {
        client = (await expectStatus(login(name), 200)).data.client;
      });
      expect(others).toEqual([]);
      expect(mail?.subject).toBe('News about your account');
      for (const text of [mail?.text, mail?.html]) {
        expect(text).toContain('There was a login to your account from a new client.');
        expect(text).toContain('127.0.0.0/24');
        expect(text).toContain('Phone/1.0');
        expect(text).toContain(name);
        expect(text).not.toContain('$');
      }
      expect(await mailsTo(email, () => expectStatus(login(name, client), 200))).toEqual([]);
      expect(await mailsTo(email, () => login(name, undefined, 'wrong'))).toHaveLength(1);
    });

    it('tell nobody of a login that fails, and nobody without a verified address', async () => {
      const { name, email } = await ann();
      const wrong = () => call('POST', '/login', { body: { username: name, password: 'wrong' } });
      expect(await mailsTo(email, wrong)).toEqual([]);
      const bob = await world.user();
      const claimed = `${bob.name}@example.org`;
      const body = { visibleByTheUser: { email: claimed } };
      await expectStatus(call('PUT', '/me', { token: bob.token, body }), 200);
      expect(await mailsTo(claimed, () => expectStatus(login(bob.name), 200))).toEqual([]);
    });

    it('tell of changes of the password, each way once', async () => {
      const { name, token, email } = await ann();
      const change = () => call('PUT', '/me/password', { token, body: { old: 'secret', new: 'second' } });
      const [changed, ...more] = await mailsTo(email, () => expectStatus(change(), 200));
      expect(more).toEqual([]);
      expect(changed?.text).toContain('The password was changed.');
      const refused = () => call('PUT', '/me/password', { token, body: { old: 'wrong', new: 'x' } });
      expect(await mailsTo(email, refused)).toEqual([]);
      const link = await requestLink(world, name);
      const [reset] = await mailsTo(email, () => expectStatus(submit(world, link, 'third'), 200));
      expect(reset?.text).toContain('The password was reset');
      const set = { basic: adminOf(world), body: { password: 'fourth' } };
      expect(await mailsTo(email, () => call('PUT', `/admin/user/${name}/password`, set))).toHaveLength(1);
    });

    it('tell of second factors and passkeys that come and go', async () => {
      const { token, email, name } = await ann();
      const { secret } = (await expectStatus(call('POST', '/me/totp', { token }), 200)).data;
      const confirm = () => call('POST', '/me/totp/confirm', { token, body: { code: codeAt(secret, clock.now()) } });
      const events: string[] = [];
      const collect = async (work: () => Promise<unknown>) => {
        for (const { text } of await mailsTo(email, work)) events.push(text.split('\n')[2] ?? '');
      };
      await collect(() => expectStatus(confirm(), 200));
      clock.advance(STEP_MS);
      await collect(() => call('DELETE', '/me/totp', { token, body: { code: codeAt(secret, clock.now()) } }));
      const passkeys = createPasskeyCalls(world);
      let id = '';
      await collect(async () => {
        id = (await expectStatus(passkeys.register(token, createAuthenticator()), 201)).data.id;
      });
      await collect(() => expectStatus(call('DELETE', `/me/passkeys/${id}`, { token }), 200));
      expect(events).toEqual([
        'A second factor was turned on.',
        'The second factor was turned off.',
        'A passkey was added.',
        'A passkey was removed.',
      ]);
      await expectStatus(passkeys.register(token, createAuthenticator()), 201);
      const reset = { basic: adminOf(world) };
      expect(await mailsTo(email, () => call('DELETE', `/admin/user/${name}/factors`, reset))).toHaveLength(2); // added, removed
    });

    it('tell the former address when a profile no longer has it', async () => {
      const { token, email } = await ann();
      const body = { visibleByTheUser: { email: 'thief@example.org' } };
      const mails = await mailsTo(email, () => expectStatus(call('PUT', '/me', { token, body }), 200));
      expect(mails.map(({ subject }) => subject)).toEqual(['Your address has changed']);
      expect(await mailsTo('thief@example.org', () => loginAs(world, 'admin', world.backend.adminPassword))).toEqual(
        [],
      );
    });

    it('are at most five a day for logins, of which the last says so, and those of changes still come', async () => {
      const { name, token, email } = await ann();
      const mails = await mailsTo(email, async () => {
        for (let times = 0; times < 12; times++) {
          await expectStatus(login(name), 200);
          await world.backend.deliver(); // mails that wait together may be sent in any order
        }
      });
      expect(mails).toHaveLength(5);
      expect(mails.map(({ text }) => text.includes('will get no more mails'))).toEqual([
        false,
        false,
        false,
        false,
        true,
      ]);
      const change = () => call('PUT', '/me/password', { token, body: { old: 'secret', new: 'secret' } });
      expect(await mailsTo(email, () => expectStatus(change(), 200))).toHaveLength(1);
      clock.advance(DAY + MINUTE);
      expect(await mailsTo(email, () => expectStatus(login(name), 200))).toHaveLength(1);
    });

    it('are at most 20 a day for changes, also when these come at once', async () => {
      const { name, email } = await ann();
      const set = { basic: adminOf(world), body: { password: 'secret' } };
      const mails = await mailsTo(email, () =>
        Promise.all(Array.from({ length: 30 }, () => call('PUT', `/admin/user/${name}/password`, set))),
      );
      expect(mails).toHaveLength(20);
    });

    it('escape what clients call themselves, and add no lines', async () => {
      const { name, email } = await ann();
      const agent = '<a href="https://evil.example">x</a>\tTo: you';
      const [mail] = await mailsTo(email, () => expectStatus(login(name, undefined, agent), 200));
      expect(mail?.html).toContain('&lt;a href=');
      expect(mail?.html).not.toContain('<a ');
      expect(mail?.text).toContain('127.0.0.0/24 <a href="https://evil.example">x</a> To: you\n');
    });

    it('are switched off by the setting, and while no mail server is set up', async () => {
      const { name, token, email } = await ann();
      await setSettings(world, 'Application', { 'security.notices': false });
      const change = () => call('PUT', '/me/password', { token, body: { old: 'secret', new: 'secret' } });
      expect(await mailsTo(email, () => expectStatus(change(), 200))).toEqual([]);
      await setSettings(world, 'Application', { 'security.notices': true });
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': '' });
      expect(await mailsTo(email, () => expectStatus(change(), 200))).toEqual([]);
      expect(await mailsTo(email, () => expectStatus(login(name), 200))).toEqual([]);
      await setSettings(world, 'PasswordRecovery', { 'network.smtp.host': 'mail.example.com' });
      expect(await mailsTo(email, () => expectStatus(login(name), 200))).toHaveLength(1);
    });
  },
  { clock },
);
