import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { until } from '../support/patience.ts';

onEveryStorage('indexes', (world) => {
  const at = (collection: string, path: string) => `/admin/collection/${collection}/index/${encodeURIComponent(path)}`;

  it('are created, listed and removed by administrators', async () => {
    const [collection, token] = [await world.collection(), await world.admin()];
    const list = async () => (await world.call('GET', `/admin/collection/${collection}/index`, { token })).data;
    expect(await list()).toEqual([]);
    const ready = (path: string) => ({ path, state: 'ready', unique: false });
    for (const path of ['title', 'author.name', 'tags[0]', 'a.`b-c`[1]']) {
      const made = await world.call('PUT', at(collection, path), { token });
      expect([made.status, made.data]).toEqual([201, ready(path)]);
    }
    const again = await world.call('PUT', at(collection.toUpperCase(), ' title '), { token });
    expect([again.status, again.data]).toEqual([200, ready('title')]);
    expect((await world.call('GET', at(collection, 'tags[0]'), { token })).data).toEqual(ready('tags[0]'));
    expect((await list()).map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'a.`b-c`[1]',
      'author.name',
      'tags[0]',
      'title',
    ]);
    const dropped = await world.call('DELETE', at(collection, 'title'), { token });
    expect([dropped.status, dropped.data]).toEqual([200, '']);
    expectFailure(await world.call('DELETE', at(collection, 'title'), { token }), 404);
    expectFailure(await world.call('GET', at(collection, 'title'), { token }), 404);
    expect(await list()).toHaveLength(3);
    expect((await world.call('PUT', at(collection, 'title'), { token })).status).toBe(201);
  });

  it('are on several fields, written as a JSON array', async () => {
    const { collection, create, ids } = await createShelf(world);
    const token = await world.admin();
    for (const [kind, price] of [
      ['a', 3],
      ['b', 1],
      ['a', 1],
      ['a', 2],
      ['b', 0],
      ['a', null],
    ])
      await create({ kind, price });
    const queries = [
      ...["where=kind%20%3D%20'a'&orderBy=price", "where=kind%20%3D%20'a'&orderBy=price%20desc", 'orderBy=kind,price'],
      ...["where=kind%20%3D%20'a'%20and%20price%20>%201", "where=kind%20in%20['a','b']&orderBy=kind%20desc,%20price"],
    ];
    const answers = () => Promise.all(queries.map((query) => ids({ token }, `?${query}`)));
    const before = await answers();
    expect(before.map(({ length }) => length)).toEqual([4, 4, 6, 2, 6]);
    const path = '["kind","price"]';
    const made = await world.call('PUT', at(collection, ' ["kind", "price" ]'), { token });
    expect([made.status, made.data]).toEqual([201, { path, state: 'ready', unique: false }]);
    expect((await world.call('PUT', at(collection, '["kind"]'), { token })).data).toEqual({
      path: 'kind',
      state: 'ready',
      unique: false,
    });
    const last = '["kind","a.`b-c`[0]","_creation_date"]';
    expect((await world.call('PUT', at(collection, last), { token })).data).toEqual({
      path: last,
      state: 'ready',
      unique: false,
    });
    expect((await world.call('PUT', at(collection, path), { token })).status).toBe(200);
    const listed = (await world.call('GET', `/admin/collection/${collection}/index`, { token })).data;
    expect(listed.map((index: { path: string }) => index.path).toSorted()).toEqual([last, path, 'kind']);
    expect(await answers()).toEqual(before);
    expect((await world.call('DELETE', at(collection, path), { token })).status).toBe(200);
    expectFailure(await world.call('GET', at(collection, path), { token }), 404);
    expect(await answers()).toEqual(before);
    const refused = [
      '[]',
      '["a"',
      '[1]',
      '["a","a"]',
      '["_creation_date"]',
      '["_creation_date","a"]',
      '["a","_author"]',
    ];
    for (const wrong of [...refused, '["a","b","c"]', '["a","b","_creation_date","c"]', '["a","b c"]', '[["a"]]']) {
      expectFailure(await world.call('PUT', at(collection, wrong), { token }), 400);
    }
  });

  it('are on paths of the content of an existing collection, up to a limit', async () => {
    const [collection, token] = [await world.collection(), await world.admin()];
    const refused = [
      'id',
      '_author',
      '_updated_by',
      '@version',
      '_creation_date',
      'é',
      '`a b`',
      "`a'b`",
      'a[0',
      'a,b',
      'a.',
      'a desc',
    ];
    const deep = 'a.b.c.d.e.f.g.h.i';
    for (const path of [
      ...refused,
      deep,
      'a[3000000000]',
      'a.toUpperCase()',
      '_author.toLowerCase()',
      'a.toLowerCase().b',
      '`a"b`',
      '`x\\`',
    ]) {
      expectFailure(await world.call('PUT', at(collection, path), { token }), 400);
    }
    expectFailure(await world.call('PUT', at('nowhere', 'a'), { token }), 404);
    expectFailure(await world.call('GET', '/admin/collection/nowhere/index', { token }), 404);
    expectFailure(await world.call('DELETE', at('nowhere', 'a'), { token }), 404);
    const paths = Array.from({ length: 16 }, (_, i) => `field${i}`);
    const made = await Promise.all(paths.map((path) => world.call('PUT', at(collection, path), { token })));
    // On a busy machine an index may still be in the making (202).
    expect(made.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
    expectFailure(await world.call('PUT', at(collection, 'field16'), { token }), 400);
    expect([200, 202]).toContain((await world.call('PUT', at(collection, 'field15'), { token })).status);
  });

  it('are on a text in lower case, for documents', async () => {
    const [collection, token] = [await world.collection(), await world.admin()];
    const path = 'by.name.toLowerCase()';
    const made = await world.call('PUT', at(collection, path), { token });
    expect([201, 202]).toContain(made.status);
    expect(made.data.path).toBe(path);
    const both = await world.call('PUT', at(collection, JSON.stringify([path, 'by.name'])), { token });
    expect([201, 202]).toContain(both.status);
    for (const name of ['Ann', 'bob', 'ANN', 'Çid', 5]) {
      await world.call('POST', `/document/${collection}`, { token, body: { by: { name } } });
    }
    const list = async (query: Record<string, string>) => {
      const { data } = await world.call('GET', `/document/${collection}?${new URLSearchParams(query)}`, { token });
      return data.map(({ by }: { by: { name: unknown } }) => by.name);
    };
    await until(async () => (await world.call('GET', at(collection, path), { token })).data.state === 'ready');
    expect(await list({ orderBy: `${path} desc, by.name` })).toEqual(['Çid', 'bob', 'ANN', 'Ann', 5]);
    expect(await list({ where: `${path} = 'ann'`, orderBy: 'by.name' })).toEqual(['ANN', 'Ann']);
    expect(await list({ where: `${path} like 'a%'`, orderBy: 'by.name' })).toEqual(['ANN', 'Ann']);
    const unique = { token, body: { unique: true } };
    expectFailure(await world.call('PUT', at(collection, 'title.toLowerCase()'), unique), 400);
    expectFailure(
      await world.call('PUT', `/admin/index/users/${encodeURIComponent('user.name.toLowerCase()')}`, { token }),
      400,
    );
  });

  it('are for administrators only', async () => {
    const [collection, { token }] = [await world.collection(), await world.user()];
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expectFailure(await world.call(method, at(collection, 'a'), { token }), 403);
      expectFailure(await world.call(method, at(collection, 'a')), 401);
    }
    expectFailure(await world.call('GET', `/admin/collection/${collection}/index`, { token }), 403);
  });

  it('are on users, files and assets too', async () => {
    const [token, person] = [await world.admin(), await world.user()];
    const on = (list: string, path: string) => `/admin/index/${list}/${encodeURIComponent(path)}`;
    const city = 'visibleByRegisteredUsers.city';
    await world.call('PUT', '/me', { token: person.token, body: { visibleByRegisteredUsers: { city: 'Trieste' } } });
    const found = async (as: string) =>
      (await world.call('GET', `/users?where=${city}%20%3D%20'Trieste'`, { token: as })).data;
    const before = [await found(token), await found(person.token)];
    expect(before.map(({ length }) => length)).toEqual([1, 1]);
    for (const [list, path] of [
      ['users', city],
      ['users', '["user.status","visibleByFriend.tags[0]"]'],
      ['files', 'attachedData.kind'],
      ['assets', 'name'],
    ] as const) {
      const made = await world.call('PUT', on(list, path), { token });
      expect([made.status, made.data]).toEqual([201, { path, state: 'ready', unique: false }]);
      expect((await world.call('PUT', on(list, path), { token })).status).toBe(200);
      expect((await world.call('GET', on(list, path), { token })).data).toEqual({
        path,
        state: 'ready',
        unique: false,
      });
      const listed = (await world.call('GET', `/admin/index/${list}`, { token })).data;
      expect(listed).toContainEqual({ path, state: 'ready', unique: false });
    }
    expect([await found(token), await found(person.token)]).toEqual(before);
    for (const [list, path] of [
      ...['id', 'signUpDate', 'user.roles', 'visibleByFriend', 'visibleByFriends.a', 'x'].map((one) => ['users', one]),
      ...['attachedData', '_author', '_creation_date', 'name', '["contentLength","_creation_date"]'].map((one) => [
        'files',
        one,
      ]),
      ...['meta', 'id', 'a.b', '["name","fileName","contentType"]'].map((one) => ['assets', one]),
      ['roles', 'name'],
    ] as const) {
      expectFailure(await world.call('PUT', on(list ?? '', path ?? ''), { token }), 400);
    }
    expectFailure(await world.call('GET', on('files', 'contentLength'), { token }), 404);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expectFailure(await world.call(method, on('users', city), { token: person.token }), 403);
      expectFailure(await world.call(method, on('users', city)), 401);
    }
    expectFailure(await world.call('GET', '/admin/index/users', { token: person.token }), 403);
    expect((await world.call('DELETE', on('users', city), { token })).status).toBe(200);
    expectFailure(await world.call('DELETE', on('users', city), { token }), 404);
    expect([await found(token), await found(person.token)]).toEqual(before);
  });

  it('are advised for the criteria that were searched for, without their values', async () => {
    const { collection, create } = await createShelf(world);
    const [token, { token: nobody }] = [await world.admin(), await world.user()];
    const resource = `/admin/collection/${collection}/index/advice`;
    const advice = async () => (await world.call('GET', resource, { token })).data;
    expect(await advice()).toEqual({ since: expect.any(String), documents: expect.any(Number), criteria: [] });
    const { documents } = await advice();
    for (const n of [1, 2]) await create({ n, secret: 'hidden' });
    const search = async (query: Record<string, string>, path = '') =>
      world.call('GET', `/document/${collection}${path}?${new URLSearchParams(query)}`, { token });

    for (const value of ['1', '2']) await search({ where: "n = ? and secret like 'hid%'", params: value });
    await search({ where: 'n = 1' }, '/count');
    await search({ where: 'secret.toLowerCase() = ? or not n > 1', params: 'hidden' });
    await search({ where: 'n = 1', fields: 'n', groupBy: 'n' });
    await search({ orderBy: 'secret desc' });
    await search({ orderBy: '_creation_date desc' });
    await search({ where: 'n =' });
    const [n, secret] = ['n', 'secret'];
    const byNewest = { conditions: [{ field: n, operator: '=' }], orderBy: [], returned: 2, searches: 2, index: n };
    const expected = [
      byNewest,
      {
        conditions: [
          { field: n, operator: '=' },
          { field: secret, operator: 'like' },
        ],
        orderBy: [],
        returned: 2,
        searches: 2,
        index: n,
      },
      {
        conditions: [
          { field: 'secret.toLowerCase()', operator: '=' },
          { field: n, operator: '>' },
        ],
        orderBy: [],
        returned: 2,
        searches: 1,
        index: null,
      },
      {
        conditions: [],
        orderBy: [{ field: secret, descending: true }],
        returned: documents + 2,
        searches: 1,
        index: secret,
      },
    ];
    const found = await advice();
    expect(found.documents).toBe(documents + 2);
    expect(found.criteria).toHaveLength(expected.length);
    for (const criteria of expected) {
      expect(found.criteria).toContainEqual({ ...criteria, milliseconds: expect.any(Number) });
    }
    expect(JSON.stringify(found)).not.toContain('hid');

    // The collection has an index now, or will have one in a moment.
    expect((await world.call('PUT', at(collection, 'n'), { token })).data.path).toBe('n');
    const indexes = (await advice()).criteria.map(({ index }: { index: string | null }) => index);
    expect(indexes.filter((index: string | null) => index !== null)).toEqual(['secret']);
    expectFailure(await world.call('GET', resource, { token: nobody }), 403);
    expectFailure(await world.call('GET', '/admin/collection/nowhere/index/advice', { token }), 404);
  });

  it('may be on a field named advice', async () => {
    const [collection, token] = [await world.collection(), await world.admin()];
    await world.call('PUT', at(collection, 'advice'), { token });
    expect((await world.call('GET', at(collection, '`advice`'), { token })).data.path).toBe('advice');
  });

  it('do not change the contents of a list', async () => {
    const { collection, owner, create, ids } = await createShelf(world);
    const token = await world.admin();
    const values = [5, '5', 'abc', 'ABC', true, null, [5], { a: 5 }, 1.5, `${'x'.repeat(300)}a`, `${'x'.repeat(300)}b`];
    for (const n of values) await create({ n });
    const long = encodeURIComponent(`${'x'.repeat(300)}a`);
    const queries = [
      ...['where=n%20%3D%20?&params=5', 'where=n%20%3E%20?&params=1', "where=n%20like%20'a%25'", 'where=n%20is%20null'],
      ...[`where=n%20%3D%20?&params=${long}`, `where=n%20%3C%20?&params=${long}`, 'orderBy=n', 'orderBy=n%20desc'],
      ...['where=n%20in%20[5,%20%27abc%27]&orderBy=n', 'where=n%20between%201%20and%205&orderBy=_creation_date%20desc'],
    ];
    const answers = async () => {
      const found: string[][] = [];
      for (const query of queries) {
        for (const caller of [token, owner.token]) found.push(await ids({ token: caller }, `?${query}`));
      }
      return found;
    };
    const before = await answers();
    expect(before.every((found) => found.length > 0)).toBe(true);
    expect((await world.call('PUT', at(collection, 'n'), { token })).status).toBe(201);
    expect(await answers()).toEqual(before);
    expect((await world.call('DELETE', at(collection, 'n'), { token })).status).toBe(200);
    expect(await answers()).toEqual(before);
  });
});
