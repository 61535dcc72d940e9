import { beforeAll, expect, it } from 'vitest';
import { createMailbox } from '../support/addresses.ts';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const clock = createHandDrivenClock();
const DAY = 24 * 60 * MINUTE;

onEveryStorage(
  'a name that was given up',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const mailbox = createMailbox(world);
    beforeAll(async () => {
      await mailbox.setUp();
      await setSettings(world, 'Application', { 'guests.allowed': true, 'security.notices': true });
    });

    const password = 'secret';
    const rename = (name: string, username: string) =>
      call('PUT', '/me/username', { basic: [name, password], body: { username } });
    const signUp = (username: string) => call('POST', '/user', { body: { username, password } });
    const exists = async (username: string, by: string) =>
      (await call('GET', `/user/${username}/exists`, { basic: [by, password] })).data.exists;
    /** A user who has another name now. */
    async function renamed(name = world.unique('aperture')) {
      await world.user(name);
      const now = world.unique('renamed');
      await expectStatus(rename(name, now), 200);
      return { former: name, now };
    }

    it.each<[string, (username: string) => ReturnType<World['call']>]>([
      ['a sign-up', signUp],
      ['another user', async (username) => rename((await world.user()).name, username)],
      [
        'an administrator',
        (username) => call('POST', '/admin/user', { basic: adminOf(world), body: { username, password } }),
      ],
      [
        'an administrator who renames somebody',
        async (username) =>
          call('PUT', `/admin/user/${(await world.user()).name}`, { basic: adminOf(world), body: { username } }),
      ],
      [
        'a guest',
        async (username) => {
          const { data } = await expectStatus(call('POST', '/user/guest'), 201);
          return call('PUT', '/me/credentials', { token: data['X-BB-SESSION'], body: { username, password } });
        },
      ],
      [
        'a user with a generated name',
        async (username) => {
          const { data } = await expectStatus(call('POST', '/user/guest'), 201);
          return call('PUT', '/me', { token: data['X-BB-SESSION'], body: { username } });
        },
      ],
    ])('is taken for %s, in every spelling and for look-alikes', async (_who, take) => {
      const { former } = await renamed();
      for (const name of [former, former.toUpperCase(), former.replace('a', 'а')]) {
        expectCode(await take(name), 400, 'user.exists');
      }
    });

    it('is found by nobody, and can be taken back by its former owner', async () => {
      const { former, now } = await renamed();
      expect((await call('GET', `/user/${former}`)).status).toBe(404);
      expectCode(await call('POST', '/login', { body: { username: former, password } }), 401, 'auth.invalid');
      const other = await world.user();
      expect([await exists(former, other.name), await exists(former, now)]).toEqual([true, false]);
      await expectStatus(rename(now, former), 200);
      expect([await exists(former, other.name), await exists(now, other.name)]).toEqual([true, true]);
    });

    it('is free after 30 days, or after those of the setting', async () => {
      const { former } = await renamed();
      clock.advance(30 * DAY - MINUTE);
      await world.backend.sweep();
      expectCode(await signUp(former), 400, 'user.exists');
      clock.advance(MINUTE);
      await expectStatus(signUp(former), 201);
      await setSettings(world, 'Application', { 'usernames.reserved.days': 0 });
      const atOnce = await renamed();
      await expectStatus(signUp(atOnce.former), 201);
      await setSettings(world, 'Application', { 'usernames.reserved.days': 30 });
    });

    it('is reserved too when an administrator renames the user, and not when the user is removed', async () => {
      const { name } = await world.user();
      const username = world.unique('renamed');
      await expectStatus(call('PUT', `/admin/user/${name}`, { basic: adminOf(world), body: { username } }), 200);
      expectCode(await signUp(name), 400, 'user.exists');
      await expectStatus(call('DELETE', `/admin/user/${username}`, { basic: adminOf(world) }), 200);
      await expectStatus(signUp(name), 201);
    });

    it('goes to nobody while many try to take it at the moment of the change', async () => {
      const { name } = await world.user();
      const others = await Promise.all(Array.from({ length: 5 }, () => world.user()));
      const answers = await Promise.all([
        rename(name, world.unique('renamed')),
        signUp(name),
        ...others.map((other) => rename(other.name, name)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, ...Array(6).fill(400)]);
    });

    it('is announced to the owner by mail, as a suspension is', async () => {
      const { name, email } = await mailbox.verifiedUser();
      const noticesOf = async (work: () => ReturnType<World['call']>) => {
        const before = world.backend.mail.length;
        await expectStatus(work(), 200);
        await world.backend.deliver();
        return world.backend.mail.slice(before).filter(({ to }) => to === email);
      };
      const username = world.unique('renamed');
      const [mail, ...others] = await noticesOf(() => rename(name, username));
      expect([mail?.text, others]).toEqual([expect.stringContaining('The user name was changed.'), []]);
      expect(mail?.text).toContain(username);
      const next = world.unique('renamed');
      const byAdmin = () => call('PUT', `/admin/user/${username}`, { basic: adminOf(world), body: { username: next } });
      expect((await noticesOf(byAdmin)).map(({ text }) => text)).toEqual([
        expect.stringContaining('The user name was changed.'),
      ]);
      expect(await noticesOf(() => rename(next, next))).toEqual([]);
      const suspended = await noticesOf(() => call('PUT', '/me/suspend', { basic: [next, password] }));
      expect(suspended.map(({ text }) => text)).toEqual([expect.stringContaining('Your account was suspended.')]);
    });
  },
  { clock },
);
