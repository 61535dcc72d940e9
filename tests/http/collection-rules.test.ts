import { describe, expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf, type Shelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { adminOf, expectStatus, personWithRole } from '../support/people.ts';

/** Parts of the rules that are not roles, by default. */
const NOTHING_ELSE = { parent: null, check: {}, messages: {} };

onEveryStorage('rules of collections', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = (method: string, url: string, body?: unknown) =>
    call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });
  const setRules = (collection: string, rules: unknown) =>
    asAdmin('PUT', `/admin/collection/${collection}/rules`, rules);

  async function newRole(): Promise<string> {
    const role = world.unique('Editors');
    await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
    return role;
  }

  /** A document, a role, and credentials of the owner, of a user with the role, and of others. */
  async function scene() {
    const [shelf, role] = [await createShelf(world), await newRole()];
    const { id } = await shelf.create({ title: 'Zeno', pages: 300 });
    // Everybody may read what refers to the document.
    const links = await world.collection();
    await expectStatus(setRules(links, { read: ['anonymous'] }), 200);
    const link = { token: shelf.owner.token, body: { to: id, all: [id] } };
    await expectStatus(call('POST', `/document/${links}`, link), 200);
    const callers: Readonly<Record<'owner' | 'holder' | 'stranger' | 'anonymous', CallOptions>> = {
      owner: { token: shelf.owner.token },
      holder: { token: (await personWithRole(world, role)).token },
      stranger: { token: (await world.user()).token },
      anonymous: {},
    };
    return { shelf: { ...shelf, links }, role, id, callers };
  }

  /** Visibility of the only document of a collection to a caller by every path, as 1 or 0. */
  async function sightings(
    { collection, links }: Shelf & { links: string },
    id: string,
    options: CallOptions,
  ): Promise<Record<string, number>> {
    const get = (url: string) => call('GET', url, options);
    const one = ({ status }: Answer) => (status === 200 ? 1 : 0);
    const listed = async (query: string) =>
      (await expectStatus(get(`/document/${collection}?${query}`), 200)).data.length;
    const operations = [`/document/${collection}/${id}`, `/document/${id}`, `/document/${collection}/${id}/.title`];
    const batch = { operations: operations.map((path) => ({ method: 'GET', path })) };
    const batched: Array<{ http_code: number }> = (await call('POST', '/batch', { ...options, body: batch })).data;
    const seen: Record<string, number> = {
      'one document': one(await get(`/document/${collection}/${id}`)),
      'by its id alone': one(await get(`/document/${id}`)),
      'with its grants': one(await get(`/document/${collection}/${id}?withAcl=true`)),
      'one field': one(await get(`/document/${collection}/${id}/.title`)),
      list: await listed(''),
      'newest first': await listed('orderBy=_creation_date+desc'),
      criteria: await listed('where=pages+%3E+%3F&params=200'),
      'in an order': await listed('orderBy=pages'),
      expanded: (await get(`/document/${links}?expand=to`)).data[0]._expanded?.to === undefined ? 0 : 1,
      'expanded from an array': (await get(`/document/${links}?expand=all`)).data[0]._expanded?.all?.length ?? 0,
      'some fields': await listed('fields=title'),
      groups: await listed('groupBy=title'),
      'count of the list': (await get(`/document/${collection}?count=true`)).data[0].count,
      count: (await get(`/document/${collection}/count`)).data.count,
      'count by criteria': (await get(`/document/${collection}/count?where=pages+%3E+200`)).data.count,
      aggregate: (await get(`/document/${collection}?fields=count(*)+as+n`)).data[0].n,
    };
    for (const [at, { http_code }] of batched.entries()) seen[`in a batch: ${at}`] = http_code === 200 ? 1 : 0;
    return seen;
  }

  const all = (paths: Record<string, number>) => [...new Set(Object.values(paths))];

  it.each([
    [[], { owner: 1, holder: 0, stranger: 0, anonymous: 0 }],
    [['the role'], { owner: 1, holder: 1, stranger: 0, anonymous: 0 }],
    [['registereduser'], { owner: 1, holder: 1, stranger: 1, anonymous: 0 }],
    [['anonymous'], { owner: 1, holder: 1, stranger: 1, anonymous: 1 }],
  ])('every path of reading obeys "read": %j', async (roles, expected) => {
    const { shelf, role, id, callers } = await scene();
    const read = roles.map((name) => (name === 'the role' ? role : name));
    await expectStatus(setRules(shelf.collection, { read }), 200);
    for (const caller of ['owner', 'holder', 'stranger', 'anonymous'] as const) {
      const seen = await sightings(shelf, id, callers[caller]);
      expect({ caller, seen, all: all(seen) }).toMatchObject({ caller, all: [expected[caller]] });
    }
    // And back: what the rule gave is gone at once, in every path.
    await expectStatus(setRules(shelf.collection, { read: [] }), 200);
    for (const caller of ['holder', 'stranger', 'anonymous'] as const) {
      expect(all(await sightings(shelf, id, callers[caller]))).toEqual([0]);
    }
  });

  it('update and delete apply to one document, its fields and batches, and give no right to read or to grant', async () => {
    const { shelf, role, callers } = await scene();
    const { collection } = shelf;
    await expectStatus(setRules(collection, { update: [role], delete: [role] }), 200);
    const attempts = async (options: CallOptions) => {
      const { id } = await shelf.create({ tags: [1] });
      const write = async (method: string, path: string, body?: unknown) =>
        (await call(method, path, { ...options, ...(body === undefined ? {} : { body }) })).status;
      const batch = { operations: [{ method: 'PUT', path: `/document/${collection}/${id}/.n`, body: { data: 3 } }] };
      const batched = await call('POST', '/batch', { ...options, body: batch });
      return [
        await write('PUT', `/document/${collection}/${id}`, { tags: [2] }),
        await write('PUT', `/document/${collection}/${id}/.n`, { data: 1 }),
        await write('PUT', `/document/${collection}/${id}/.tags[]`, { data: 2 }),
        await write('DELETE', `/document/${collection}/${id}/.n`),
        batched.data[0].http_code,
        await write('GET', `/document/${collection}/${id}`),
        await write('PUT', `/document/${collection}/${id}/read/role/anonymous`),
        await write('PUT', `/document/${collection}/${id}/acl`, {}),
        await write('DELETE', `/document/${collection}/${id}`),
      ];
    };
    expect(await attempts(callers.holder)).toEqual([200, 200, 200, 200, 200, 403, 403, 403, 204]);
    expect(await attempts(callers.stranger)).toEqual(Array.from({ length: 9 }, () => 403));
    expect(await attempts(callers.anonymous)).toEqual([401, 401, 401, 401, 401, 403, 401, 401, 401]);
  });

  it('create restricts who stores documents; administrators and BackOffice always may', async () => {
    const [collection, role] = [await world.collection(), await newRole()];
    const users = [
      await world.user(),
      await personWithRole(world, role),
      await personWithRole(world, 'BackOffice'),
      { token: await world.admin() },
    ];
    const statuses = async () => {
      const found: number[] = [];
      for (const { token } of users) {
        const { status } = await call('POST', `/document/${collection}`, { token, body: {} });
        const batch = { operations: [{ method: 'POST', path: `/document/${collection}`, body: {} }] };
        const { data } = await call('POST', '/batch', { token, body: batch });
        expect(data[0].http_code).toBe(status);
        found.push(status);
      }
      return found;
    };
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await expectStatus(setRules(collection, { create: [] }), 200);
    expect(await statuses()).toEqual([403, 403, 200, 200]);
    await expectStatus(setRules(collection, { create: [role] }), 200);
    expect(await statuses()).toEqual([403, 200, 200, 200]);
    await expectStatus(setRules(collection, { create: ['registered'] }), 200);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect((await call('POST', `/document/${collection}`, { body: {} })).status).toBe(401);
  });

  describe('/admin/collection/:name/rules', () => {
    it('shows the rules of a new collection, keeps absent ones, and names roles as they are spelled', async () => {
      const [collection, role] = [await world.collection(), await newRole()];
      const url = `/admin/collection/${collection}/rules`;
      const initial = { ...NOTHING_ELSE, create: ['registereduser'], read: [], update: [], delete: [] };
      expect((await expectStatus(asAdmin('GET', url), 200)).data).toEqual(initial);
      const first = await expectStatus(
        setRules(collection, { read: [role.toLowerCase(), role], update: ['backoffice'] }),
        200,
      );
      expect(first.data).toEqual({ ...initial, read: [role], update: ['BackOffice'] });
      await expectStatus(setRules(collection.toUpperCase(), { update: [], create: [] }), 200);
      expect((await expectStatus(asAdmin('GET', url), 200)).data).toEqual({ ...initial, create: [], read: [role] });
    });

    it('is for administrators', async () => {
      const [collection, { token }] = [await world.collection(), await world.user()];
      for (const options of [{}, { token }]) {
        const status = 'token' in options ? 403 : 401;
        expectFailure(await call('GET', `/admin/collection/${collection}/rules`, options), status);
        expectFailure(await call('PUT', `/admin/collection/${collection}/rules`, { ...options, body: {} }), status);
      }
    });

    it.each([
      [{ read: ['nobody'] }, 'grant.role_unknown', '/read/0'],
      [{ update: ['BackOffice', 'Anonymous'] }, 'input.invalid', '/update/1'],
      [{ create: ['anonymous'] }, 'input.invalid', '/create/0'],
      [{ read: 'anonymous' }, 'input.array_expected', '/read'],
      [{ read: [1] }, 'input.invalid', '/read/0'],
      [{ reads: [] }, 'input.invalid', '/reads'],
      [{ read: Array.from({ length: 101 }, () => 'anonymous') }, 'input.invalid', '/read'],
      [[], 'input.invalid', ''],
    ])('rejects %j', async (body, code, path) => {
      const collection = await world.collection();
      const answer = await setRules(collection, { read: ['anonymous'], ...(Array.isArray(body) ? [] : body) });
      const refused = Array.isArray(body) ? await setRules(collection, body) : answer;
      expectFailure(refused, 400);
      expect(refused.body).toMatchObject({ code, errors: [{ path }] });
      const rules = await asAdmin('GET', `/admin/collection/${collection}/rules`);
      expect(rules.data.read).toEqual(Array.isArray(body) ? ['anonymous'] : []);
    });

    it('knows no rules of a collection that does not exist', async () => {
      expectFailure(await setRules('nothing', {}), 404);
      expectFailure(await asAdmin('GET', '/admin/collection/nothing/rules'), 404);
    });

    it('follows a role to its new name, and gives nothing to a removed one or to a later one of its name', async () => {
      const { shelf, role, id, callers } = await scene();
      await expectStatus(setRules(shelf.collection, { read: [role], create: [role] }), 200);
      const renamed = world.unique('Authors');
      await expectStatus(asAdmin('PUT', `/admin/role/${role}`, { name: renamed }), 200);
      const rules = async () => (await asAdmin('GET', `/admin/collection/${shelf.collection}/rules`)).data;
      expect(await rules()).toMatchObject({ read: [renamed], create: [renamed] });
      expect(all(await sightings(shelf, id, callers.holder))).toEqual([1]);
      await expectStatus(asAdmin('DELETE', `/admin/role/${renamed}`), 200);
      await expectStatus(asAdmin('POST', `/admin/role/${renamed}`), 201);
      expect(await rules()).toMatchObject({ read: [], create: [] });
      const later = await personWithRole(world, renamed);
      expect(all(await sightings(shelf, id, { token: later.token }))).toEqual([0]);
      expect((await call('POST', `/document/${shelf.collection}`, { token: later.token, body: {} })).status).toBe(403);
    });

    it('end with their collection', async () => {
      const { shelf, callers } = await scene();
      await expectStatus(setRules(shelf.collection, { read: ['anonymous'], create: [] }), 200);
      await expectStatus(asAdmin('DELETE', `/admin/collection/${shelf.collection}`), 200);
      await expectStatus(asAdmin('POST', `/admin/collection/${shelf.collection}`), 201);
      const { id } = await shelf.create({ title: 'Zeno', pages: 300 });
      expect(all(await sightings(shelf, id, callers.anonymous))).toEqual([0]);
    });
  });
});
