import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE } from '../support/documents.ts';
import { personWithRole } from '../support/people.ts';

interface Route {
  readonly method: string;
  /** The path after the collection. `:id` is a document, `:user` a user who may be granted something. */
  readonly path: string;
  readonly body?: unknown;
  /** True if anonymous callers may make the call. */
  readonly isOpen?: boolean;
  /** The status for users who hold every right. */
  readonly done: number;
}

const ON_COLLECTION: readonly Route[] = [
  { method: 'POST', path: '', body: { a: 1 }, done: 200 },
  { method: 'GET', path: '', isOpen: true, done: 200 },
  { method: 'GET', path: '?count=true', isOpen: true, done: 200 },
  { method: 'GET', path: '/count', isOpen: true, done: 200 },
];

const ON_DOCUMENT: readonly Route[] = [
  { method: 'GET', path: '/:id', isOpen: true, done: 200 },
  { method: 'GET', path: '/:id?withAcl=true', isOpen: true, done: 200 },
  { method: 'GET', path: '/:id/.a', isOpen: true, done: 200 },
  { method: 'PUT', path: '/:id', body: { a: 2 }, done: 200 },
  { method: 'PUT', path: '/:id/.a', body: { data: 2 }, done: 200 },
  { method: 'PUT', path: '/:id/acl', body: {}, done: 200 },
  { method: 'PUT', path: '/:id/read/user/:user', done: 200 },
  { method: 'DELETE', path: '/:id/read/user/:user', done: 200 },
  { method: 'PUT', path: '/:id/update/role/registereduser', done: 200 },
  { method: 'DELETE', path: '/:id/update/role/registereduser', done: 200 },
  { method: 'DELETE', path: '/:id', done: 204 },
];

const named = (routes: readonly Route[]) =>
  routes.map((route) => [`${route.method} /document/:collection${route.path}`, route] as const);

onEveryStorage('calls on documents', (world) => {
  async function prepare() {
    const shelf = await createShelf(world);
    const { id } = await shelf.create({ a: 1 });
    const { name } = await world.user();
    const url = ({ path }: Route, place: { readonly collection?: string; readonly id?: string } = {}) =>
      `/document/${place.collection ?? shelf.collection}${path.replace(':id', place.id ?? id).replace(':user', name)}`;
    const send = ({ method, body }: Route, at: string, options: CallOptions) =>
      world.call(method, at, body === undefined ? options : { ...options, body });
    return { ...shelf, id, url, send };
  }

  describe.each(named([...ON_COLLECTION, ...ON_DOCUMENT]))('%s', (_name, route) => {
    it('check the application code first, and then the credentials', async () => {
      const { url, send, owner } = await prepare();
      const { token } = owner;
      for (const at of [url(route), url(route, { collection: 'nowhere', id: NOWHERE })]) {
        const of = async (options: CallOptions) => {
          const { status, body } = await send(route, at, options);
          return [status, body.bb_code];
        };
        expect(await of({ appCode: null })).toEqual([400, undefined]);
        expect(await of({ appCode: null, token: 'stale' })).toEqual([400, undefined]);
        expect(await of({ appCode: null, basic: [owner.name, 'secret'] })).toEqual([400, undefined]);
        expect(await of({ appCode: 'wrong', token })).toEqual([400, undefined]);
        expect(await of({ token: 'stale' })).toEqual([401, '40101']);
        expect(await of({ token: 'stale', basic: [owner.name, 'secret'] })).toEqual([401, '40101']);
        expect(await of({ basic: [owner.name, 'wrong'] })).toEqual([401, undefined]);
        if (route.isOpen !== true) expect(await of({})).toEqual([401, undefined]);
      }
      expect((await send(route, url(route), { token, appCode: null })).status).toBe(route.done);
    });

    it('are 404 in a collection that does not exist', async () => {
      const { url, send, owner } = await prepare();
      const callers = [{ token: owner.token }, { token: await world.admin() }, ...(route.isOpen ? [{}] : [])];
      for (const options of callers) {
        for (const collection of ['nowhere', 'constructor', '__proto__', '1', 'a.b', '%20', 'x'.repeat(65)]) {
          expect((await send(route, url(route, { collection }), options)).status).toBe(404);
        }
      }
    });
  });

  describe.each(named(ON_DOCUMENT))('%s', (_name, route) => {
    it('are 404, not 403, for a document that does not exist, whoever calls', async () => {
      const { url, send, owner, id } = await prepare();
      const other = await world.collection();
      const callers = [
        { token: owner.token },
        { token: (await world.user()).token },
        { token: await world.admin() },
        ...(route.isOpen ? [{}] : []),
      ];
      const places = [{ id: NOWHERE }, { id: 'no-id' }, { id: `${id}0` }, { id: '%7B%7D' }, { collection: other }];
      for (const options of callers) {
        for (const place of places) expect((await send(route, url(route, place), options)).status).toBe(404);
      }
    });

    it('are 403 without the right, and succeed for the owner, administrators and BackOffice', async () => {
      const stranger = await prepare();
      const { token } = await world.user();
      expect((await stranger.send(route, stranger.url(route), { token })).status).toBe(403);
      if (route.isOpen) expect((await stranger.send(route, stranger.url(route), {})).status).toBe(403);
      const staff = await personWithRole(world, 'BackOffice');
      const manager = await personWithRole(world, 'administrator');
      for (const one of ['owner', staff.token, manager.token, await world.admin()]) {
        const { url, send, owner } = await prepare();
        const upper = url(route).replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase());
        const { status } = await send(route, upper, { token: one === 'owner' ? owner.token : one });
        expect(status).toBe(route.done);
      }
    });
  });

  it('check the body before they look for the document', async () => {
    const { url, send } = await prepare();
    const { token } = await world.user();
    for (const route of ON_DOCUMENT.filter(({ body }) => body !== undefined)) {
      for (const id of [undefined, NOWHERE]) {
        const at = url(route, id === undefined ? {} : { id });
        const { status, body } = await send({ ...route, body: undefined }, at, { token });
        expect([status, body.bb_code]).toEqual([400, '40011']);
        expect((await send({ ...route, body: '{' }, at, { token })).status).toBe(400);
        const headers = { 'content-type': 'text/plain' };
        expect((await send({ ...route, body: '{}' }, at, { token, headers })).status).toBe(415);
      }
    }
  });
});

