import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { UUID, WIRE_DATE } from '../support/documents.ts';

onEveryStorage('object assets', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = async (method: string, path: string, options = {}) =>
    call(method, `/admin/asset${path}`, { token: await world.admin(), ...options });

  it('are created from a form, and are readable by everybody without the application code', async () => {
    const name = world.unique('Terms_1.0-');
    const { status, data } = await asAdmin('POST', '', { form: { name, meta: '{"b":[1,"ü"],"a":1}' } });
    expect([status, data]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        name,
        meta: { b: [1, 'ü'], a: 1 },
        _creation_date: expect.stringMatching(WIRE_DATE),
        _author: 'admin',
      },
    ]);
    const read = await call('GET', `/asset/${name}/data`, { appCode: null });
    expect([read.status, read.data]).toEqual([200, data]);
    expect(read.text).toContain('"meta":{"b":[1,"ü"],"a":1}');
  });

  it.each([
    ['no meta', {}, {}],
    ['an empty string', { meta: '' }, {}],
    ['null', { meta: null }, {}],
    ['an object', { meta: { a: 1 } }, { a: 1 }],
    ['an array', { meta: [1, 2] }, [1, 2]],
    ['a string that contains JSON', { meta: '{"a":{"b":null}}' }, { a: { b: null } }],
    ['a number', { meta: 7 }, 7],
  ])('are created from JSON: %s', async (_what, body, meta) => {
    const name = world.unique('object');
    const { status, data } = await asAdmin('POST', '', { body: { name, ...body } });
    expect([status, data.meta]).toEqual([201, meta]);
    expect((await call('GET', `/asset/${name}/data`)).data.meta).toEqual(meta);
  });

  it('have no file to download: 404', async () => {
    const name = world.unique('object');
    await asAdmin('POST', '', { body: { name } });
    for (const path of ['', '/download', '/resize/50%', '/resize/10/10', '/resizeId/1', '/download/resizeId/1']) {
      expect((await call('GET', `/asset/${name}${path}`)).status).toBe(404);
    }
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a space', { name: 'a b' }],
    ['a slash', { name: 'a/b' }],
    ['dots only', { name: '..' }],
    ['another script', { name: 'é' }],
    ['129 characters', { name: 'a'.repeat(129) }],
    ['a number', { name: 7 }],
    ['a line break', { name: 'a\n' }],
  ])('cannot have this name: %s', async (_what, body) => {
    expect((await asAdmin('POST', '', { body })).status).toBe(400);
  });

  it.each(['{', 'hello', '{"a":"\\u0000"}', `${'['.repeat(300)}${']'.repeat(300)}`])(
    'cannot have this meta: %s',
    async (meta) => {
      expect((await asAdmin('POST', '', { body: { name: world.unique('object'), meta } })).status).toBe(400);
    },
  );

  it('require an object as body', async () => {
    for (const body of ['', '[]', '7', 'null']) expect((await asAdmin('POST', '', { body })).status).toBe(400);
  });

  it('have unique names, even when many requests for one name arrive at the same time', async () => {
    const name = world.unique('object');
    const attempts = Array.from({ length: 8 }, () => asAdmin('POST', '', { body: { name } }));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array(7).fill(400)]);
    expect((await asAdmin('POST', '', { body: { name: name.toUpperCase() } })).status).toBe(201);
  });

  it('can be removed once', async () => {
    const name = world.unique('object');
    await asAdmin('POST', '', { body: { name } });
    const { status, body } = await asAdmin('DELETE', `/${name}`);
    expect([status, body]).toEqual([200, { result: 'ok', data: '', http_code: 200 }]);
    expect((await call('GET', `/asset/${name}/data`)).status).toBe(404);
    for (const gone of [name, 'a%20b', '...']) expect((await asAdmin('DELETE', `/${gone}`)).status).toBe(404);
    expect((await asAdmin('POST', '', { body: { name } })).status).toBe(201);
  });

  it('are listed for administrators in the order of their creation, page by page', async () => {
    const names = Array.from({ length: 5 }, () => world.unique('listed'));
    for (const name of names) await asAdmin('POST', '', { body: { name } });
    const { data } = await asAdmin('GET', '');
    const listed = data.map(({ name }: { name: string }) => name);
    expect(listed.slice(-5)).toEqual(names);
    expect((await asAdmin('GET', '?count=true')).data).toEqual([{ count: listed.length }]);
    const pages: string[] = [];
    for (let query = '?recordsPerPage=3'; query !== ''; ) {
      const page = await asAdmin('GET', query);
      pages.push(...page.data.map(({ name }: { name: string }) => name));
      query = page.body.more ? `?recordsPerPage=3&cursor=${page.body.next}` : '';
    }
    expect(pages).toEqual(listed);
    expect((await asAdmin('GET', '?page=1&recordsPerPage=2')).data).toEqual(data.slice(2, 4));
    expect((await asAdmin('GET', '?page=x')).status).toBe(400);
  });

  it('outlive their author', async () => {
    const [username, name] = [world.unique('editor'), world.unique('object')];
    const admin = { token: await world.admin() };
    await call('POST', '/admin/user', { ...admin, body: { username, password: 'x', role: 'administrator' } });
    const { data } = await call('POST', '/admin/asset', { basic: [username, 'x'], body: { name } });
    expect(data._author).toBe(username);
    expect((await call('DELETE', `/admin/user/${username}`, admin)).status).toBe(200);
    expect((await call('GET', `/asset/${name}/data`)).data).toEqual({ ...data, _author: null });
  });

  it.each([
    ['POST', ''],
    ['GET', ''],
    ['DELETE', '/x'],
  ])('%s /admin/asset%s is for administrators only', async (method, path) => {
    const { token } = await world.user();
    const url = `/admin/asset${path}`;
    const options = method === 'POST' ? { body: { name: world.unique('object') } } : {};
    const refused = await call(method, url, { token, ...options });
    expect([refused.status, refused.body.message]).toEqual([403, 'the user is not an Admin']);
    expect((await call(method, url, options)).status).toBe(401);
    expect((await call(method, url, { token: 'stale', ...options })).status).toBe(401);
    expect((await call(method, url, { appCode: null, ...options })).status).toBe(400);
  });

  it('are readable with any session, but not with a wrong application code', async () => {
    const name = world.unique('object');
    await asAdmin('POST', '', { body: { name } });
    const url = `/asset/${name}/data`;
    expect((await call('GET', url, { appCode: null, token: 'stale' })).status).toBe(200);
    expect((await call('GET', url, { appCode: null, token: await world.admin() })).status).toBe(200);
    expect((await call('GET', url, { appCode: 'wrong' })).status).toBe(400);
    expect((await call('GET', url, { appCode: null, basic: ['admin', 'wrong'] })).status).toBe(401);
    expect((await call('GET', '/asset/nowhere/data')).status).toBe(404);
    expect((await call('GET', '/asset/a%20b/data')).status).toBe(404);
  });
});
