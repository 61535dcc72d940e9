import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createPasskeyCalls } from '../support/passkeys.ts';
import { adminOf, expectStatus, loginAs, setSettings } from '../support/people.ts';
import { codeAt, expectCode, protectedUser } from '../support/second-factor.ts';
import { openSocket } from '../support/sockets.ts';
import { openStream } from '../support/streams.ts';

const clock = createHandDrivenClock();

onEveryStorage(
  'limits of sessions',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);
    const LIFETIME = 'session_tokens.lifetime';
    const MOST = 'session_tokens.max.per.user';
    const set = (values: Record<string, unknown>) => setSettings(world, 'Application', values);
    const statusOf = async (token: string) => (await call('GET', '/me', { token })).status;
    const listed = async (token: string) => (await expectStatus(call('GET', '/me/sessions', { token }), 200)).data;

    let address: string;
    beforeAll(async () => {
      await setSettings(world, 'Social', { 'social.google.enabled': true, 'social.google.token': 'client-id' });
      address = `http://127.0.0.1:${await openSocket(world.backend.app)}`;
    });
    afterEach(() => set({ [LIFETIME]: 0, [MOST]: 0, 'session_tokens.timeout': 15 }));

    describe('the lifetime', () => {
      /** Uses the session every ten minutes. */
      async function use(token: string, minutes: number): Promise<number[]> {
        const statuses = [];
        for (let passed = 0; passed < minutes; passed += 10) {
          clock.advance(10 * MINUTE);
          statuses.push((await call('GET', '/refresh', { token })).status);
        }
        return statuses;
      }

      it('is without end at first', async () => {
        const { token } = await world.user();
        expect(new Set(await use(token, 300))).toEqual(new Set([200]));
      });

      it('ends a session that is in use, and takes it from the list', async () => {
        await set({ [LIFETIME]: 60 });
        const { name, token } = await world.user();
        expect(await use(token, 50)).toEqual([200, 200, 200, 200, 200]);
        const other = await loginAs(world, name);
        expect(await listed(other)).toHaveLength(2);
        clock.advance(10 * MINUTE - 1);
        expect(await statusOf(token)).toBe(200);
        clock.advance(1);
        expectCode(await call('GET', '/refresh', { token }), 401, 'session.invalid');
        expect(await listed(other)).toHaveLength(1);
        expect(await statusOf(other)).toBe(200);
      });

      it('counts for sessions that began before it was set, and ends when it is lifted', async () => {
        const { token } = await world.user();
        await use(token, 120);
        await set({ [LIFETIME]: 60 });
        expect(await statusOf(token)).toBe(401);
        await set({ [LIFETIME]: 0 });
        expect(await statusOf(token)).toBe(200);
      });

      it('does not begin anew with a token of a social network that has been sent before; a session does', async () => {
        await set({ [LIFETIME]: 60 });
        const oauth_token = world.backend.networks.google.issue({
          person: { id: world.unique('person') },
          clientId: 'client-id',
        });
        const login = async () => {
          const body = { oauth_token, oauth_secret: 'any' };
          return (await expectStatus(call('POST', '/social/google', { body }), 200)).data['X-BB-SESSION'] as string;
        };
        const token = await login();
        await use(token, 50);
        expect(await login()).toBe(token);
        expect(await use(token, 10)).toEqual([401]);
        const next = await login();
        expect(next).not.toBe(token);
        expect(await use(next, 60)).toEqual([200, 200, 200, 200, 200, 401]);
      });

      it('ends streams', async () => {
        await set({ [LIFETIME]: 60, 'session_tokens.timeout': 0 });
        const { token } = await world.user();
        const stream = await openStream(address, '', { token, appCode: world.backend.appCode });
        try {
          await stream.line('ready');
          clock.advance(60 * MINUTE);
          await stream.line('end session.invalid');
        } finally {
          stream.close();
        }
      });

      it('has its sessions removed by the housekeeping, also when they have no timeout', async () => {
        await set({ [LIFETIME]: 60, 'session_tokens.timeout': 0 });
        const { name } = await world.user();
        clock.advance(121 * MINUTE);
        await world.backend.sweep();
        await set({ [LIFETIME]: 0 });
        expect(await listed(await loginAs(world, name))).toHaveLength(1);
      });
    });

    describe('the number per user', () => {
      it('is without limit at first', async () => {
        const { name, token } = await world.user();
        for (let i = 0; i < 20; i++) await loginAs(world, name);
        expect(await listed(token)).toHaveLength(21);
      });

      it('ends the session that was not used for longest, and its device', async () => {
        const { name, token: first } = await world.user();
        const second = await loginAs(world, name, 'secret', { os: 'ios', deviceId: world.unique('phone') });
        clock.advance(MINUTE);
        const third = await loginAs(world, name);
        clock.advance(MINUTE);
        // A refresh is recorded at once.
        for (const token of [first, third]) await expectStatus(call('GET', '/refresh', { token }), 200);
        await set({ [MOST]: 3 });
        const other = await world.user();
        const fourth = await loginAs(world, name);
        expect(await Promise.all([first, second, third, fourth].map(statusOf))).toEqual([200, 401, 200, 200]);
        expect(await statusOf(other.token)).toBe(200);
        await set({ [MOST]: 1 });
        const last = await loginAs(world, name);
        expect(await Promise.all([first, third, fourth, last].map(statusOf))).toEqual([401, 401, 401, 200]);
      });

      it('keeps a device with which the user logs in again', async () => {
        await set({ [MOST]: 1 });
        const { name, token } = await world.user();
        const phone = { os: 'ios', deviceId: world.unique('phone') };
        await loginAs(world, name, 'secret', phone);
        const [session] = await listed(await loginAs(world, name, 'secret', phone));
        expect(session.device).toEqual({ id: phone.deviceId, os: phone.os });
        expect(await statusOf(token)).toBe(401);
      });

      it.each([[1], [5]])('is never above %i after 50 logins at once', async (most) => {
        await set({ [MOST]: most });
        const { name, token } = await world.user();
        const logins = Array.from({ length: 50 }, (_, i) =>
          loginAs(world, name, 'secret', i % 5 === 0 ? { os: 'ios', deviceId: world.unique('phone') } : undefined),
        );
        const statuses = await Promise.all([token, ...(await Promise.all(logins))].map(statusOf));
        expect(statuses.filter((status) => status === 200)).toHaveLength(most);
        const { data } = await call('GET', `/admin/user/${name}/sessions`, { basic: adminOf(world) });
        expect(data).toHaveLength(most);
      });

      it('holds for logins with a passkey, a second factor and a social network', async () => {
        await set({ [MOST]: 1 });
        const passkeys = createPasskeyCalls(world);
        const { token, authenticator } = await passkeys.owner();
        const again = await expectStatus(passkeys.login(authenticator), 200);
        expect([await statusOf(token), await statusOf(again.data['X-BB-SESSION'])]).toEqual([401, 200]);

        const user = await protectedUser(world, clock.now);
        clock.advance(MINUTE);
        const body = { username: user.name, password: 'secret', code: codeAt(user.secret, clock.now()) };
        const { data } = await expectStatus(call('POST', '/login', { body }), 200);
        expect([await statusOf(user.token), await statusOf(data['X-BB-SESSION'])]).toEqual([401, 200]);

        const ann = await world.user();
        const person = { id: world.unique('person') };
        const oauth_token = world.backend.networks.google.issue({ person, clientId: 'client-id' });
        const proof = { oauth_token, oauth_secret: 'any' };
        await expectStatus(call('PUT', '/social/google', { token: ann.token, body: proof }), 200);
        const social = await expectStatus(call('POST', '/social/google', { body: proof }), 200);
        expect([await statusOf(ann.token), await statusOf(social.data['X-BB-SESSION'])]).toEqual([401, 200]);
      });

      it('ends the streams of a session that is ended', async () => {
        await set({ [MOST]: 1 });
        const { name, token } = await world.user();
        const stream = await openStream(address, '', { token, appCode: world.backend.appCode });
        try {
          await stream.line('ready');
          await loginAs(world, name);
          await stream.line('end session.invalid');
        } finally {
          stream.close();
        }
      });
    });
  },
  { clock },
);
