import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox, PUBLIC_URL } from '../support/addresses.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { linkIn, openLink, request } from '../support/password-reset.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'spellings of a mail address',
  (world) => {
    const mailbox = createMailbox(world);
    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { 'login.by.mail': true });
    });

    const claim = (token: string, email: string) => world.call('POST', '/me/email', { token, body: { email } });
    const signUp = (username: string, email: string) =>
      world.call('POST', '/user', { body: { username, password: 'secret', visibleByTheUser: { email } } });
    const nameOf = async (username: string) =>
      (await expectStatus(world.call('POST', '/login', { body: { username, password: 'secret' } }), 200)).data.user
        .name;

    describe('that browsers accept', () => {
      it.each(["o'brien@example.org", "!#$%&'*+-/=?^_`{|}~.x@example.org", 'ann@intranet'])(
        'are accepted everywhere: %s',
        async (given) => {
          const email = `${world.unique('ann')}${given}`;
          const name = world.unique('ann');
          const { data } = await expectStatus(signUp(name, email), 201);
          const token = data['X-BB-SESSION'];
          await expectStatus(world.call('PUT', '/me', { token, body: { visibleByTheUser: { email, n: 1 } } }), 200);
          await expectStatus(claim(token, email), 200);
          const { code } = await mailbox.mailTo(email);
          await expectStatus(world.call('POST', '/me/email/confirm', { token, body: { code } }), 200);
          expect(await nameOf(email)).toBe(name);
          const invited = { username: world.unique('bob'), password: 'secret', visibleByTheUser: { email } };
          await expectStatus(world.call('POST', '/admin/user', { basic: adminOf(world), body: invited }), 201);
          await expectStatus(
            world.call('POST', '/admin/mail/test', { basic: adminOf(world), body: { to: email } }),
            200,
          );
          const sender = { basic: adminOf(world), body: { value: email } };
          await expectStatus(world.call('PUT', '/admin/configuration/PasswordRecovery/email.from', sender), 200);
          await expectStatus(
            world.call('PUT', '/admin/configuration/PasswordRecovery/email.from', { ...sender, body: { value: '' } }),
            200,
          );
        },
      );
    });

    describe('of one domain', () => {
      /** Unicode, Punycode, capital letters with a combining mark, full-width letters, an ideographic full stop. */
      const DOMAINS = ['b\u00fccher.example', 'xn--bcher-kva.example', 'BU\u0308CHER.Example'];
      const MORE = ['\uff42\u00fc\uff43her.example', 'b\u00fccher\u3002example', 'b\u00fc\u00adcher.example'];
      const spellings = (local: string) => [...DOMAINS, ...MORE].map((domain) => `${local}@${domain}`);

      it('belong to one user', async () => {
        const [first = '', ...others] = spellings(world.unique('ann'));
        await mailbox.verifiedUser(world.unique('ann'), first);
        const bob = await world.user();
        for (const email of others) {
          await expectStatus(claim(bob.token, email), 200);
          const { code } = await mailbox.mailTo(email.normalize('NFC'));
          expectCode(
            await world.call('POST', '/me/email/confirm', { token: bob.token, body: { code } }),
            409,
            'email.taken',
          );
        }
      });

      it('log in, with the password and with a code', async () => {
        const all = spellings(world.unique('ann'));
        const { name, email } = await mailbox.verifiedUser(world.unique('ann'), all[1]);
        for (const username of all) {
          expect(await nameOf(username)).toBe(name);
          const { data } = await expectStatus(world.call('POST', '/login/code', { body: { email: username } }), 200);
          const { code } = await mailbox.mailTo(email);
          const answer = { challenge: data.challenge, code };
          await expectStatus(world.call('POST', '/login/code/confirm', { body: answer }), 200);
        }
      });

      it('get a link for a new password', async () => {
        const all = spellings(world.unique('ann'));
        const { email } = await mailbox.verifiedUser(world.unique('ann'), all[1]);
        for (const username of all.slice(0, 5)) {
          const before = (await mailbox.mailsTo(email)).length;
          await expectStatus(request(world, username), 200);
          const mails = await mailbox.mailsTo(email);
          expect(mails).toHaveLength(before + 1);
          expect((await openLink(world, linkIn(mails.at(-1)?.text).path)).status).toBe(200);
        }
      });

      it('are no change of the address', async () => {
        const all = spellings(world.unique('ann'));
        const { token } = await mailbox.verifiedUser(world.unique('ann'), all[0]);
        for (const email of all) {
          await expectStatus(world.call('PUT', '/me', { token, body: { visibleByTheUser: { email } } }), 200);
          expect((await world.call('GET', '/me', { token })).data.email_verified).toBe(true);
        }
      });

      it('accept an invitation to the address', async () => {
        const [first = '', second] = spellings(world.unique('ann'));
        const [owner, ann] = [await world.user(), await mailbox.verifiedUser(world.unique('ann'), second)];
        const group = { token: owner.token, body: { name: world.unique('team') } };
        const { data } = await expectStatus(world.call('POST', '/group', group), 201);
        const invitation = { token: owner.token, body: { email: first } };
        const made = await expectStatus(world.call('POST', `/group/${data.id}/invitation`, invitation), 201);
        await expectStatus(world.call('POST', `/invitation/${made.data.code}`, { token: ann.token }), 200);
      });

      it('are refused without a domain', async () => {
        for (const email of ['a@\u00ad', 'a@\u3002', 'a@b\uff0e', 'a@\uff0eb.example', 'a@b\u2060.\u2060']) {
          expectCode(await signUp(world.unique('ann'), email), 400, 'user.email_invalid');
        }
      });
    });
  },
  { clock, publicUrl: PUBLIC_URL },
);
