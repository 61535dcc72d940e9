import { expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { createFollower } from '../support/feed.ts';
import { adminOf, expectStatus } from '../support/people.ts';

onEveryStorage('_updated_by', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  /** A document that another user may read and update. */
  async function prepare() {
    const shelf = await createShelf(world);
    const editor = await world.user();
    const document = await shelf.create({ title: 'Zeno', _updated_by: 'x' });
    await shelf.share(document.id, `read/user/${editor.name}`);
    await shelf.share(document.id, `update/user/${editor.name}`);
    const url = shelf.path(document.id);
    const as = { token: shelf.owner.token };
    const read = async () => (await expectStatus(call('GET', url, as), 200)).data;
    const by = async () => (await read())._updated_by;
    return { ...shelf, document, editor, url, as, read, by };
  }

  it('is the author until another user writes, by whatever request', async () => {
    const { document, editor, url, owner, as, by } = await prepare();
    expect(document._updated_by).toBe(owner.name);
    const asEditor = { token: editor.token };
    const writes: [string, string, object][] = [
      ['PUT', url, { title: 'a', _updated_by: 'x' }],
      ['PUT', `${url}/.title`, { data: 'b' }],
      ['DELETE', `${url}/.title`, {}],
      ['PATCH', url, { set: { title: 'c' } }],
    ];
    for (const [method, path, body] of writes) {
      expect((await expectStatus(call(method, path, { ...asEditor, body }), 200)).data).toMatchObject({
        _author: owner.name,
        _updated_by: editor.name,
      });
      expect(await by()).toBe(editor.name);
      await expectStatus(call('PUT', url, { ...as, body: { title: 'Zeno' } }), 200);
      expect(await by()).toBe(owner.name);
    }
    const operations = [{ method: 'PUT', path: url, body: { title: 'd' } }];
    const batch = await expectStatus(call('POST', '/batch', { ...asEditor, body: { operations } }), 200);
    expect(batch.data[0].data._updated_by).toBe(editor.name);
    await expectStatus(call('PUT', `${url}/read/role/anonymous`, as), 200);
    expect(await by()).toBe(editor.name);
  });

  it('is in lists, queries, expansions and changes', async () => {
    const { collection, document, editor, url, owner, as, create } = await prepare();
    const untouched = await create({ title: 'Other' });
    const feed = createFollower(world, as);
    await feed.begin();
    await expectStatus(call('PUT', url, { token: editor.token, body: { title: 'a' } }), 200);
    const get = async (query: Record<string, string>) =>
      (await expectStatus(call('GET', `/document/${collection}?${new URLSearchParams(query)}`, as), 200)).data;
    const names = { [document.id]: editor.name, [untouched.id]: owner.name };
    for (const query of [{}, { where: 'title is not null' }, { orderBy: 'title' }]) {
      const rows: { id: string; _updated_by: string }[] = await get({ ...query });
      expect(Object.fromEntries(rows.map((row) => [row.id, row._updated_by]))).toEqual(names);
    }
    expect(await get({ where: '_updated_by = ?', params: editor.name })).toMatchObject([{ id: document.id }]);
    const order = [owner.name, editor.name].sort();
    const sorted = await get({ orderBy: '_updated_by', fields: '_updated_by' });
    expect(sorted).toEqual(order.map((name) => ({ _updated_by: name })));
    expect(await get({ groupBy: '_updated_by', fields: '_updated_by, count(*) as n', orderBy: '_updated_by' })).toEqual(
      order.map((name) => ({ _updated_by: name, n: 1 })),
    );
    const expanded = await get({ where: 'id = ?', params: document.id, expand: '_updated_by' });
    expect(expanded[0]._expanded._updated_by.user.name).toBe(editor.name);
    expect(await feed.read()).toMatchObject([{ id: document.id, document: { _updated_by: editor.name } }]);
  });

  it('is the administrator who created the API key', async () => {
    const { url, by } = await prepare();
    const { addKey, withKey } = keyScenarios(world);
    const { key } = await addKey('administrator');
    await expectStatus(withKey(key, 'PUT', url, { body: {} }), 200);
    expect(await by()).toBe('admin');
  });

  it('is null after the user was removed', async () => {
    const { collection, document, editor, url, as, read } = await prepare();
    await expectStatus(call('PUT', url, { token: editor.token, body: {} }), 200);
    await expectStatus(call('DELETE', `/admin/user/${editor.name}`, { basic: adminOf(world) }), 200);
    expect(await read()).toMatchObject({ _updated_by: null });
    const found = await call('GET', `/document/${collection}?where=_updated_by%20is%20null&expand=_updated_by`, as);
    expect(found.data).toEqual([{ ...(await read()), _expanded: {} }]);
    expect(found.data[0].id).toBe(document.id);
  });
});
