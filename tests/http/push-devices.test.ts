import { createMemoryPush } from '@baobab/adapters/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, loginAs, setSettings } from '../support/people.ts';

const push = createMemoryPush();

onEveryStorage(
  'devices for push notifications',
  (world) => {
    const call: World['call'] = (...args) => world.call(...args);

    beforeEach(() => setSettings(world, 'Push', { 'push.android.service_account': '{"project_id":"p"}' }));

    const send = (name: string) =>
      expectStatus(call('POST', `/push/message/${name}`, { basic: adminOf(world), body: { message: 'm' } }), 200);
    const devicesOf = async (name: string): Promise<string[]> =>
      (await send(name)).data.devices.map(({ device }: { device: string }) => device).sort();
    const deliveries = (device: string) => push.sent.filter((one) => one.device === device).length;

    async function phone() {
      const { name } = await world.user();
      const device = world.unique('token-');
      return { name, device, token: await loginAs(world, name, 'secret', { os: 'android', deviceId: device }) };
    }

    type Phone = Awaited<ReturnType<typeof phone>>;

    describe('get no messages that were accepted before', () => {
      it.each<readonly [string, (one: Phone) => Promise<unknown>]>([
        ['a log-out', ({ token }) => call('POST', '/logout', { token })],
        ['a log-out of the device', ({ token, device }) => call('POST', `/logout/${device}`, { token })],
        [
          'a log-out of it from another device',
          async ({ name, device }) => {
            const token = await loginAs(world, name);
            return call('POST', `/logout/${device}`, { token });
          },
        ],
        [
          'the end of its session',
          async ({ token }) => {
            const { data } = await call('GET', '/me/sessions', { token });
            const { id } = data.find(({ current }: { current: boolean }) => current);
            return call('DELETE', `/me/sessions/${id}`, { token });
          },
        ],
        [
          'a log-in of another user on it',
          async ({ device }) =>
            loginAs(world, (await world.user()).name, 'secret', { os: 'android', deviceId: device }),
        ],
        ['its removal', ({ token, device }) => call('PUT', `/push/disable/${device}`, { token })],
        [
          'another device that replaces it in the session',
          ({ token }) => call('PUT', `/push/enable/android/${world.unique('new-')}`, { token }),
        ],
        [
          'a password change on another device',
          async ({ name }) => {
            const token = await loginAs(world, name);
            return call('PUT', '/me/password', { token, body: { old: 'secret', new: 'other' } });
          },
        ],
        [
          'a password set by an administrator',
          ({ name }) =>
            call('PUT', `/admin/user/${name}/password`, { basic: adminOf(world), body: { password: 'other' } }),
        ],
        ['a suspension', ({ name }) => call('PUT', `/admin/user/suspend/${name}`, { basic: adminOf(world) })],
        ['the removal of its user', ({ name }) => call('DELETE', `/admin/user/${name}`, { basic: adminOf(world) })],
      ])('%s', async (_what, end) => {
        const one = await phone();
        const { data } = await send(one.name);
        expect(data.counts.android).toEqual({ waiting: 1 });
        await end(one);
        await world.backend.deliver();
        expect(deliveries(one.device)).toBe(0);
        const after = await call('GET', `/push/message/${data.id}`, { basic: adminOf(world) });
        expect(after.data.counts.android).toEqual({ withdrawn: 1 });
      });
    });

    it('remain after a session has expired, and after a password change on them', async () => {
      const { name, device, token } = await phone();
      await expectStatus(call('PUT', '/me/password', { token, body: { old: 'secret', new: 'other' } }), 200);
      expect(await devicesOf(name)).toEqual([device]);
      await world.backend.deliver();
      expect(deliveries(device)).toBe(1);
    });

    describe('PUT /push/enable/:os/:token', () => {
      it('registers a device, which is removed with the session', async () => {
        const { name, token } = await world.user();
        const device = world.unique('token:APA91b-_%2F ');
        const path = `/push/enable/android/${encodeURIComponent(device)}`;
        const { data } = await expectStatus(call('PUT', path, { token }), 200);
        expect(data).toBe('');
        expect(await devicesOf(name)).toEqual([device]);
        expect((await call('GET', '/me/sessions', { token })).data[0].device).toEqual({ id: device, os: 'android' });
        await expectStatus(call('POST', '/logout', { token }), 200);
        expect(await devicesOf(name)).toEqual([]);
      });

      it('replaces the device with which the session began', async () => {
        const { name, device, token } = await phone();
        for (const next of [world.unique('new-'), device, device]) {
          await expectStatus(call('PUT', `/push/enable/android/${next}`, { token }), 200);
          expect(await devicesOf(name)).toEqual([next]);
        }
      });

      it('moves a device from another user', async () => {
        const [ann, bob] = [await phone(), await world.user()];
        await expectStatus(call('PUT', `/push/enable/android/${ann.device}`, { token: bob.token }), 200);
        expect([await devicesOf(ann.name), await devicesOf(bob.name)]).toEqual([[], [ann.device]]);
        await expectStatus(call('POST', '/logout', { token: ann.token }), 200);
        expect(await devicesOf(bob.name)).toEqual([ann.device]);
      });

      it('works with Basic credentials, and then the device does not depend on a session', async () => {
        const { name, device } = await phone();
        const other = world.unique('other-');
        await expectStatus(call('PUT', `/push/enable/android/${other}`, { basic: [name, 'secret'] }), 200);
        expect(await devicesOf(name)).toEqual([device, other].sort());
      });

      it('keeps a hundred devices for a user, the new one among them', async () => {
        const { name, device, token } = await phone();
        const add = async (id: string) =>
          expectStatus(call('PUT', `/push/enable/android/${id}`, { basic: [name, 'secret'] }), 200);
        const more = Array.from({ length: 100 }, () => world.unique('one-of-many-'));
        for (const id of more.slice(0, -1)) await add(id);
        expect((await send(name)).data.counts.android).toEqual({ waiting: 100 });
        // In its session it replaces no other device, however old they are.
        for (const id of [device, world.unique('new-id-'), device]) {
          await expectStatus(call('PUT', `/push/enable/android/${id}`, { token }), 200);
          expect(new Set(await devicesOf(name))).toEqual(new Set([id, ...more.slice(0, -1)]));
        }
        await add(more[99] ?? '');
        const { data } = await send(name);
        expect(data.counts.android).toEqual({ waiting: 100 });
        const found = await call('GET', `/push/message/${data.id}?recordsPerPage=100`, { basic: adminOf(world) });
        const ids = found.data.devices.map((one: { device: string }) => one.device);
        expect(ids).toContain(more[99]);
        expect([device, ...more]).toEqual(expect.arrayContaining(ids));
      });

      it('rejects an invalid device', async () => {
        const { token } = await world.user();
        const enable = async (path: string, options: object = { token }) =>
          expectFailure(await call('PUT', `/push/enable/${path}`, options), options === NOBODY ? 401 : 400);
        await enable('windows/x');
        await enable(`android/${'x'.repeat(2_001)}`);
        await enable(`android/${encodeURIComponent('č'.repeat(1_001))}`);
        await enable('android/x', NOBODY);
        const login_data = { os: 'android', deviceId: 'x'.repeat(2_001) };
        const body = { username: 'admin', password: world.backend.adminPassword, login_data };
        expectFailure(await call('POST', '/login', { body }), 400);
      });
    });

    describe('PUT /push/disable/:token', () => {
      it('removes a device of the caller, and no device of other users', async () => {
        const [ann, bob] = [await phone(), await phone()];
        await expectStatus(call('PUT', `/push/disable/${ann.device}`, { token: bob.token }), 200);
        expect(await devicesOf(ann.name)).toEqual([ann.device]);
        for (let i = 0; i < 2; i++) {
          await expectStatus(call('PUT', `/push/disable/${ann.device}`, { token: ann.token }), 200);
          expect(await devicesOf(ann.name)).toEqual([]);
        }
        expectFailure(await call('PUT', `/push/disable/${bob.device}`), 401);
      });
    });

    it('are removed even when they are registered while the session ends', async () => {
      for (let round = 0; round < 10; round++) {
        const { name, token } = await phone();
        const device = world.unique('late-');
        await Promise.all([
          call('POST', '/logout', { token }),
          call('PUT', `/push/enable/android/${device}`, { token }),
        ]);
        expect(await devicesOf(name)).toEqual([]);
      }
    });
  },
  { push },
);

const NOBODY = {};
