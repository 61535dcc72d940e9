import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createBook, NOWHERE, WIRE_DATE } from '../support/documents.ts';

onEveryStorage('fields of documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  const book = (content: unknown = { title: 'Zeno', tags: ['a', 'b'], author: { roles: [1, 2, 3] } }) =>
    createBook(world, content);

  describe('PUT', () => {
    it('sets one field and answers with the whole document', async () => {
      const { set, document, url, token } = await book();
      const { status, data } = await set('.title', 'La coscienza');
      expect(status).toBe(200);
      const expected = { ...document, title: 'La coscienza', '@version': 2 };
      expect(data).toEqual({ ...expected, _update_date: expect.stringMatching(WIRE_DATE) });
      expect((await call('GET', url, { token })).data).toEqual(data);
    });

    it.each<[field: string, content: string]>([
      ['.title', '{"title":N,"tags":["a","b"],"author":{"roles":[1,2,3]}}'],
      ['.new', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"new":N}'],
      ['.tags[0]', '{"title":"Zeno","tags":[N,"b"],"author":{"roles":[1,2,3]}}'],
      ['.tags[2]', '{"title":"Zeno","tags":["a","b",N],"author":{"roles":[1,2,3]}}'],
      ['.tags%5B1%5D', '{"title":"Zeno","tags":["a",N],"author":{"roles":[1,2,3]}}'],
      ['.author/.roles[3]', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3,N]}}'],
      ['.author/.roles%5b0%5d', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[N,2,3]}}'],
      ['%2Eauthor/%2Ename', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3],"name":N}}'],
      ['.author/.id', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3],"id":N}}'],
      ['.100%', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"100%":N}'],
      ['.%3F%23%20%F0%9F%98%80', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"?# 😀":N}'],
      ['.a.b?call_id=1', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"a.b":N}'],
      ['.__proto__', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"__proto__":N}'],
      ['.constructor', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"constructor":N}'],
      ['.`tags[0]`', '{"title":"Zeno","tags":["a","b"],"author":{"roles":[1,2,3]},"tags[0]":N}'],
    ])('%s changes only the fields that it names', async (field, content) => {
      const { set, text, get } = await book();
      const value = { isAdmin: true, 2: null };
      expect((await set(field, value)).status).toBe(200);
      const own = content.replace('N', '{"2":null,"isAdmin":true}');
      expect(await text()).toContain(`,${own.slice(1)},"http_code"`);
      expect((await get(field)).data).toEqual({ result: value });
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    });

    it('preserves the order of keys, and every character of other fields', async () => {
      const sent = '{"b":1,"2":{"z":[],"1":"\\u0001é 😀\\\\","__proto__":{"a":[{"x":0}]}},"1":-1e-8,"":0}';
      const { set, text } = await book(sent);
      await set('.2/.__proto__/.a[0]/.x', 5);
      expect(await text()).toContain(`,${sent.replace('{"x":0}', '{"x":5}').slice(1)},"http_code"`);
    });

    it('preserves the value as it was sent', async () => {
      const { url, token, text } = await book({});
      const body = '{ "ignored": 1, "data" : { "b": [ 1.0, -0.1e-7 ], "1": "\\u00e9", "__proto__": null } }';
      expect((await call('PUT', `${url}/.v`, { token, body })).status).toBe(200);
      expect(await text()).toContain(',"v":{"b":[1,-1e-8],"1":"é","__proto__":null}}');
    });

    it.each([[null], [false], [0], [''], [[]], [{}]])('accepts the value %j', async (value) => {
      const { set, get } = await book();
      expect((await set('.title', value)).data.title).toEqual(value);
      expect((await get('.title')).data).toEqual({ result: value });
    });

    it.each([
      ['an index beyond the length', '.tags[3]'],
      ['an index on a string', '.title[0]'],
      ['an index on an object', '.author[0]'],
      ['an index on a missing value', '.nothing[0]'],
      ['a name in an array', '.tags/.length'],
      ['a name in a string', '.title/.length'],
      ['a missing intermediate value', '.nothing/.name'],
      ['an inherited intermediate value', '.constructor/.prototype'],
      ['a missing element as intermediate value', '.tags[2]/.name'],
      ['an index that is not a number', '.tags[x]'],
      ['a negative index', '.tags[-1]'],
      ['an append position before another step', '.tags[]/.a'],
      ['an append position on a value that is not an array', '.author[]'],
      ['an append position on a missing element', '.tags[2][]'],
      ['no name', '.[0]'],
      ['a step without a dot', '.author/roles'],
      ['a field of the service', '.@version'],
      ['the author', '._author'],
      ['grants', '._allowRead'],
      ['the id', '.id'],
    ])('is 400 for %s, and changes nothing', async (_what, field) => {
      const { set, document, url, token } = await book();
      expect((await set(field, 1)).status).toBe(400);
      expect((await call('GET', url, { token })).data).toEqual(document);
    });

    it.each([
      ['no member `data`', '{}'],
      ['an inherited member', '{"__proto__":{"data":1}}'],
      ['a body that is not an object', '[{"data":1}]'],
      ['null', 'null'],
      ['a number that is too large', '{"data":1e400}'],
      ['broken JSON', '{"data":'],
      ['U+0000', '{"data":"\\u0000"}'],
      ['no body', undefined],
    ])('is 400 for %s', async (_what, body) => {
      const { url, token } = await book();
      expect((await call('PUT', `${url}/.a`, { token, ...(body === undefined ? {} : { body }) })).status).toBe(400);
    });

    it('checks @version when it is sent with the data', async () => {
      const { url, token } = await book();
      const set = (version: unknown) => call('PUT', `${url}/.a`, { token, body: { data: 1, '@version': version } });
      expect((await set(1)).data['@version']).toBe(2);
      const stale = await set(1);
      expect([stale.status, stale.body.bb_code]).toEqual([400, '40001']);
      expect((await set('2')).status).toBe(400);
    });

    it('lets a document grow to the size limit of a body and no further, and to 200 levels', async () => {
      const { set, get } = await book({ list: [] });
      const half = 'é'.repeat(250_000);
      expect((await set('.list[0]', half)).status).toBe(200);
      expect((await set('.list[1]', half)).status).toBe(200);
      const refused = await set('.list[2]', half);
      expect([refused.status, refused.body.result]).toEqual([413, 'error']);
      expect((await set('.list[1]', 'short')).status).toBe(200);
      const deep = JSON.parse('['.repeat(198) + ']'.repeat(198));
      expect((await set('.list[0]', deep)).status).toBe(200);
      expect((await set(`.list[0]${'[0]'.repeat(197)}`, [])).status).toBe(200);
      expect((await set(`.list[0]${'[0]'.repeat(198)}`, [])).status).toBe(400);
      expect((await get('.list[1]')).data).toEqual({ result: 'short' });
    });
  });

  describe('GET', () => {
    it('is 404 for a field that does not exist, and 400 where none can exist', async () => {
      const { get } = await book();
      for (const field of ['.x', '.tags[2]', '.title[0]', '.tags/.length', '.title/.length', '.constructor']) {
        const { status, body } = await get(field);
        expect([field, status]).toEqual([field, 404]);
        expect(body.code).toBe('field.not_found');
      }
      for (const field of ['.tags[x]', '.author/roles', '.@version', '.[0]']) {
        expect((await get(field)).status).toBe(400);
      }
    });

    it('reads the value of a body that was not an object', async () => {
      const { get } = await book('[1,{"2":0,"a":1}]');
      expect((await get('.value[1]')).text).toBe('{"result":"ok","data":{"result":{"2":0,"a":1}},"http_code":200}');
    });
  });

  it('require the rights of the document', async () => {
    const { url, token, share, document, collection } = await book();
    const other = await world.user();
    const status = async (method: string, options: { token?: string } = {}, at = url) =>
      (await call(method, `${at}/.title`, method === 'PUT' ? { ...options, body: { data: 1 } } : options)).status;
    expect([await status('GET'), await status('PUT')]).toEqual([403, 401]);
    expect([await status('GET', other), await status('PUT', other)]).toEqual([403, 403]);
    await share(document.id, `update/user/${other.name}`);
    expect([await status('GET', other), await status('PUT', other)]).toEqual([403, 200]);
    await share(document.id, 'read/role/anonymous');
    expect([await status('GET'), await status('PUT')]).toEqual([200, 401]);
    const elsewhere = await world.collection();
    for (const at of [
      `/document/${collection}/${NOWHERE}`,
      `/document/${elsewhere}/${document.id}`,
      '/document/no/x',
    ]) {
      expect([await status('GET', { token }, at), await status('PUT', { token }, at)]).toEqual([404, 404]);
    }
  });

  it('do not support other methods', async () => {
    const { url, token } = await book();
    const { status, headers } = await call('POST', `${url}/.title`, { token });
    expect([status, headers.allow]).toEqual([405, 'DELETE, GET, HEAD, PUT']);
    expect((await call('PUT', `${url}/title`, { token, body: { data: 1 } })).status).toBe(404);
  });

  describe('concurrent writes', () => {
    it('all take effect on different fields', async () => {
      const { set, url, token } = await book({});
      const names = Array.from({ length: 30 }, (_, i) => `f${i}`);
      const answers = await Promise.all(names.map((name, i) => set(`.${name}`, i)));
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
      const { data } = await call('GET', url, { token });
      expect(data).toMatchObject(Object.fromEntries(names.map((name, i) => [name, i])));
      expect(data['@version']).toBe(31);
    });

    it('leave one element when they set the same index', async () => {
      const { set, get } = await book({ list: ['first'] });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => set('.list[1]', i)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect((await get('.list')).data.result).toHaveLength(2);
    });

    it('all append after the last element, whatever the list contains', async () => {
      const { set, get } = await book({ list: ['first'] });
      const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => set('.list[]', i)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const [first, ...added] = (await get('.list')).data.result;
      expect(first).toBe('first');
      expect(added.toSorted((a: number, b: number) => a - b)).toEqual(answers.map((_, i) => i));
    });

    it('create a missing list once', async () => {
      const { set, get } = await book({ a: {} });
      const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => set('.a/.list[]', i)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect((await get('.a/.list')).data.result).toHaveLength(10);
    });

    it('are in conflict when they name another version', async () => {
      const { url, token } = await book({ list: [] });
      const put = (n: number, version: number) =>
        call('PUT', `${url}/.list[0]`, { token, body: { data: n, '@version': version } });
      expect((await put(1, 1)).status).toBe(200);
      const answers = await Promise.all([put(2, 2), put(3, 2), put(4, 1)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
      expect(answers.map(({ body }) => body.bb_code).filter(Boolean)).toEqual(['40001', '40001']);
    });
  });
});
