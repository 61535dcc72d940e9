import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';

onEveryStorage('collections', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = async (method: string, path: string) =>
    call(method, `/admin/collection${path}`, { token: await world.admin() });

  it('are created by administrators', async () => {
    const name = world.unique('Books_-');
    const { status, body } = await asAdmin('POST', `/${name}`);
    expect([status, body]).toEqual([201, { result: 'ok', data: '', http_code: 201 }]);
    expect((await call('GET', `/document/${name}`)).data).toEqual([]);
  });

  it('are created once, whatever the case: 400', async () => {
    const name = world.unique('books');
    expect((await asAdmin('POST', `/${name}`)).status).toBe(201);
    expect((await asAdmin('POST', `/${name}`)).status).toBe(400);
    expect((await asAdmin('POST', `/${name.toUpperCase()}`)).status).toBe(400);
  });

  it('are created once when many requests arrive at the same time', async () => {
    const name = world.unique('Books');
    const spellings = [name, name.toLowerCase(), name.toUpperCase()];
    const attempts = Array.from({ length: 12 }, (_, i) => asAdmin('POST', `/${spellings[i % 3]}`));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array(11).fill(400)]);
  });

  it.each([
    ['begins with a digit', '1books'],
    ['begins with _', '_books'],
    ['has a space', 'my%20books'],
    ['has a dot', 'my.books'],
    ['has a quote', "my'books"],
    ['has letters of another script', '%C3%A9tag%C3%A8re'],
    ['is a single space', '%20'],
    ['has 65 characters', 'x'.repeat(65)],
    ['has U+0000', 'my%00books'],
    ['ends with a line break', 'books%0A'],
    ['is shaped like a UUID', 'a18f0000-0000-7000-8000-000000000000'],
    ['is a word of a route after the name', 'schema'],
    ['is such a word in capitals', 'COUNT'],
  ])('cannot have a name that %s: 400', async (_what, name) => {
    const { status, body } = await asAdmin('POST', `/${name}`);
    expect([status, body.result]).toEqual([400, 'error']);
  });

  it('may have a name of 64 characters', async () => {
    expect((await asAdmin('POST', `/${world.unique('x').padEnd(64, 'x')}`)).status).toBe(201);
  });

  it('may have names that are path segments of the API in other places', async () => {
    for (const name of ['constructor', 'admin', 'document']) {
      expect((await asAdmin('POST', `/${name}`)).status).toBe(201);
      const { token } = await world.user();
      const { data } = await call('POST', `/document/${name}`, { token, body: { a: 1 } });
      expect((await call('GET', `/document/${name}/${data.id}`, { token })).data).toEqual(data);
      expect((await call('GET', `/document/${name}`, { token })).data).toEqual([data]);
      expect((await call('GET', `/document/${name}/count`, { token })).data).toEqual({ count: 1 });
      expect((await asAdmin('DELETE', `/${name}`)).status).toBe(200);
    }
  });

  it('are listed with their sizes, by name without regard to case', async () => {
    const { collection, create } = await createShelf(world);
    const empty = await world.collection();
    await create({ a: 'é' });
    await create({});
    const { status, data } = await asAdmin('GET', '');
    expect(status).toBe(200);
    expect(data).toContainEqual({ name: collection, records: 2, size: 12 });
    expect(data).toContainEqual({ name: empty, records: 0, size: 0 });
    const keys = data.map(({ name }: { name: string }) => name.toLowerCase());
    expect(keys).toEqual(keys.toSorted());
  });

  it('are deleted with their documents and the grants on them', async () => {
    const { collection, create, share, path, owner } = await createShelf(world);
    const { id } = await create({});
    await share(id, 'read/role/anonymous');
    const { status, body } = await asAdmin('DELETE', `/${collection.toUpperCase()}`);
    expect([status, body]).toEqual([200, { result: 'ok', data: '', http_code: 200 }]);
    for (const url of [`/document/${collection}`, path(id), `/document/${id}`]) {
      expect((await call('GET', url, { token: owner.token })).status).toBe(404);
    }
    expect((await asAdmin('DELETE', `/${collection}`)).status).toBe(404);
    expect((await asAdmin('POST', `/${collection}`)).status).toBe(201);
    expect((await call('GET', `/document/${collection}`)).data).toEqual([]);
  });

  it('cannot be deleted when they do not exist: 404', async () => {
    for (const name of ['nowhere', NOWHERE, '%20', 'a.b']) {
      expect((await asAdmin('DELETE', `/${name}`)).status).toBe(404);
    }
  });

  it.each([
    ['POST', '/x'],
    ['GET', ''],
    ['DELETE', '/x'],
  ])('%s /admin/collection%s is for administrators only', async (method, path) => {
    const { token } = await world.user();
    const url = `/admin/collection${path}`;
    expect((await call(method, url, { token })).status).toBe(403);
    expect((await call(method, url)).status).toBe(401);
    expect((await call(method, url, { token: 'stale' })).status).toBe(401);
    expect((await call(method, url, { appCode: null })).status).toBe(400);
  });
});
