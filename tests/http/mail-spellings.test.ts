import { beforeAll, describe, expect, it } from 'vitest';
import { createMailbox, PUBLIC_URL } from '../support/addresses.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'spellings of a mail address',
  (world) => {
    const mailbox = createMailbox(world);
    beforeAll(() => mailbox.setUp());

    const claim = (token: string, email: string) => world.call('POST', '/me/email', { token, body: { email } });
    const nameOf = async (username: string) =>
      (await expectStatus(world.call('POST', '/login', { body: { username, password: 'secret' } }), 200)).data.user
        .name;

    describe('that browsers accept', () => {
      it.each(["o'brien@example.org", "!#$%&'*+-/=?^_`{|}~.x@example.org", 'ann@intranet'])(
        'are accepted everywhere: %s',
        async (given) => {
          const email = `${world.unique('ann')}${given}`;
          const name = world.unique('ann');
          const body = { username: name, password: 'secret', visibleByTheUser: { email } };
          const { data } = await expectStatus(world.call('POST', '/user', { body }), 201);
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
  },
  { clock, publicUrl: PUBLIC_URL },
);
