import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';

onEveryStorage('indexes', (world) => {
  const at = (collection: string, path: string) => `/admin/collection/${collection}/index/${encodeURIComponent(path)}`;

  it('are created, listed and removed by administrators', async () => {
    const [collection, token] = [await world.collection(), await world.admin()];
    const list = async () => (await world.call('GET', `/admin/collection/${collection}/index`, { token })).data;
    expect(await list()).toEqual([]);
    const ready = (path: string) => ({ path, state: 'ready' });
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

  it('are on paths of the content of an existing collection, up to a limit', async () => {
    const [collection, token] = [await world.collection(), await world.admin()];
    const refused = [
      'id',
      '_author',
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
    for (const path of [...refused, deep, 'a[3000000000]', 'a.toLowerCase()', '`a"b`', '`x\\`']) {
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

  it('are for administrators only', async () => {
    const [collection, { token }] = [await world.collection(), await world.user()];
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expectFailure(await world.call(method, at(collection, 'a'), { token }), 403);
      expectFailure(await world.call(method, at(collection, 'a')), 401);
    }
    expectFailure(await world.call('GET', `/admin/collection/${collection}/index`, { token }), 403);
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