onEveryStorage('documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  it('can be created by every signed-in user, in any collection, and then belong to that user', async () => {
    const collection = await world.collection();
    const people = [
      { token: (await world.user()).token },
      { token: (await personWithRole(world, 'BackOffice')).token },
      { token: await world.admin() },
      { basic: ['admin', world.backend.adminPassword] as const },
    ];
    for (const options of people) {
      const { status, data, headers } = await call('POST', `/document/${collection}`, { ...options, body: {} });
      expect([status, data._author]).toEqual([200, headers['bb-username']]);
      expect((await call('DELETE', `/document/${collection}/${data.id}`, options)).status).toBe(204);
    }
  });

  it('show their author under the current name, and are removed with the author', async () => {
    const { create, path, owner, share } = await createShelf(world);
    const { id } = await create({});
    await share(id, 'read/role/anonymous');
    const username = world.unique('renamed');
    expect((await call('PUT', '/me/username', { token: owner.token, body: { username } })).status).toBe(200);
    expect((await call('GET', path(id))).data._author).toBe(username);
    expect((await call('DELETE', `/admin/user/${username}`, { token: await world.admin() })).status).toBe(200);
    expect((await call('GET', path(id))).status).toBe(404);
  });

  it('never show grants in lists, whatever parameters are sent', async () => {
    const { create, collection, share, owner } = await createShelf(world);
    const created = await create({ a: 1 });
    await share(created.id, 'read/role/anonymous');
    const { data } = await call('GET', `/document/${collection}?withAcl=true`, { token: owner.token });
    expect(data).toEqual([created]);
  });

  it('are read by their id whatever parameters are sent, never as a collection', async () => {
    const { create, owner } = await createShelf(world);
    const created = await create({ a: 1 });
    const { token } = owner;
    for (const query of ['?count=true', '?recordsPerPage=1', '?page=0']) {
      const { data, body } = await call('GET', `/document/${created.id}${query}`, { token });
      expect([data, Object.hasOwn(body, 'more')]).toEqual([created, false]);
    }
    expect((await call('GET', '/document/0b5c1a3e-0000-4000-8000-000000000000', { token })).status).toBe(404);
    expect((await call('GET', `/document/${created.id}x`, { token })).status).toBe(404);
    expect((await call('POST', `/document/${created.id}`, { token, body: {} })).status).toBe(404);
  });

  it('are answered with call_id, and to HEAD without a body', async () => {
    const { create, path, owner, collection } = await createShelf(world);
    const { id } = await create({});
    const { token } = owner;
    for (const url of [path(id), `/document/${collection}`, `/document/${collection}/count`, `/document/${id}`]) {
      expect((await call('GET', `${url}?call_id=a%22b`, { token })).body.call_id).toBe('a"b');
      const { status, text } = await call('HEAD', url, { token });
      expect([status, text]).toEqual([200, '']);
    }
    expect((await call('GET', `${path(NOWHERE)}?call_id=7`, { token })).body.call_id).toBe('7');
  });

  it('count in the size of their collection while they exist', async () => {
    const { create, path, owner, collection } = await createShelf(world);
    const { token } = owner;
    const sized = async () => {
      const { data } = await call('GET', '/admin/collection', { token: await world.admin() });
      const { records, size } = data.find(({ name }: { name: string }) => name === collection);
      return [records, size];
    };
    const { id } = await create({ a: '😀' });
    expect(await sized()).toEqual([1, '{"a":"😀"}'.length + 2]);
    await call('PUT', path(id), { token, body: { a: 'é', b: [1] } });
    expect(await sized()).toEqual([1, '{"a":"é","b":[1]}'.length + 1]);
    await call('PUT', `${path(id)}/.b`, { token, body: { data: null } });
    expect(await sized()).toEqual([1, '{"a":"é","b":null}'.length + 1]);
    await call('DELETE', path(id), { token });
    expect(await sized()).toEqual([0, 0]);
  });

  it.each([
    ['POST', '/new'],
    ['GET', ''],
    ['DELETE', '/books'],
  ])('do not let BackOffice administer collections: %s /admin/collection%s', async (method, path) => {
    const { token } = await personWithRole(world, 'BackOffice');
    expect((await call(method, `/admin/collection${path}`, { token })).status).toBe(403);
  });
});
