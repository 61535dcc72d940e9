import { beforeAll, expect, it } from 'vitest';
import { createMailbox, PUBLIC_URL } from '../support/addresses.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'a verified address instead of the name',
  (world) => {
    const mailbox = createMailbox(world);
    beforeAll(() => mailbox.setUp());
    const login = (username: string, password = 'secret', more: object = {}, from = '127.0.0.1') =>
      world.call('POST', '/login', { from, body: { username, password, ...more } });
    const nameOf = async (username: string, password = 'secret') =>
      (await expectStatus(login(username, password), 200)).data.user.name;

    it('logs in, in every case, also with Basic credentials', async () => {
      const { name, email } = await mailbox.verifiedUser();
      expect([await nameOf(email), await nameOf(email.toUpperCase())]).toEqual([name, name]);
      const { data } = await expectStatus(world.call('GET', '/me', { basic: [email, 'secret'] }), 200);
      expect(data.user.name).toBe(name);
      expectCode(await login(email, 'wrong'), 401, 'auth.invalid');
      const { data: second } = await expectStatus(login(email), 200);
      await expectStatus(login(email, 'secret', { client: second.client }), 200);
    });

    it('does not log in before it is verified, or once it no longer is', async () => {
      const [ann, email] = [await world.user(), mailbox.unique()];
      const put = (token: string, visibleByTheUser: object) =>
        expectStatus(world.call('PUT', '/me', { token, body: { visibleByTheUser } }), 200);
      await put(ann.token, { email });
      await expectStatus(world.call('POST', '/me/email', { token: ann.token, body: { email } }), 200);
      expectCode(await login(email), 401, 'auth.invalid');
      const { code } = await mailbox.mailTo(email);
      await expectStatus(world.call('POST', '/me/email/confirm', { token: ann.token, body: { code } }), 200);
      expect(await nameOf(email)).toBe(ann.name);
      await put(ann.token, { email: mailbox.unique() });
      expectCode(await login(email), 401, 'auth.invalid');
      const bob = await mailbox.verifiedUser(world.unique('bob'), email);
      expect(await nameOf(email)).toBe(bob.name);
    });

    it('yields to a user who has it as a name', async () => {
      const { email } = await mailbox.verifiedUser();
      await expectStatus(world.call('POST', '/user', { body: { username: email, password: 'other' } }), 201);
      expect(await nameOf(email, 'other')).toBe(email);
      expectCode(await login(email), 401, 'auth.invalid');
    });

    it.each(['', '@', 'a@b', '@example.com', "' or '1'='1", 'a@b.cd\r\n', 'huge'])(
      'is refused as an unknown name when it is none: %j',
      async (username) => {
        const sent = username === 'huge' ? `${'a'.repeat(5000)}@b.cd` : username;
        expectCode(await login(sent), 401, 'auth.invalid');
      },
    );

    it('is refused for suspended users', async () => {
      const { name, email } = await mailbox.verifiedUser();
      await expectStatus(world.call('PUT', `/admin/user/suspend/${name}`, { basic: adminOf(world) }), 200);
      expectCode(await login(email), 401, 'auth.invalid');
    });
  },
  { clock, publicUrl: PUBLIC_URL },
);

onEveryStorage(
  'lock-outs with a verified address instead of the name',
  (world) => {
    const mailbox = createMailbox(world);
    beforeAll(() => mailbox.setUp());
    const login = (username: string, password: string, more: object = {}) =>
      world.call('POST', '/login', { body: { username, password, ...more } });

    it('count ten wrong passwords together, by name and by address', async () => {
      const { name, email } = await mailbox.verifiedUser();
      const { client } = (await expectStatus(login(email, 'secret'), 200)).data;
      const guesses = Array.from({ length: 40 }, (_, i) => login(i % 2 === 0 ? name : email, `wrong ${i}`));
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(30);
      for (const one of [name, email]) expectCode(await login(one, 'secret'), 429, 'auth.locked');
      await expectStatus(login(email, 'secret', { client }), 200);
      clock.advance(15 * MINUTE);
      await expectStatus(login(email, 'secret'), 200);
    });

    it('lock unknown addresses as known ones', async () => {
      const email = mailbox.unique('nobody');
      const statuses = [];
      for (let i = 0; i < 12; i++) statuses.push((await login(email, `wrong ${i}`)).status);
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    });
  },
  { clock, publicUrl: PUBLIC_URL, rateLimit: true },
);
