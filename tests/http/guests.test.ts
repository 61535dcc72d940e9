import { createAuthenticator } from '@baobab/contracts/webauthn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { filePart, upload } from '../support/files.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { adminOf, expectStatus, loginAs, namesIn, setSettings } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const DAY = 24 * 60 * MINUTE;
const BATCH = 100;
const clock = createHandDrivenClock();

onEveryStorage(
  'guests',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const passkeys = createPasskeyCalls(world);

    beforeAll(async () => {
      await setSettings(world, 'Application', { 'guests.allowed': true });
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'client-id' });
    });

    async function using(values: Record<string, unknown>, back: Record<string, unknown>, work: () => Promise<void>) {
      await setSettings(world, 'Application', values);
      try {
        await work();
      } finally {
        await setSettings(world, 'Application', back);
      }
    }

    async function guest() {
      const { data } = await expectStatus(call('POST', '/user/guest'), 201);
      return { id: data.id as string, name: data.user.name as string, token: data['X-BB-SESSION'] as string };
    }
    const choose = (token: string, username: string, password = 'chosen') =>
      call('PUT', '/me/credentials', { token, body: { username, password } });
    const me = async (token: string) => (await expectStatus(call('GET', '/me', { token }), 200)).data;
    /** Is recorded before it is answered, so that the clock may leap. */
    const visit = (token: string) => expectStatus(call('GET', '/refresh', { token }), 200);
    const isThere = async (name: string) =>
      (await call('GET', `/admin/user/${name}`, { basic: adminOf(world) })).status === 200;
    /** The session of the world's administrator does not last when the clock moves. */
    const newCollection = async () => {
      const name = world.unique('notes');
      await expectStatus(call('POST', `/admin/collection/${name}`, { basic: adminOf(world) }), 201);
      return name;
    };
    const proofOf = (id: string) => {
      const oauth_token = world.backend.networks.google.issue({ person: { id }, clientId: 'client-id' });
      return { oauth_token, oauth_secret: oauth_token };
    };

    describe('POST /user/guest', () => {
      it('makes a user with a generated name and a session', async () => {
        const { data, headers } = await expectStatus(call('POST', '/user/guest'), 201);
        const token = data['X-BB-SESSION'];
        expect(headers['x-bb-session']).toBe(token);
        expect(data).toMatchObject({
          user: { name: expect.stringMatching(/^guest-[\w-]{22}$/), roles: [{ name: 'registereduser' }] },
          generated_username: true,
          guest: true,
          client: expect.stringMatching(/^[\w-]{44}$/),
        });
        expect(await me(token)).toMatchObject({ id: data.id, guest: true });
        const again = await call('POST', '/user/guest', { body: { client: data.client } });
        expect(again.data.client).toHaveLength(66);
        expect(again.data.id).not.toBe(data.id);
      });

      it('tells the guest and administrators, and nobody else, that it is a guest', async () => {
        const { name, id } = await guest();
        const ann = await world.user();
        const shown = await call('GET', `/user/${name}`, { token: ann.token });
        expect([shown.data.id, 'guest' in shown.data]).toEqual([id, false]);
        const { data } = await call('GET', `/admin/user/${name}`, { basic: adminOf(world) });
        expect(data.guest).toBe(true);
        expect('guest' in (await me(ann.token))).toBe(false);
      });

      it('is 403 unless the setting allows guests, and while the registration is closed or demands an address', async () => {
        await using({ 'guests.allowed': false }, { 'guests.allowed': true }, async () => {
          expectCode(await call('POST', '/user/guest'), 403, 'guest.disabled');
        });
        await using({ 'registration.open': false }, { 'registration.open': true }, async () => {
          expectCode(await call('POST', '/user/guest'), 403, 'registration.closed');
        });
        const demanded = { 'registration.verified.email': true };
        await using(demanded, { 'registration.verified.email': false }, async () => {
          expectCode(await call('POST', '/user/guest'), 403, 'guest.disabled');
        });
      });

      it('gives no way to log in besides the session', async () => {
        const { name } = await guest();
        for (const password of ['', name, 'null']) {
          expectCode(await call('POST', '/login', { body: { username: name, password } }), 401, 'auth.invalid');
          expect((await call('GET', '/me', { basic: [name, password] })).status).toBe(401);
        }
      });
    });

    describe('PUT /me/credentials', () => {
      it('makes the guest permanent, at any time', async () => {
        const { id, token } = await guest();
        clock.advance(20 * MINUTE);
        const username = world.unique('chosen');
        const { data } = await expectStatus(choose(token, username), 200);
        expect(data).toMatchObject({ id, user: { name: username }, generated_username: false });
        expect('guest' in data).toBe(false);
        const { 'X-BB-SESSION': next, client, ...profile } = data;
        expect([next === token, client]).toEqual([false, expect.stringMatching(/^[\w-]{44}$/)]);
        expect([await me(token), await me(next)]).toEqual([profile, profile]);
        expect((await me(await loginAs(world, username, 'chosen'))).id).toBe(id);
        expect(await namesIn(world, `/users?where=user.name=?&params=${username}`, { token })).toEqual([username]);
      });

      it('is refused to everybody else', async () => {
        const ann = await world.user();
        expectCode(await choose(ann.token, world.unique('x')), 403, 'guest.required');
        const { token } = await guest();
        await expectStatus(choose(token, world.unique('chosen')), 200);
        expectCode(await choose(token, world.unique('x')), 403, 'guest.required');
        expectCode(
          await call('PUT', '/me/credentials', { body: { username: 'x', password: 'y' } }),
          401,
          'auth.required',
        );
        await loginAs(world, ann.name);
      });

      it('refuses names as a sign-up does, and changes nothing then', async () => {
        const { name, token } = await guest();
        const ann = await world.user(world.unique('aperture'));
        const lookalike = ann.name.replace('a', 'а');
        for (const [username, code] of [
          [ann.name, 'user.exists'],
          [ann.name.toUpperCase(), 'user.exists'],
          [lookalike, 'user.exists'],
          ['admin', 'user.internal'],
          ['', 'user.name_invalid'],
          ['x/y', 'user.name_invalid'],
          ['suspend', 'user.internal'],
        ] as const) {
          expectCode(await choose(token, username), 400, code);
        }
        await using({ 'password.min.length': 8 }, { 'password.min.length': 0 }, async () => {
          expectCode(await choose(token, world.unique('chosen'), 'short'), 400, 'password.too_weak');
        });
        expect(await me(token)).toMatchObject({ user: { name }, guest: true });
      });

      it('takes one of many names that are chosen at once, and gives one name to one of many guests', async () => {
        const one = await guest();
        const names = Array.from({ length: 10 }, () => world.unique('either'));
        const chosen = await Promise.all(names.map((username) => choose(one.token, username)));
        expect(chosen.filter(({ status }) => status === 200)).toHaveLength(1);
        const taken = await Promise.all(names.map(isThere));
        expect(taken.filter(Boolean)).toHaveLength(1);

        const guests = await Promise.all(Array.from({ length: 10 }, guest));
        const username = world.unique('same');
        const answers = await Promise.all(guests.map(({ token }) => choose(token, username)));
        expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([
          200,
          ...Array(9).fill('user.exists'),
        ]);
      });
    });

    describe('a guest who stays', () => {
      const content = (n: number) => ({ n, text: `text ${n}` });

      async function fill(token: string, collection: string): Promise<Answer> {
        const operations = (first: number) =>
          Array.from({ length: BATCH }, (_, i) => ({
            method: 'POST',
            path: `/document/${collection}`,
            body: content(first + i),
          }));
        for (let first = 0; first < 1_000; first += BATCH) {
          const body = { atomic: true, operations: operations(first) };
          await expectStatus(call('POST', '/batch', { token, body }), 200);
        }
        return expectStatus(upload(world, token, filePart('of a guest')), 201);
      }

      it.each<[string, (token: string) => Promise<{ readonly login: () => Promise<Answer> }>]>([
        [
          'a name and a password',
          async (token) => {
            const username = world.unique('stays');
            await expectStatus(choose(token, username), 200);
            return { login: () => call('POST', '/login', { body: { username, password: 'chosen' } }) };
          },
        ],
        [
          'a passkey',
          async (token) => {
            const authenticator = createAuthenticator();
            await expectStatus(passkeys.register(token, authenticator), 201);
            return { login: () => passkeys.login(authenticator) };
          },
        ],
        [
          'a social network',
          async (token) => {
            const person = world.unique('person');
            await expectStatus(call('PUT', '/social/google', { token, body: proofOf(person) }), 200);
            return { login: () => call('POST', '/social/google', { body: proofOf(person) }) };
          },
        ],
      ])('keeps 1,000 documents and files with %s', async (_way, keep) => {
        const collection = await newCollection();
        const { id, token } = await guest();
        const { data: file } = await fill(token, collection);
        const friend = await world.user();
        await expectStatus(call('POST', `/follow/${friend.name}`, { token }), 201);
        clock.advance(20 * DAY);
        const { login } = await keep(token);
        expect(await me(token)).not.toHaveProperty('guest');
        clock.advance(40 * DAY);
        await world.backend.sweep();
        expect((await call('GET', '/me', { token })).status).toBe(401);
        const { data } = await expectStatus(login(), 200);
        expect([data.id, 'guest' in data]).toEqual([id, false]);
        const own = { token: data['X-BB-SESSION'] as string };
        const count = `/document/${collection}/count`;
        expect((await call('GET', count, own)).data.count).toBe(1_000);
        const where = encodeURIComponent('n = 999');
        const [last] = (await call('GET', `/document/${collection}?where=${where}`, own)).data;
        expect(last).toMatchObject({ ...content(999), _author: data.user.name });
        await expectStatus(call('PUT', `/document/${collection}/${last.id}`, { ...own, body: content(1) }), 200);
        const bytes = await expectStatus(call('GET', `/file/${file.id}`, own), 200);
        expect(bytes.text).toBe('of a guest');
        expect(await namesIn(world, '/following', own)).toEqual([friend.name]);
      });

      it('stays by setting a password for the generated name, or one that an administrator sets', async () => {
        const [one, two] = [await guest(), await guest()];
        await expectStatus(call('PUT', '/me/password', { token: one.token, body: { new: 'first' } }), 200);
        const url = `/admin/user/${two.name}/password`;
        await expectStatus(call('PUT', url, { basic: adminOf(world), body: { password: 'first' } }), 200);
        clock.advance(40 * DAY);
        await world.backend.sweep();
        for (const { name } of [one, two])
          expect(await me(await loginAs(world, name, 'first'))).not.toHaveProperty('guest');
      });
    });

    describe('a guest who does not come back', () => {
      afterAll(() => setSettings(world, 'Application', { 'guests.expire.days': 30 }));

      it('has a session that lasts as long as the guest', async () => {
        const { token } = await guest();
        for (let visits = 0; visits < 3; visits++) {
          clock.advance(29 * DAY);
          await world.backend.sweep();
          await visit(token);
        }
        clock.advance(32 * DAY);
        expect((await call('GET', '/me', { token })).status).toBe(401);
      });

      it('is removed after the days of the setting, with everything', async () => {
        const collection = await newCollection();
        const [gone, other, kept] = [await guest(), await guest(), await guest()];
        const reader = await world.user();
        const created = await call('POST', `/document/${collection}`, { token: gone.token, body: { a: 1 } });
        const grant = `/document/${collection}/${created.data.id}/read/user/${reader.name}`;
        await expectStatus(call('PUT', grant, { token: gone.token }), 200);
        await world.caughtUp();
        const { body: before } = await call('GET', '/changes', { basic: [reader.name, 'secret'] });
        clock.advance(16 * DAY);
        await visit(other.token);
        await expectStatus(choose(kept.token, world.unique('kept')), 200);
        clock.advance(16 * DAY);
        await world.backend.sweep();
        expect(await isThere(gone.name)).toBe(false);
        expect((await call('GET', '/me', { token: gone.token })).status).toBe(401);
        await world.caughtUp();
        const { data: changes } = await call('GET', `/changes?since=${before.next}`, {
          basic: [reader.name, 'secret'],
        });
        expect(changes).toEqual([{ type: 'gone', collection, id: created.data.id }]);
        expect(await isThere(other.name)).toBe(true);
        expect((await me(other.token)).id).toBe(other.id);
        clock.advance(400 * DAY);
        await world.backend.sweep();
        expect(await isThere(other.name)).toBe(false);
      });

      it('is never removed with 0 days', async () => {
        await setSettings(world, 'Application', { 'guests.expire.days': 0 });
        const { name, token } = await guest();
        clock.advance(4_000 * DAY);
        await world.backend.sweep();
        expect([await isThere(name), (await me(token)).guest]).toEqual([true, true]);
        await setSettings(world, 'Application', { 'guests.expire.days': 7 });
        clock.advance(8 * DAY);
        await world.backend.sweep();
        expect(await isThere(name)).toBe(false);
      });

      it('becomes permanent or is removed, when both happen at once', async () => {
        await setSettings(world, 'Application', { 'guests.expire.days': 30 });
        const guests = await Promise.all(Array.from({ length: 8 }, guest));
        // Their sessions are still valid, and the housekeeping believes otherwise.
        const names = guests.map(() => world.unique('racer'));
        const chosen = guests.map(({ token }, i) => choose(token, names[i] ?? ''));
        clock.advance(32 * DAY);
        await world.backend.sweep();
        const statuses = (await Promise.all(chosen)).map(({ status }) => status);
        for (const [i, status] of statuses.entries()) {
          expect([200, 401]).toContain(status);
          expect(await isThere(names[i] ?? '')).toBe(status === 200);
          expect(await isThere(guests[i]?.name ?? '')).toBe(false);
        }
      });
    });
  },
  { clock },
);
