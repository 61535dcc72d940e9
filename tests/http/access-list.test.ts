import { expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { onEveryStorage, type World } from '../support/backend.ts';
import { adminOf, expectStatus, personWithRole } from '../support/people.ts';

onEveryStorage('the list of lasting access', (world) => {
  const call: World['call'] = (...args) => world.call(...args);
  const keys = keyScenarios(world);
  const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const asAdmin = (method: string, url: string, body?: object) =>
    call(method, url, { basic: adminOf(world), ...(body && { body }) });
  const access = async () => (await expectStatus(asAdmin('GET', '/admin/access'), 200)).data;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const named = (rows: any[], name: string) => rows.find((row) => row.name === name);
  const ADMIN = { kind: 'user', id: expect.any(String), name: 'admin' };

  it('is for administrators', async () => {
    expect((await call('GET', '/admin/access')).body.code).toBe('auth.required');
    const { token } = await personWithRole(world, 'BackOffice');
    expect((await call('GET', '/admin/access', { token })).body.code).toBe('admin.required');
  });

  it('contains administrators and BackOffice users, with the giver of the role', async () => {
    const [made, promoted, plain] = [await personWithRole(world, 'BackOffice'), await world.user(), await world.user()];
    await expectStatus(asAdmin('PUT', `/admin/user/${promoted.name}`, { role: 'administrator' }), 200);
    const { accounts, more } = await access();
    expect(more).toBe(false);
    expect(named(accounts, 'admin')).toMatchObject({ role: 'administrator', status: 'ACTIVE', by: null, at: null });
    expect(named(accounts, made.name)).toMatchObject({ role: 'BackOffice', by: ADMIN, at: DATE, created: DATE });
    expect(named(accounts, promoted.name)).toMatchObject({ role: 'administrator', by: ADMIN, at: DATE });
    expect(named(accounts, plain.name)).toBeUndefined();
    await expectStatus(asAdmin('PUT', `/admin/user/${promoted.name}`, { role: 'registereduser' }), 200);
    expect(named((await access()).accounts, promoted.name)).toBeUndefined();
  });

  it('contains API keys with their creator, until they are removed', async () => {
    const name = world.unique('shop');
    const { id } = await keys.addKey('registereduser', { name });
    expect(named((await access()).keys, name)).toEqual({
      id,
      name,
      role: 'registereduser',
      expires: null,
      lastUse: null,
      by: ADMIN,
      at: DATE,
    });
    await expectStatus(asAdmin('DELETE', `/admin/key/${id}`), 200);
    expect(named((await access()).keys, name)).toBeUndefined();
  });

  it('contains webhooks with their creator and their last change', async () => {
    const collection = await world.collection();
    const url = `https://hooks.example.com/${collection}`;
    const { data } = await expectStatus(asAdmin('POST', '/admin/webhook', { url, collections: [collection] }), 201);
    const listed = async () => (await access()).webhooks.find(({ id }: { id: string }) => id === data.id);
    const shown = { id: data.id, url, collections: [collection], where: null, enabled: true, by: ADMIN, at: DATE };
    expect(await listed()).toEqual({ ...shown, changedBy: null, changedAt: null });
    const { key } = await keys.addKey('administrator', { name: 'A shop' });
    await expectStatus(keys.withKey(key, 'PUT', `/admin/webhook/${data.id}`, { body: { enabled: false } }), 200);
    expect(await listed()).toEqual({
      ...shown,
      enabled: false,
      changedBy: { kind: 'key', id: expect.any(String), name: null },
      changedAt: DATE,
    });
    await expectStatus(asAdmin('DELETE', `/admin/webhook/${data.id}`), 200);
    expect(await listed()).toBeUndefined();
  });

  it('contains collections with rules that open them, and who changed the rules last', async () => {
    const [open, inheriting, closed] = [await world.collection(), await world.collection(), await world.collection()];
    const setRules = (name: string, rules: object) =>
      expectStatus(asAdmin('PUT', `/admin/collection/${name}/rules`, rules), 200);
    const condition = 'shared = true';
    await setRules(open, { read: ['anonymous'], update: [{ role: 'registereduser', if: condition }] });
    await setRules(inheriting, { parent: { field: 'board', collection: open, read: 'read' } });
    await setRules(closed, { create: ['registereduser'], read: ['BackOffice'] });
    const { collections } = await access();
    expect(named(collections, open)).toEqual({
      name: open,
      rules: [
        { action: 'read', role: 'anonymous', if: null },
        { action: 'update', role: 'registereduser', if: condition },
      ],
      parent: null,
      by: ADMIN,
      at: DATE,
    });
    expect(named(collections, inheriting)).toMatchObject({ rules: [], parent: 'board', by: ADMIN });
    expect(named(collections, closed)).toBeUndefined();
    await setRules(open, { read: [], update: [] });
    expect(named((await access()).collections, open)).toBeUndefined();
  });
});
