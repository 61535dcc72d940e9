import { describe, expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, loginAs, personWithRole } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const UNKNOWN = '01980000-0000-7000-8000-000000000000';
const clock = createHandDrivenClock();
const wire = (time: number) => new Date(time).toISOString().replace('Z', '+0000');

onEveryStorage(
  'API keys',
  (world) => {
    const { addKey, withKey } = keyScenarios(world);
    const admin = (method: string, url: string, body?: unknown) =>
      world.call(method, url, { basic: adminOf(world), body });

    it('are created, shown once, listed, read and removed', async () => {
      const expires = wire(clock.now() + MINUTE);
      const made = await admin('POST', '/admin/key', { name: 'Shop 😀', role: 'ADMIN', expires });
      expect(made.status).toBe(201);
      const { key, ...shown } = made.data;
      expect(key).toMatch(/^bb_[\w-]{44}$/);
      const created = wire(clock.now());
      expect(shown).toMatchObject({ name: 'Shop 😀', role: 'administrator', owner: 'admin', created, expires });
      expect(shown.lastUse).toBeNull();
      expect((await admin('GET', `/admin/key/${shown.id.toUpperCase()}`)).data).toEqual(shown);
      const { text, data } = await admin('GET', '/admin/key');
      expect(data).toContainEqual(shown);
      expect(text).not.toContain(key);
      expect((await admin('DELETE', `/admin/key/${shown.id}`)).status).toBe(200);
      for (const id of [shown.id, UNKNOWN, 'nothing']) {
        expectCode(await admin('GET', `/admin/key/${id}`), 404, 'key.not_found');
        expectCode(await admin('DELETE', `/admin/key/${id}`), 404, 'key.not_found');
      }
    });

    it('take dates as other services write them', async () => {
      const time = clock.now() + MINUTE;
      for (const date of [
        new Date(time).toISOString(),
        wire(time).replace('+0000', '+00:00'),
        wire(time).toLowerCase(),
      ]) {
        const { id } = await addKey('registereduser', { expires: date });
        expect((await admin('GET', `/admin/key/${id}`)).data.expires).toBe(wire(time));
      }
    });

    it.each([
      [{ role: 'registereduser' }, 'input.invalid'],
      [{ name: '', role: 'registereduser' }, 'input.invalid'],
      [{ name: ' x', role: 'registereduser' }, 'input.invalid'],
      [{ name: 'x'.repeat(129), role: 'registereduser' }, 'input.invalid'],
      [{ name: 'x', role: 'registereduser', expires: 'tomorrow' }, 'input.invalid'],
      [{ name: 'x', role: 'registereduser', expires: '2026-01-31' }, 'input.invalid'],
      [{ name: 'x', role: 'registereduser', expires: wire(clock.now()) }, 'input.invalid'],
      [{ name: 'x', role: 'registereduser', more: 1 }, 'input.invalid'],
    ])('are refused with %j', async (body, code) => {
      expectCode(await admin('POST', '/admin/key', body), 400, code);
    });

    it.each(['2100-02-29T00:00:00Z', '2100-04-31T09:12Z', '2100-01-31T24:00Z', '2100-01-31T09:12+24:00'])(
      'cannot expire at a time that does not exist: %s',
      async (expires) => {
        expectCode(
          await admin('POST', '/admin/key', { name: 'x', role: 'registereduser', expires }),
          400,
          'input.invalid',
        );
        expectCode(await admin('GET', `/admin/audit?from=${encodeURIComponent(expires)}`), 400, 'input.invalid');
      },
    );

    it.each(['nobody', 'anonymous'])('have no role %s', async (role) => {
      expectCode(await admin('POST', '/admin/key', { name: 'x', role }), 404, 'role.not_found');
    });

    it('are made and seen by administrators only', async () => {
      const { token } = await world.user();
      const { key } = await addKey('registereduser');
      for (const [method, url] of [
        ['POST', '/admin/key'],
        ['GET', '/admin/key'],
        ['GET', `/admin/key/${UNKNOWN}`],
        ['DELETE', `/admin/key/${UNKNOWN}`],
      ] as const) {
        const body = method === 'POST' ? { name: 'x', role: 'admin' } : undefined;
        expectCode(await world.call(method, url, { body }), 401, 'auth.required');
        expectCode(await world.call(method, url, { token, body }), 403, 'admin.required');
        expectCode(await withKey(key, method, url, { body }), 403, 'admin.required');
      }
    });

    it('are made only after a fresh login, or with the password', async () => {
      const { token } = await personWithRole(world, 'administrator');
      const make = (more: object) =>
        world.call('POST', '/admin/key', { token, body: { name: 'x', role: 'admin', ...more } });
      expect((await make({})).status).toBe(201);
      clock.advance(10 * MINUTE);
      expectCode(await make({}), 401, 'auth.fresh_login_required');
      expectCode(await make({ current_password: 'wrong' }), 400, 'user.old_password_invalid');
      expect((await make({ current_password: 'secret' })).status).toBe(201);
    });

    it('make no other keys, but can end them', async () => {
      const [{ key }, { id }] = [await addKey('administrator'), await addKey('administrator')];
      const body = { name: 'x', role: 'admin', current_password: world.backend.adminPassword };
      expectCode(await withKey(key, 'POST', '/admin/key', { body }), 403, 'key.user_required');
      expect((await withKey(key, 'DELETE', `/admin/key/${id}`)).status).toBe(200);
    });

    it('need no application code, and a wrong one is refused', async () => {
      const { key } = await addKey('registereduser');
      const collection = await world.collection();
      const url = `/document/${collection}`;
      expect((await withKey(key, 'GET', url)).status).toBe(200);
      expect((await withKey(key, 'GET', url, { headers: { authorization: `bearer  ${key}` } })).status).toBe(200);
      expectCode(await withKey(key, 'GET', url, { appCode: 'wrong' }), 400, 'app_code.invalid');
      expect((await withKey(key, 'GET', url)).headers['bb-username']).toBeUndefined();
    });

    it('that are unknown or malformed are refused', async () => {
      const { key } = await addKey('registereduser');
      for (const wrong of [`bb_${'x'.repeat(44)}`, 'bb_', `${key}x`, key.slice(0, -1), key.toLowerCase()]) {
        expectCode(await withKey(wrong, 'GET', '/users'), 401, 'key.invalid');
      }
      const other = { headers: { authorization: 'Bearer something' } };
      expectCode(await world.call('GET', '/users', other), 401, 'auth.required');
    });

    it('yield to a session', async () => {
      const { token, name } = await world.user();
      const { key } = await addKey('administrator');
      const { data } = await withKey(key, 'GET', '/me', { token });
      expect(data.user.name).toBe(name);
    });

    it('end when they expire, are removed, or their maker is no active administrator', async () => {
      const reads = (key: string) => withKey(key, 'GET', '/users');
      const expiring = await addKey('registereduser', { expires: wire(clock.now() + MINUTE) });
      expect((await reads(expiring.key)).status).toBe(200);
      clock.advance(MINUTE);
      expectCode(await reads(expiring.key), 401, 'key.invalid');

      const removed = await addKey('administrator');
      expect((await reads(removed.key)).status).toBe(200);
      await expectStatus(admin('DELETE', `/admin/key/${removed.id}`), 200);
      expectCode(await reads(removed.key), 401, 'key.invalid');

      const { name, token } = await personWithRole(world, 'administrator');
      const body = { name: 'x', role: 'registereduser' };
      const { key } = (await expectStatus(world.call('POST', '/admin/key', { token, body }), 201)).data;
      expect((await reads(key)).status).toBe(200);
      await expectStatus(admin('PUT', `/admin/user/${name}`, { role: 'registereduser' }), 200);
      expectCode(await reads(key), 401, 'key.invalid');
      await expectStatus(admin('PUT', `/admin/user/${name}`, { role: 'administrator' }), 200);
      expect((await reads(key)).status).toBe(200);
      await expectStatus(admin('PUT', `/admin/user/suspend/${name}`), 200);
      expectCode(await reads(key), 401, 'key.invalid');
    });

    it('show their last use, to the minute', async () => {
      const { id, key } = await addKey('registereduser');
      const lastUse = async () => (await admin('GET', `/admin/key/${id}`)).data.lastUse;
      const first = clock.now();
      await withKey(key, 'GET', '/users');
      await until(async () => (await lastUse()) === wire(first));
      clock.advance(MINUTE - 1);
      await withKey(key, 'GET', '/users');
      clock.advance(1);
      await withKey(key, 'GET', '/users');
      await until(async () => (await lastUse()) === wire(first + MINUTE));
    });

    describe('act as holders of their role', () => {
      it('without a user', async () => {
        const { key } = await addKey('administrator');
        for (const [method, url] of [
          ['GET', '/me'],
          ['POST', '/logout'],
          ['GET', '/refresh'],
          ['GET', '/me/sessions'],
          ['POST', '/follow/admin'],
          ['GET', '/followers'],
        ] as const) {
          expectCode(await withKey(key, method, url), 403, 'key.user_required');
        }
        expect((await withKey(key, 'GET', '/admin/user')).status).toBe(200);
      });

      it('whose documents belong to the administrator who made the key', async () => {
        const { token, name } = await personWithRole(world, 'administrator');
        const made = await world.call('POST', '/admin/key', { token, body: { name: 'x', role: 'registereduser' } });
        const collection = await world.collection();
        const create = () => withKey(made.data.key, 'POST', `/document/${collection}`, { body: { n: 1 } });
        const { data } = await expectStatus(create(), 200);
        expect(data).toMatchObject({ n: 1, _author: name });
        const url = `/document/${collection}/${data.id}`;
        // The key has the rights of its role, not those of its maker.
        expectCode(await withKey(made.data.key, 'GET', url), 403, 'access.denied');
        await expectStatus(world.call('PUT', `${url}/read/role/registereduser`, { token }), 200);
        expect((await withKey(made.data.key, 'GET', url)).data).toMatchObject({ n: 1 });
      });

      it('who read and change what the role is granted', async () => {
        const role = world.unique('Editor');
        await expectStatus(admin('POST', `/admin/role/${role}`), 201);
        const { key } = await addKey(role);
        const { token } = await world.user();
        const collection = await world.collection();
        const create = () => world.call('POST', `/document/${collection}`, { token, body: { n: 1 } });
        const [{ data }] = [await expectStatus(create(), 200), await expectStatus(create(), 200)];
        const url = `/document/${collection}/${data.id}`;
        await expectStatus(world.call('PUT', `${url}/update/role/${role}`, { token }), 200);
        expectCode(await withKey(key, 'GET', url), 403, 'access.denied');
        await expectStatus(world.call('PUT', `${url}/read/role/${role}`, { token }), 200);
        expect((await withKey(key, 'PUT', url, { body: { n: 2 } })).data.n).toBe(2);
        const list = await withKey(key, 'GET', `/document/${collection}`);
        expect(list.data.map(({ id }: { id: string }) => id)).toEqual([data.id]);
        const feed = await withKey(key, 'GET', `/changes?since=0&collection=${collection}`);
        await world.caughtUp();
        expect(feed.status).toBe(200);
        await expectStatus(admin('DELETE', `/admin/role/${role}`), 200);
        expectCode(await withKey(key, 'GET', url), 401, 'key.invalid');
      });

      it('who see profiles as registered users do', async () => {
        const { name, token } = await world.user();
        const body = { visibleByRegisteredUsers: { here: 1 }, visibleByFriend: { not: 1 } };
        await expectStatus(world.call('PUT', '/me', { token, body }), 200);
        const { key } = await addKey('registereduser');
        const { data } = await expectStatus(withKey(key, 'GET', `/user/${name}`), 200);
        expect(data.visibleByRegisteredUsers).toMatchObject({ here: 1 });
        expect(data.visibleByFriend).toBeNull();
        expect(data.visibleByTheUser).toBeNull();
      });

      it('with idempotency keys of their own', async () => {
        const collection = await world.collection();
        const keys = [await addKey('registereduser'), await addKey('registereduser')];
        const headers = { 'idempotency-key': world.unique('once') };
        const create = (key: string) =>
          withKey(key, 'POST', `/document/${collection}`, {
            body: { n: 1 },
            headers: { authorization: `Bearer ${key}`, ...headers },
          });
        const ids = [];
        for (const { key } of [...keys, ...keys]) ids.push((await expectStatus(create(key), 200)).data.id);
        expect(ids[2]).toBe(ids[0]);
        expect(ids[3]).toBe(ids[1]);
        expect(ids[0]).not.toBe(ids[1]);
      });
    });

    it('leave sessions of their maker alone when they end', async () => {
      const { name } = await personWithRole(world, 'administrator');
      const token = await loginAs(world, name);
      const { id } = (await world.call('POST', '/admin/key', { token, body: { name: 'x', role: 'admin' } })).data;
      await expectStatus(admin('DELETE', `/admin/key/${id}`), 200);
      expect((await world.call('GET', '/me', { token })).status).toBe(200);
    });
  },
  { clock, rateLimit: false },
);
