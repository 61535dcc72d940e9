import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { WIRE_DATE } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs } from '../support/people.ts';
import { codeAt, protectedUser, STEP_MS } from '../support/second-factor.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'sessions',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const statusOf = async (token: string) => (await call('GET', '/me', { token })).status;

    /** Use is recorded outside the request: wait until it is, as 14 minutes would. */
    async function useRecorded(token: string): Promise<void> {
      const lastUse = async () => Date.parse((await call('GET', '/me/sessions', { token })).data[0].lastUse);
      await expect.poll(lastUse).toBe(clock.now());
    }

    describe('GET /refresh', () => {
      it('answers like a login and keeps the session alive', async () => {
        const { name, token } = await world.user();
        for (let i = 0; i < 4; i++) {
          clock.advance(14 * MINUTE);
          const { data } = await expectStatus(call('GET', '/refresh', { token }), 200);
          expect([data.user.name, data['X-BB-SESSION']]).toEqual([name, token]);
        }
        clock.advance(16 * MINUTE);
        const { body } = await call('GET', '/refresh', { token });
        expect([body.http_code, body.bb_code]).toEqual([401, '40101']);
      });

      it('requires a session', async () => {
        const { name } = await world.user();
        expectFailure(await call('GET', '/refresh'), 401);
        expectFailure(await call('GET', '/refresh', { token: 'stale' }), 401);
        expectFailure(await call('GET', '/refresh', { basic: [name, 'secret'] }), 401);
      });
    });

    it('a session ends after 15 minutes without use; every request counts as use', async () => {
      const { token } = await world.user();
      for (let i = 0; i < 5; i++) {
        clock.advance(14 * MINUTE);
        expect(await statusOf(token)).toBe(200);
        await useRecorded(token);
      }
      clock.advance(15 * MINUTE + MINUTE);
      expect(await statusOf(token)).toBe(401);
    });

    describe('GET /me/sessions', () => {
      it('lists the sessions of the caller, newest first, without their tokens', async () => {
        const { name, token } = await world.user();
        clock.advance(1000);
        const deviceId = world.unique('phone');
        const second = await loginAs(world, name, 'secret', { os: 'android', deviceId });
        const { data, text } = await expectStatus(call('GET', '/me/sessions', { token }), 200);
        const time = expect.stringMatching(WIRE_DATE);
        const id = expect.any(String);
        const origin = { network: '127.0.0.0/24', client: 'lightMyRequest', factor: null };
        expect(data).toEqual([
          { id, device: { id: deviceId, os: 'android' }, created: time, lastUse: time, ...origin, current: false },
          { id, device: null, created: time, lastUse: time, ...origin, current: true },
        ]);
        expect(Date.parse(data[0].created)).toBe(Date.parse(data[1].created) + 1000);
        for (const secret of [token, second]) expect(text).not.toContain(secret);
        expect(await statusOf(data[0].id)).toBe(401);
      });

      it.each([
        ['192.0.2.77', '192.0.2.0/24'],
        ['::ffff:192.0.2.78', '192.0.2.0/24'],
        ['2001:db8:0a1:2::7', '2001:db8:a1::/48'],
        ['2001:db8::1', '2001:db8::/48'],
        ['::1', '::/48'],
      ])('shows a prefix of the address %s, and the client', async (from, network) => {
        const { name } = await world.user();
        const headers = { 'user-agent': `my app ${'x'.repeat(300)}` };
        const { data: login } = await call('POST', '/login', {
          body: { username: name, password: 'secret' },
          from,
          headers,
        });
        const { data } = await call('GET', '/me/sessions', { token: login['X-BB-SESSION'] });
        const current = data.find(({ current }: { current: boolean }) => current);
        expect([current.network, current.client]).toEqual([network, headers['user-agent'].slice(0, 256)]);
      });

      it('shows the second factor of the login', async () => {
        const user = await protectedUser(world, clock.now);
        clock.advance(STEP_MS);
        const body = { username: user.name, password: 'secret' };
        const code = codeAt(user.secret, clock.now());
        const { data: first } = await expectStatus(call('POST', '/login', { body: { ...body, code } }), 200);
        clock.advance(1000);
        const { challenge } = (await call('POST', '/login', { body })).body;
        const answer = { challenge, recovery_code: user.recoveryCodes[0] };
        await expectStatus(call('POST', '/login/second', { body: answer }), 200);
        const { data } = await call('GET', '/me/sessions', { token: first['X-BB-SESSION'] });
        expect(data.map(({ factor }: { factor: string }) => factor)).toEqual(['recovery_code', 'totp', null]);
      });

      it('leaves out what has expired', async () => {
        const { name, token } = await world.user();
        clock.advance(10 * MINUTE);
        const second = await loginAs(world, name);
        clock.advance(10 * MINUTE);
        expect(await statusOf(token)).toBe(401);
        const { data } = await call('GET', '/me/sessions', { token: second });
        expect(data.map(({ current }: { current: boolean }) => current)).toEqual([true]);
      });

      it('marks no session as current with Basic credentials, and requires a user', async () => {
        const { name } = await world.user();
        const { data } = await call('GET', '/me/sessions', { basic: [name, 'secret'] });
        expect(data.map(({ current }: { current: boolean }) => current)).toEqual([false]);
        expectFailure(await call('GET', '/me/sessions'), 401);
      });
    });

    describe('DELETE /me/sessions/:id', () => {
      async function idsOf(token: string): Promise<string[]> {
        return (await call('GET', '/me/sessions', { token })).data.map(({ id }: { id: string }) => id);
      }

      it('ends one of the caller’s sessions immediately, even the current one', async () => {
        const { name, token } = await world.user();
        clock.advance(1000);
        const other = await loginAs(world, name);
        const [newest = '', oldest = ''] = await idsOf(token);
        expect(await statusOf(other)).toBe(200);
        const { data } = await expectStatus(call('DELETE', `/me/sessions/${newest}`, { token }), 200);
        expect([data, await statusOf(other), await statusOf(token)]).toEqual(['', 401, 200]);
        await expectStatus(call('DELETE', `/me/sessions/${oldest}`, { token }), 200);
        expect(await statusOf(token)).toBe(401);
      });

      it('is 404 for a session of another user and for one that does not exist', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        const [id = ''] = await idsOf(ann.token);
        for (const path of [id, 'nothing', encodeURIComponent(ann.token)]) {
          expectFailure(await call('DELETE', `/me/sessions/${path}`, { token: bob.token }), 404);
        }
        expect(await statusOf(ann.token)).toBe(200);
        expectFailure(await call('DELETE', `/me/sessions/${id}`), 401);
      });
    });

    describe('DELETE /me/sessions', () => {
      it('ends all other sessions of the caller immediately, and nobody else’s', async () => {
        const [ann, bob] = [await world.user(), await world.user()];
        const others = [await loginAs(world, ann.name), await loginAs(world, ann.name)];
        for (const token of others) expect(await statusOf(token)).toBe(200);
        await expectStatus(call('DELETE', '/me/sessions', { token: ann.token }), 200);
        expect(await Promise.all(others.map(statusOf))).toEqual([401, 401]);
        expect([await statusOf(ann.token), await statusOf(bob.token)]).toEqual([200, 200]);
        await expectStatus(call('DELETE', '/me/sessions', { token: ann.token }), 200);
      });

      it('ends all of them with Basic credentials, and requires a user', async () => {
        const ann = await world.user();
        await expectStatus(call('DELETE', '/me/sessions', { basic: [ann.name, 'secret'] }), 200);
        expect(await statusOf(ann.token)).toBe(401);
        expectFailure(await call('DELETE', '/me/sessions'), 401);
      });
    });

    describe('no session begun with old credentials outlives a change of them', () => {
      /** Logs in repeatedly until the change is made. Resolves to all tokens received. */
      async function tokensDuring(name: string, change: () => Promise<unknown>): Promise<string[]> {
        const tokens: string[] = [];
        let isMade = false;
        const attempts = Array.from({ length: 8 }, async () => {
          while (!isMade) {
            const { data } = await call('POST', '/login', { body: { username: name, password: 'secret' } });
            if (data !== undefined) tokens.push(data['X-BB-SESSION']);
          }
        });
        await expect.poll(() => tokens.length).toBeGreaterThan(8);
        await change();
        isMade = true;
        await Promise.all(attempts);
        return tokens;
      }

      it.each<readonly [string, (name: string, token: string) => Promise<unknown>]>([
        [
          'another password',
          (_name, token) => call('PUT', '/me/password', { token, body: { old: 'secret', new: 'new' } }),
        ],
        ['a suspension that is lifted', (_name, token) => call('PUT', '/me/suspend', { token })],
      ])('%s, during concurrent log-ins', async (_what, change) => {
        for (let round = 0; round < 6; round++) {
          const { name, token } = await world.user();
          const tokens = await tokensDuring(name, () => change(name, token));
          await expectStatus(call('PUT', `/admin/user/activate/${name}`, { basic: adminOf(world) }), 200);
          const statuses = await Promise.all(tokens.map(statusOf));
          expect(statuses).toEqual(statuses.map(() => 401));
        }
      });
    });

    describe('devices', () => {
      const phone = () => ({ os: 'ios', deviceId: world.unique('phone') });
      const devicesOf = async (token: string) => {
        const { data } = await call('GET', '/me/sessions', { token });
        return data.flatMap(({ device }: { device: { id: string } | null }) => (device === null ? [] : [device.id]));
      };

      it('move to the user who logs in on them', async () => {
        const [ann, bob, login] = [await world.user(), await world.user(), phone()];
        const first = await loginAs(world, ann.name, 'secret', login);
        const second = await loginAs(world, bob.name, 'secret', login);
        expect([await devicesOf(first), await devicesOf(second)]).toEqual([[], [login.deviceId]]);
        expect(await statusOf(first)).toBe(200);
      });

      it('may be contested: concurrent log-ins and log-outs on one device do not disturb each other', async () => {
        const [people, login] = [await Promise.all(Array.from({ length: 6 }, () => world.user())), phone()];
        const comeAndGo = async ({ name }: { readonly name: string }) => {
          for (let i = 0; i < 20; i++) {
            const token = await loginAs(world, name, 'secret', login);
            await expectStatus(call('POST', '/logout', { token }), 200);
          }
        };
        await Promise.all(people.map(comeAndGo));
        for (const { token } of people) expect(await devicesOf(token)).toEqual([]);
      });

      it('are removed by POST /logout/:deviceId, but not those of other users', async () => {
        const [ann, bob, login] = [await world.user(), await world.user(), phone()];
        const first = await loginAs(world, ann.name, 'secret', login);
        expect((await call('POST', `/logout/${login.deviceId}`, { token: bob.token })).status).toBe(204);
        expect(await devicesOf(first)).toEqual([login.deviceId]);
        const second = await loginAs(world, ann.name);
        expect((await call('POST', `/logout/${login.deviceId}`, { token: first })).status).toBe(204);
        expect(await devicesOf(second)).toEqual([]);
      });
    });
  },
  { clock },
);
