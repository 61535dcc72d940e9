import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { expectStatus, follow, loginAs, namesIn, personWithRole, planted } from '../support/people.ts';

onEveryStorage('user administration', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const asAdmin = async (method: string, url: string, body?: unknown) =>
    call(method, url, { token: await world.admin(), ...(body === undefined ? {} : { body }) });

  const at = (name: string, rest = '') => `/admin/user/${encodeURIComponent(name)}${rest}`;

  describe('POST /admin/user', () => {
    it.each([
      ['registereduser', undefined],
      ['BackOffice', 'BACKOFFICE'],
      ['administrator', 'admin'],
    ])('creates a user of the role %s, who can log in', async (role, given) => {
      const body = { username: world.unique('made'), password: '', role: given, visibleByTheUser: { email: 'a@b.cd' } };
      const { data, body: envelope, headers } = await expectStatus(asAdmin('POST', '/admin/user', body), 201);
      expect(data).toMatchObject({
        user: { name: body.username, status: 'ACTIVE', roles: [{ name: role }] },
        visibleByTheUser: { email: 'a@b.cd' },
        visibleByFriend: {},
        generated_username: false,
        email_verified: false,
      });
      expect([envelope.http_code, data['X-BB-SESSION'], headers['x-bb-session']]).toEqual([201, undefined, undefined]);
      const token = await loginAs(world, body.username, '');
      expect((await call('GET', '/me', { token })).data).toEqual(data);
    });

    it('rejects what a sign-up rejects, and roles that cannot be assigned', async () => {
      const { name } = await world.user();
      const good = { username: world.unique('x'), password: 'x' };
      for (const wrong of [
        { username: name.toUpperCase() },
        { username: 'admin' },
        { username: '_x' },
        { username: '' },
        { password: undefined },
        { password: 'x'.repeat(1025) },
        { role: 'nothing' },
        { role: 'anonymous' },
        { role: 'constructor' },
        { role: null },
        { visibleByFriend: null },
        { visibleByTheUser: { email: 'x' } },
      ]) {
        expectFailure(await asAdmin('POST', '/admin/user', { ...good, ...wrong }), 400);
      }
      expectFailure(await asAdmin('GET', at(good.username)), 404);
    });
  });

  describe('GET /admin/user', () => {
    it('lists all users in full, without passwords and without the administrator of the service', async () => {
      const [ann, staff] = [await planted(world), await personWithRole(world, 'administrator')];
      const { data, text } = await expectStatus(asAdmin('GET', '/admin/user'), 200);
      const shown = (id: string) => data.find((user: { id: string }) => user.id === id);
      expect(shown(ann.id)).toMatchObject({
        visibleByTheUser: { canary: ann.canaries.visibleByTheUser },
        visibleByFriend: { canary: ann.canaries.visibleByFriend },
      });
      expect(shown(staff.id).user.roles).toEqual([{ name: 'administrator' }]);
      expect(data.map(({ user }: { user: { name: string } }) => user.name)).not.toContain('admin');
      expect(text).not.toMatch(/argon2|password/i);
    });

    it('shows one user, also the administrator of the service', async () => {
      const ann = await planted(world);
      const { data } = await expectStatus(asAdmin('GET', at(ann.name.toUpperCase())), 200);
      expect(data).toEqual((await call('GET', '/me', { token: ann.token })).data);
      expect((await asAdmin('GET', at('admin'))).data.user.roles).toEqual([{ name: 'administrator' }]);
      expectFailure(await asAdmin('GET', at('nobody')), 404);
    });
  });

  describe('PUT /admin/user/:username', () => {
    it('changes name, role and the sections that are sent, and keeps sessions', async () => {
      const ann = await planted(world);
      const username = world.unique('Renamed');
      const body = { username, role: 'backoffice', visibleByTheUser: { a: 1 } };
      const { data } = await expectStatus(asAdmin('PUT', at(ann.name), body), 200);
      expect(data).toMatchObject({ id: ann.id, user: { name: username, roles: [{ name: 'BackOffice' }] } });
      expect([data.visibleByTheUser, data.visibleByFriend]).toEqual([
        { a: 1 },
        { canary: ann.canaries.visibleByFriend },
      ]);
      expect((await call('GET', '/me', { token: ann.token })).data).toEqual(data);
      expectFailure(await asAdmin('GET', at(ann.name)), 404);
    });

    it('rejects invalid input and then changes nothing', async () => {
      const [ann, bob] = [await world.user(), await world.user()];
      const before = (await asAdmin('GET', at(ann.name))).data;
      for (const wrong of [
        { username: bob.name.toUpperCase() },
        { username: 'admin' },
        { username: ' ' },
        { role: 'nothing' },
        { role: 'anonymous' },
        { visibleByFriend: [] },
        { visibleByTheUser: { email: 'x' } },
      ]) {
        expectFailure(await asAdmin('PUT', at(ann.name), { visibleByAnonymousUsers: { x: 1 }, ...wrong }), 400);
      }
      expect((await asAdmin('GET', at(ann.name))).data).toEqual(before);
      expectFailure(await asAdmin('PUT', at('nobody'), {}), 404);
    });
  });

  describe('the administrator of the service', () => {
    it('cannot be suspended, removed, renamed or given another role, but has a profile', async () => {
      for (const [method, url, body] of [
        ['DELETE', at('admin')],
        ['DELETE', at('ADMIN')],
        ['PUT', '/admin/user/suspend/admin'],
        ['PUT', at('admin'), { username: world.unique('boss') }],
        ['PUT', at('admin'), { role: 'registereduser' }],
        ['PUT', '/me', { username: world.unique('boss') }],
        ['PUT', '/me/username', { username: world.unique('boss') }],
        ['PUT', '/me/suspend'],
      ] as const) {
        expectFailure(await asAdmin(method, url, body), 400);
      }
      const change = { visibleByTheUser: { email: 'admin@example.com' } };
      const { data } = await expectStatus(asAdmin('PUT', at('admin'), change), 200);
      expect([data.user, data.visibleByTheUser]).toEqual([
        { name: 'admin', status: 'ACTIVE', roles: [{ name: 'administrator' }] },
        change.visibleByTheUser,
      ]);
    });
  });

  describe('DELETE /admin/user/:username', () => {
    it('removes the user with everything that belongs to them, and nothing else', async () => {
      const [mine, other] = [await createShelf(world), await createShelf(world)];
      const { owner } = mine;
      await mine.create({ of: 'the removed' });
      const kept = await other.create({});
      await other.share(kept.id, `all/user/${owner.name}`);
      await follow(world, owner, other.owner);
      await follow(world, other.owner, owner);
      expect((await expectStatus(asAdmin('DELETE', at(owner.name)), 200)).data).toBe('');

      expectFailure(await call('GET', '/me', { token: owner.token }), 401);
      expectFailure(await call('GET', '/me', { basic: [owner.name, 'secret'] }), 401);
      expectFailure(await call('POST', '/login', { body: { username: owner.name, password: 'secret' } }), 401);
      expectFailure(await asAdmin('GET', at(owner.name)), 404);
      expectFailure(await asAdmin('DELETE', at(owner.name)), 404);
      expect(await mine.ids({ token: await world.admin() })).toEqual([]);
      expect(await other.ids({ token: other.owner.token })).toEqual([kept.id]);
      const { token } = other.owner;
      expect(await namesIn(world, '/followers', { token })).toEqual([]);
      expect(await namesIn(world, '/following', { token })).toEqual([]);

      const again = await world.user(owner.name);
      expect(again.id).not.toBe(owner.id);
      expectFailure(await call('GET', other.path(kept.id), { token: again.token }), 403);
    });

    it('lets exactly one of 10 concurrent requests succeed', async () => {
      const { name } = await world.user();
      const answers = await Promise.all(Array.from({ length: 10 }, () => asAdmin('DELETE', at(name))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    });
  });

  describe('PUT /admin/user/suspend/:username', () => {
    it('ends all sessions and cached credentials until the user is activated', async () => {
      const ann = await world.user();
      const basic = [ann.name, 'secret'] as const;
      expect((await call('GET', '/me', { basic })).status).toBe(200);
      expect((await expectStatus(asAdmin('PUT', `/admin/user/suspend/${ann.name}`), 200)).data).toBe('');
      expectFailure(await call('GET', '/me', { token: ann.token }), 401);
      expectFailure(await call('GET', '/me', { basic }), 401);
      const wrong = await call('POST', '/login', { body: { username: ann.name, password: 'wrong' } });
      const right = await call('POST', '/login', { body: { username: ann.name, password: 'secret' } });
      expect([right.status, right.body]).toEqual([401, { ...wrong.body, request_header: expect.anything() }]);
      expect((await asAdmin('GET', at(ann.name))).data.user.status).toBe('SUSPENDED');

      await expectStatus(asAdmin('PUT', `/admin/user/activate/${ann.name}`), 200);
      expect((await asAdmin('GET', at(ann.name))).data.user.status).toBe('ACTIVE');
      expectFailure(await call('GET', '/me', { token: ann.token }), 401);
      expect((await call('GET', '/me', { basic })).status).toBe(200);
      await loginAs(world, ann.name);
    });

    it('is 404 for an unknown name, also to activate', async () => {
      for (const verb of ['suspend', 'activate'])
        expectFailure(await asAdmin('PUT', `/admin/user/${verb}/nobody`), 404);
    });
  });

  it('PUT /admin/user/:username/password sets it and ends the sessions of the user', async () => {
    const ann = await world.user();
    expect((await call('GET', '/me', { basic: [ann.name, 'secret'] })).status).toBe(200);
    await expectStatus(asAdmin('PUT', at(ann.name, '/password'), { password: 'new' }), 200);
    expectFailure(await call('GET', '/me', { token: ann.token }), 401);
    expectFailure(await call('GET', '/me', { basic: [ann.name, 'secret'] }), 401);
    await loginAs(world, ann.name, 'new');
    for (const password of [undefined, null, 7, 'x'.repeat(1025)]) {
      expectFailure(await asAdmin('PUT', at(ann.name, '/password'), { password }), 400);
    }
    expectFailure(await asAdmin('PUT', at('nobody', '/password'), { password: 'x' }), 404);
    await expectStatus(asAdmin('PUT', at('admin', '/password'), { password: world.backend.adminPassword }), 200);
    expect((await asAdmin('GET', '/me')).status).toBe(200);
  });

  it('is for administrators only', async () => {
    const [ann, bob, staff] = [await world.user(), await world.user(), await personWithRole(world, 'BackOffice')];
    const creation = { username: world.unique('x'), password: 'x', role: 'administrator' };
    for (const [method, url, body] of [
      ['GET', '/admin/user'],
      ['POST', '/admin/user', creation],
      ['GET', at(bob.name)],
      ['PUT', at(ann.name), { role: 'administrator' }],
      ['DELETE', at(bob.name)],
      ['PUT', at(bob.name, '/password'), { password: 'x' }],
      ['PUT', `/admin/user/suspend/${bob.name}`],
      ['PUT', `/admin/user/activate/${bob.name}`],
    ] as const) {
      const sent = body === undefined ? {} : { body };
      for (const token of [ann.token, staff.token]) expectFailure(await call(method, url, { ...sent, token }), 403);
      expectFailure(await call(method, url, sent), 401);
      expectFailure(await call(method, url, { ...sent, appCode: null }), 400);
    }
    const { data } = await asAdmin('GET', at(ann.name));
    expect(data.user).toEqual({ name: ann.name, status: 'ACTIVE', roles: [{ name: 'registereduser' }] });
    expect((await call('GET', '/me', { token: bob.token })).status).toBe(200);
  });
});
