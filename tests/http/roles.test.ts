import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus, personWithRole } from '../support/people.ts';

onEveryStorage('roles', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const asAdmin = async (method: string, url: string, body?: unknown) =>
    call(method, url, { token: await world.admin(), ...(body === undefined ? {} : { body }) });
  const rolesOf = (data: { user: { roles: unknown } }) => data.user.roles;

  async function newRole(prefix = 'Editors'): Promise<string> {
    const name = world.unique(prefix);
    await expectStatus(asAdmin('POST', `/admin/role/${name}`), 201);
    return name;
  }

  describe('/admin/role', () => {
    it.each([[{ description: { a: 1 } }], [{ description: 1 }], [[]], ['text']])(
      'POST rejects the body %j',
      async (body) => {
        const name = world.unique('Odd');
        expect((await asAdmin('POST', `/admin/role/${name}`, JSON.stringify(body))).status).toBe(400);
        expect((await asAdmin('GET', `/admin/role/${name}`)).status).toBe(404);
      },
    );

    it.each(['/admin/role', '/admin/roles'])('GET %s shows the built-in roles and custom ones', async (url) => {
      const name = world.unique('Writers');
      await expectStatus(asAdmin('POST', `/admin/role/${name}`, { description: 'They write' }), 201);
      const { data } = await expectStatus(asAdmin('GET', url), 200);
      for (const builtIn of ['administrator', 'anonymous', 'BackOffice', 'registereduser']) {
        expect(data).toContainEqual({
          name: builtIn,
          description: expect.stringMatching(/\S/),
          isrole: true,
          internal: true,
        });
      }
      expect(data).toContainEqual({ name, description: 'They write', isrole: true, internal: false });
    });

    it('creates, reads whatever the case, changes and removes a role', async () => {
      const name = world.unique('Editors');
      const made = await expectStatus(asAdmin('POST', `/admin/role/${name}`), 201);
      expect([made.data, made.body.http_code]).toEqual(['', 201]);
      const read = async (spelling: string) => asAdmin('GET', `/admin/role/${spelling}`);
      expect((await read(name.toUpperCase())).data).toEqual({ name, description: '', isrole: true, internal: false });
      await expectStatus(asAdmin('PUT', `/admin/role/${name.toLowerCase()}`, { description: 'Edit' }), 200);
      expect((await read(name)).data).toMatchObject({ name, description: 'Edit' });
      await expectStatus(asAdmin('PUT', `/admin/role/${name}`, { name: name.toUpperCase() }), 200);
      expect((await read(name)).data).toMatchObject({ name: name.toUpperCase(), description: 'Edit' });
      expect((await expectStatus(asAdmin('DELETE', `/admin/role/${name}`), 200)).data).toBe('');
      expectFailure(await read(name), 404);
    });

    it('does not rename a role whose name an expression of a rule compares with the roles of the caller', async () => {
      const [name, collection] = [await newRole('Press'), await world.collection()];
      const setRules = (rules: object) =>
        expectStatus(asAdmin('PUT', `/admin/collection/${collection}/rules`, rules), 200);
      const rename = (to: string) => asAdmin('PUT', `/admin/role/${name}`, { name: to });
      const named = { role: 'registereduser', if: `caller.roles contains '${name.toLowerCase()}' and n = 1` };
      for (const rules of [
        { read: [named], check: {} },
        { read: [], check: { update: `not changed(n) or not caller.roles contains '${name}'` } },
        { check: { update: `'${name}' in [caller.roles, 'x']` } },
      ]) {
        await setRules(rules);
        const { status, body } = await rename(`${name}x`);
        expect([status, body.code, body.message]).toEqual([409, 'role.compared', expect.stringContaining(collection)]);
      }
      await expectStatus(asAdmin('PUT', `/admin/role/${name}`, { description: 'They print' }), 200);
      await setRules({ read: [name], check: { update: `caller.name != 'x' or new.title = '${name}'` } });
      await expectStatus(rename(`${name}x`), 200);
      const { data } = await asAdmin('GET', `/admin/collection/${collection}/rules`);
      expect(data.read).toEqual([`${name}x`]);
    });

    it('rejects names that are taken, invalid or reserved', async () => {
      const [name, other] = [await newRole(), await newRole()];
      const refused = [
        '1x',
        'a b',
        'a%5Cb',
        'x'.repeat(65),
        'é',
        'registered',
        'ADMIN',
        'Backoffice',
        'anonymous',
        other,
      ];
      for (const taken of [...refused, other.toUpperCase()]) {
        expectFailure(await asAdmin('POST', `/admin/role/${encodeURIComponent(decodeURIComponent(taken))}`), 400);
        expectFailure(await asAdmin('PUT', `/admin/role/${name}`, { name: decodeURIComponent(taken) }), 400);
      }
      for (const segment of ['a/b', '.', '..', ''])
        expectFailure(await asAdmin('PUT', `/admin/role/${name}`, { name: segment }), 400);
      expectFailure(await asAdmin('PUT', `/admin/role/${name}`, { description: 'x'.repeat(1001) }), 400);
      expectFailure(await asAdmin('POST', `/admin/role/${world.unique('r')}`, { description: 'x'.repeat(1001) }), 400);
      for (const spelling of ['constructor', '__proto__', 'nothing']) {
        expectFailure(await asAdmin('PUT', `/admin/role/${spelling}`, { description: '' }), 404);
        expectFailure(await asAdmin('DELETE', `/admin/role/${spelling}`), 404);
      }
    });

    it('lets exactly one of 20 concurrent requests create a role, whatever its case', async () => {
      const name = world.unique('Wanted');
      const spellings = [name, name.toUpperCase(), name.toLowerCase()];
      const attempts = Array.from({ length: 20 }, (_, i) => asAdmin('POST', `/admin/role/${spellings[i % 3]}`));
      const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 400)]);
    });

    it.each(['registereduser', 'administrator', 'BackOffice', 'anonymous', 'registered', 'Admin', 'backoffice'])(
      'does not change the built-in role %s',
      async (name) => {
        expectFailure(await asAdmin('PUT', `/admin/role/${name}`, { name: world.unique('x') }), 400);
        expectFailure(await asAdmin('PUT', `/admin/role/${name}`, { description: 'x' }), 400);
        expectFailure(await asAdmin('DELETE', `/admin/role/${name}`), 400);
        expect((await asAdmin('GET', `/admin/role/${name}`)).data.internal).toBe(true);
      },
    );

    it('is for administrators only', async () => {
      const name = await newRole();
      const backOffice = await personWithRole(world, 'BackOffice');
      const { token } = await world.user();
      for (const [method, url] of [
        ['GET', '/admin/role'],
        ['GET', '/admin/roles'],
        ['GET', `/admin/role/${name}`],
        ['POST', `/admin/role/${world.unique('x')}`],
        ['PUT', `/admin/role/${name}`],
        ['DELETE', `/admin/role/${name}`],
      ] as const) {
        const body = method === 'PUT' ? { body: {} } : {};
        expectFailure(await call(method, url, { ...body, token }), 403);
        expectFailure(await call(method, url, { ...body, token: backOffice.token }), 403);
        expectFailure(await call(method, url, body), 401);
      }
      expect((await asAdmin('GET', `/admin/role/${name}`)).status).toBe(200);
    });
  });

  describe('grants to a role', () => {
    /** The users who can read a document that was granted to a role. */
    async function readers(grantee: string | null, custom: string) {
      const shelf = await createShelf(world);
      const { id } = await shelf.create({});
      if (grantee !== null) await shelf.share(id, `read/role/${grantee}`);
      const viewers = {
        anonymous: {},
        registered: { token: (await world.user()).token },
        custom: { token: (await personWithRole(world, custom)).token },
        backOffice: { token: (await personWithRole(world, 'backoffice')).token },
        admin: { token: await world.admin() },
      };
      const reading: string[] = [];
      for (const [who, options] of Object.entries(viewers)) {
        const { status } = await call('GET', shelf.path(id), options);
        const listed = (await shelf.ids(options)).includes(id);
        expect([who, status, listed]).toEqual([who, listed ? 200 : 403, listed]);
        if (listed) reading.push(who);
      }
      return reading;
    }

    it.each([
      ['nobody', null, ['backOffice', 'admin']],
      ['anonymous', 'Anonymous', ['anonymous', 'registered', 'custom', 'backOffice', 'admin']],
      ['registereduser', 'registereduser', ['registered', 'custom', 'backOffice', 'admin']],
      ['registered, an alias', 'REGISTERED', ['registered', 'custom', 'backOffice', 'admin']],
      ['administrator', 'admin', ['backOffice', 'admin']],
      ['BackOffice', 'backoffice', ['backOffice', 'admin']],
    ])('%s: roles that include it read too', async (_who, grantee, expected) => {
      expect(await readers(grantee, await newRole())).toEqual(expected);
    });

    it('a custom role: only its users', async () => {
      const [custom, other] = [await newRole(), await newRole()];
      expect(await readers(custom.toUpperCase(), custom)).toEqual(['custom', 'backOffice', 'admin']);
      expect(await readers(other, custom)).toEqual(['backOffice', 'admin']);
    });

    it('apply to each granted right, not only to reading', async () => {
      const [shelf, role] = [await createShelf(world), await newRole()];
      const { token } = await personWithRole(world, role);
      const { id } = await shelf.create({});
      await shelf.share(id, `update/role/${role}`);
      const attempt = async (method: string) =>
        (await call(method, shelf.path(id), { token, ...(method === 'PUT' ? { body: { a: 1 } } : {}) })).status;
      expect([await attempt('GET'), await attempt('PUT'), await attempt('DELETE')]).toEqual([403, 200, 403]);
      await shelf.share(id, `all/role/${role}`);
      expect([await attempt('GET'), await attempt('DELETE'), await attempt('GET')]).toEqual([200, 204, 404]);
    });
  });

  describe('changes take effect immediately', () => {
    async function granted() {
      const [shelf, role] = [await createShelf(world), await newRole()];
      const { id } = await shelf.create({});
      await shelf.share(id, `read/role/${role}`);
      const person = await world.user();
      const give = (name: string) => asAdmin('PUT', `/admin/user/${person.name}`, { role: name });
      /** By session and by Basic credentials, both of which are cached. */
      const status = async () => {
        const bySession = await call('GET', shelf.path(id), { token: person.token });
        const byPassword = await call('GET', shelf.path(id), { basic: [person.name, 'secret'] });
        expect(byPassword.status).toBe(bySession.status);
        return bySession.status;
      };
      return { role, person, give, status };
    }

    it('when a user gets another role', async () => {
      const { role, give, status } = await granted();
      expect(await status()).toBe(403);
      expect(rolesOf((await expectStatus(give(role.toUpperCase()), 200)).data)).toEqual([{ name: role }]);
      expect(await status()).toBe(200);
      await give('registered');
      expect(await status()).toBe(403);
      await give('BACKOFFICE');
      expect(await status()).toBe(200);
      await give('registereduser');
      expect(await status()).toBe(403);
    });

    it('when the role is renamed: its users and grants remain', async () => {
      const { role, person, give, status } = await granted();
      await give(role);
      expect(await status()).toBe(200);
      const renamed = world.unique('Authors');
      await expectStatus(asAdmin('PUT', `/admin/role/${role}`, { name: renamed }), 200);
      expect(await status()).toBe(200);
      expect(rolesOf((await call('GET', '/me', { token: person.token })).data)).toEqual([{ name: renamed }]);
      await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
      await give(role);
      expect(await status()).toBe(403);
    });

    it('when the role is removed: its users become registereduser, its grants are removed', async () => {
      const { role, person, give, status } = await granted();
      await give(role);
      expect(await status()).toBe(200);
      await expectStatus(asAdmin('DELETE', `/admin/role/${role}`), 200);
      expect(await status()).toBe(403);
      expect(rolesOf((await call('GET', '/me', { token: person.token })).data)).toEqual([{ name: 'registereduser' }]);
      await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
      await give(role);
      expect(await status()).toBe(403);
    });

    it('when an administrator loses the role', async () => {
      const person = await personWithRole(world, 'administrator');
      expect((await call('GET', '/admin/user', { token: person.token })).status).toBe(200);
      await expectStatus(asAdmin('PUT', `/admin/user/${person.name}`, { role: 'registereduser' }), 200);
      expectFailure(await call('GET', '/admin/user', { token: person.token }), 403);
    });
  });
});
