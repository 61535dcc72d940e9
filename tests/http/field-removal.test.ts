import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createBook, NOWHERE, WIRE_DATE } from '../support/documents.ts';

onEveryStorage('DELETE of a field', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  const book = (content: unknown = { title: 'Zeno', tags: ['a', 'b', 'c'], author: { roles: [1, [2, 3]] } }) =>
    createBook(world, content);

  it('removes the field and answers with the whole document', async () => {
    const { remove, document, read } = await book();
    const { status, data } = await remove('.title');
    expect(status).toBe(200);
    const { title, ...rest } = document;
    expect(data).toEqual({ ...rest, '@version': 2, _update_date: expect.stringMatching(WIRE_DATE) });
    expect(await read()).toEqual(data);
  });

  it.each<[field: string, content: string]>([
    ['.title', '"tags":["a","b","c"],"author":{"roles":[1,[2,3]]}'],
    ['.author', '"title":"Zeno","tags":["a","b","c"]'],
    ['.tags[0]', '"title":"Zeno","tags":["b","c"],"author":{"roles":[1,[2,3]]}'],
    ['.tags%5B1%5D', '"title":"Zeno","tags":["a","c"],"author":{"roles":[1,[2,3]]}'],
    ['.tags[2]', '"title":"Zeno","tags":["a","b"],"author":{"roles":[1,[2,3]]}'],
    ['.author/.roles', '"title":"Zeno","tags":["a","b","c"],"author":{}'],
    ['.author/.roles[1][0]', '"title":"Zeno","tags":["a","b","c"],"author":{"roles":[1,[3]]}'],
  ])('%s leaves everything else as it is', async (field, content) => {
    const { remove, text } = await book();
    expect((await remove(field)).status).toBe(200);
    expect(await text()).toContain(`,${content}},"http_code"`);
  });

  it('can remove everything, one field after the other', async () => {
    const { remove, text } = await book({ list: [1, 2], '': 0, __proto__x: 1 });
    for (const field of ['.list[0]', '.list[0]']) expect((await remove(field)).status).toBe(200);
    expect(await text()).toContain('"list":[]');
    for (const field of ['.``', '.__proto__x', '.list']) expect((await remove(field)).status).toBe(200);
    expect(await text()).toMatch(/"_author":"[^"]+","_updated_by":"[^"]+"\},"http_code"/);
  });

  it.each<[what: string, field: string, status: number, code: string]>([
    ['a field that does not exist', '.nothing', 404, 'field.not_found'],
    ['a missing value along the path', '.nothing/.name', 404, 'field.not_found'],
    ['an index beyond the length', '.tags[3]', 404, 'field.not_found'],
    ['an index of an object', '.author[0]', 404, 'field.not_found'],
    ['a name in an array', '.tags/.length', 404, 'field.not_found'],
    ['an inherited name', '.constructor', 404, 'field.not_found'],
    ['the place after the last element', '.tags[]', 400, 'field.path_invalid'],
    ['an index that is not a number', '.tags[x]', 400, 'field.path_invalid'],
    ['a step without a dot', '.author/roles', 400, 'field.path_invalid'],
    ['a field of the service', '.@version', 400, 'field.owned'],
    ['the id', '.id', 400, 'field.owned'],
  ])('is refused for %s, and changes nothing', async (_what, field, status, code) => {
    const { remove, document, read } = await book();
    const refused = await remove(field);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(await read()).toEqual(document);
  });

  it('requires the right to update', async () => {
    const { url, token, share, document, collection } = await book();
    const other = await world.user();
    const status = async (options: { token?: string } = {}, at = url) =>
      (await call('DELETE', `${at}/.tags[0]`, options)).status;
    await share(document.id, `read/user/${other.name}`);
    await share(document.id, 'read/role/anonymous');
    await share(document.id, `delete/user/${other.name}`);
    expect([await status(), await status(other)]).toEqual([401, 403]);
    await share(document.id, `update/user/${other.name}`);
    expect([await status(other), await status({ token })]).toEqual([200, 200]);
    const elsewhere = await world.collection();
    const missing = [`/document/${collection}/${NOWHERE}`, `/document/${elsewhere}/${document.id}`, '/document/no/x'];
    for (const at of missing) expect(await status({ token }, at)).toBe(404);
    expect((await call('GET', url, { token })).data.tags).toEqual(['c']);
  });

  it('tells a missing field only to callers who may update', async () => {
    const { url } = await book();
    const other = await world.user();
    expect((await call('DELETE', `${url}/.nothing`, { token: other.token })).status).toBe(403);
  });

  describe('with a version', () => {
    it.each<[string, (version: unknown) => { query: string; options: CallOptions }]>([
      ['in the body', (version) => ({ query: '', options: { body: { '@version': version } } })],
      ['in the query', (version) => ({ query: `?version=${version}`, options: {} })],
    ])('%s removes only from that version', async (_where, sent) => {
      const { remove, read } = await book();
      const send = (version: unknown) => {
        const { query, options } = sent(version);
        return remove(`.tags[0]${query}`, options);
      };
      expect((await send(1)).data['@version']).toBe(2);
      const stale = await send(1);
      expect([stale.status, stale.body.bb_code]).toEqual([400, '40001']);
      const invalid = await send('x');
      expect([invalid.status, invalid.body.code]).toEqual([400, 'document.version_invalid']);
      expect((await read()).tags).toEqual(['b', 'c']);
    });
  });

  it('loses no concurrent change', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `f${i}`);
    const { remove, set, read } = await book(Object.fromEntries(names.map((name) => [name, 0])));
    const removals = names.map((name) => remove(`.${name}`));
    const additions = names.map((name, i) => set(`.new-${name}`, i));
    const answers = await Promise.all([...removals, ...additions]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = Object.keys(await read()).filter((name) => /^(new-)?f\d/.test(name));
    expect(left.toSorted()).toEqual(names.map((name) => `new-${name}`).toSorted());
  });

  it('lets concurrent calls remove as many elements as were acknowledged, and appends keep their place at the end', async () => {
    const { remove, set, read } = await book({ list: [0, 1, 2, 3, 4, 5] });
    const removals = Array.from({ length: 9 }, () => remove('.list[0]'));
    const appends = Array.from({ length: 5 }, (_, i) => set('.list[]', 10 + i));
    const [removed, appended] = await Promise.all([Promise.all(removals), Promise.all(appends)]);
    const gone = removed.filter(({ status }) => status === 200);
    expect(removed.length - gone.length).toBe(removed.filter(({ status }) => status === 404).length);
    expect(appended.map(({ status }) => status)).toEqual(appended.map(() => 200));
    expect((await read()).list).toHaveLength(6 + 5 - gone.length);
  });

  it('works in a batch, like its own route', async () => {
    const { url, token, read } = await book();
    const operations = [
      { method: 'DELETE', path: `${url}/.title` },
      { method: 'DELETE', path: `${url}/.tags[0]?version=2` },
      { method: 'DELETE', path: `${url}/.tags[0]`, body: { '@version': 2 } },
      { method: 'DELETE', path: `${url}/.title` },
    ];
    const { data } = await call('POST', '/batch', { token, body: { operations } });
    expect(data.map(({ http_code, code }: Record<string, unknown>) => [http_code, code])).toEqual([
      [200, undefined],
      [200, undefined],
      [400, 'document.stale'],
      [404, 'field.not_found'],
    ]);
    expect(data[1].data).toEqual(await read());
    const atomic = await call('POST', '/batch', { token, body: { atomic: true, operations: operations.slice(1) } });
    expect([atomic.status, atomic.body.operation]).toEqual([400, 0]);
    const anonymous = await call('POST', '/batch', { body: { operations } });
    expect(anonymous.data[0].http_code).toBe(401);
  });

  describe('with an Idempotency-Key', () => {
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

    it('takes effect once', async () => {
      const { remove, read } = await book();
      const [first, again] = [await remove('.tags[0]', keyed('k1')), await remove('.tags[0]', keyed('k1'))];
      expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([200, first.text, 'true']);
      expect((await read()).tags).toEqual(['b', 'c']);
      expect((await remove('.tags[1]', keyed('k1'))).status).toBe(422);
    });

    it('lets PUT append once, too', async () => {
      const { url, token, read } = await book();
      const append = () => call('PUT', `${url}/.tags[]`, { token, body: { data: 'd' }, ...keyed('k2') });
      const [first, again] = [await append(), await append()];
      expect([first.status, again.text, again.headers['idempotency-replayed']]).toEqual([200, first.text, 'true']);
      expect((await read()).tags).toEqual(['a', 'b', 'c', 'd']);
    });
  });
});
