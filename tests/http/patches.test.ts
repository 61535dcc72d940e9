import { describe, expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createBook, NOWHERE, WIRE_DATE } from '../support/documents.ts';
import { createFollower } from '../support/feed.ts';
import { adminOf, expectStatus } from '../support/people.ts';

onEveryStorage('patches with operators', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  async function book(content: unknown = { title: 'Zeno', likes: 3, tags: ['a', 'b'], author: { roles: [1, 2] } }) {
    const scene = await createBook(world, content);
    const patch = (body: unknown, options: CallOptions = {}) =>
      call('PATCH', scene.url, { token: scene.token, body, ...options });
    /** The content after a patch, as text. */
    const changed = async (body: unknown) => {
      await expectStatus(patch(body), 200);
      const text = await scene.text();
      return text
        .slice(text.indexOf('"_updated_by"'))
        .replace(/^"_updated_by":"[^"]*",?/, '{')
        .replace(/,"http_code":200\}$/, '');
    };
    return { ...scene, patch, changed };
  }

  it('change several fields at once, as one version, and answer the whole document', async () => {
    const { patch, document, read } = await book();
    const { status, data } = await patch({
      set: { title: 'La coscienza', 'author.name': 'Italo' },
      remove: ['author.roles[0]'],
      increment: { likes: 1, views: 2 },
      append: { tags: ['c', 'd'] },
    });
    expect(status).toBe(200);
    expect(data).toEqual({
      ...document,
      title: 'La coscienza',
      likes: 4,
      views: 2,
      tags: ['a', 'b', 'c', 'd'],
      author: { roles: [2], name: 'Italo' },
      '@version': 2,
      _update_date: expect.stringMatching(WIRE_DATE),
    });
    expect(await read()).toEqual(data);
  });

  it.each<[patch: object, content: string]>([
    [{}, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{}}'],
    [{ set: { 'o.p': { '2': 1.0, '1': null } } }, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{"p":{"1":null,"2":1}}}'],
    [{ set: { 'l[0]': 7, 'l[]': 8 } }, '{"n":1,"l":[7,{"x":1,"y":2},8],"o":{}}'],
    [{ set: { 'l[1]/.x': 3 } }, '{"n":1,"l":["a",{"x":3,"y":2}],"o":{}}'],
    [{ set: { '`a.b`': 1 } }, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{},"a.b":1}'],
    [{ set: { o: { k: 1 } }, increment: { 'o.k': 1 } }, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{"k":2}}'],
    [{ remove: ['n', 'l[0]', 'absent', 'o.absent', 'n.absent'] }, '{"l":[{"x":1,"y":2}],"o":{}}'],
    [{ increment: { n: -1.5, 'o.m': 4 } }, '{"n":-0.5,"l":["a",{"x":1,"y":2}],"o":{"m":4}}'],
    [{ min: { n: 0, m: 5 } }, '{"n":0,"l":["a",{"x":1,"y":2}],"o":{},"m":5}'],
    [{ min: { n: 2 }, max: { m: -1 } }, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{},"m":-1}'],
    [{ max: { n: 2 } }, '{"n":2,"l":["a",{"x":1,"y":2}],"o":{}}'],
    [{ append: { l: [], new: [[1], null], none: [] } }, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{},"new":[[1],null]}'],
    [{ addToSet: { l: ['b', 'a', 'b', { y: 2, x: 1 }] } }, '{"n":1,"l":["a",{"x":1,"y":2},"b"],"o":{}}'],
    [{ addToSet: { 'o.s': [1, 1.0, '1', [1]] } }, '{"n":1,"l":["a",{"x":1,"y":2}],"o":{"s":[1,"1",[1]]}}'],
    [{ removeFrom: { l: [{ y: 2, x: 1 }, 'z'], none: [1] } }, '{"n":1,"l":["a"],"o":{}}'],
    [
      { append: { l: ['c'] }, addToSet: { l: ['c', 'd'] }, removeFrom: { l: ['a'] } },
      '{"n":1,"l":[{"x":1,"y":2},"c","d"],"o":{}}',
    ],
  ])('%j', async (patch, content) => {
    const { changed } = await book({ n: 1, l: ['a', { x: 1, y: 2 }], o: {} });
    expect(await changed(patch)).toBe(content);
  });

  it('preserve the order of keys, and every character of other fields', async () => {
    const sent = '{"b":1,"2":{"z":[],"1":"\\u0001é 😀\\\\","__proto__":{"a":[{"x":0}]}},"1":-1e-8,"":0}';
    const { changed } = await book(sent);
    expect(await changed('{"increment":{"2.__proto__.a[0].x":5}}')).toBe(sent.replace('{"x":0}', '{"x":5}'));
  });

  it.each<[what: string, patch: object, path: string]>([
    ['a number is added to a text', { increment: { title: 1 } }, '/title'],
    ['a number is added to null', { increment: { nothing: 1 } }, '/nothing'],
    ['a text is added', { increment: { likes: 'x' } }, '/likes'],
    ['the sum is no number', { increment: { huge: 1.7e308 } }, '/huge'],
    ['a minimum of a list', { min: { tags: 1 } }, '/tags'],
    ['a maximum that is a text', { max: { likes: '7' } }, '/likes'],
    ['elements are appended to an object', { append: { author: [1] } }, '/author'],
    ['no elements are appended to an object', { append: { author: [] } }, '/author'],
    ['what is appended is not a list', { append: { tags: 'x' } }, '/tags'],
    ['elements are added to a number', { addToSet: { likes: [1] } }, '/likes'],
    ['elements are removed from a text', { removeFrom: { 'author.name': ['x'] } }, '/author/name'],
  ])('are 400 with the path when %s, and change nothing', async (_what, wrong, path) => {
    const content = { title: 'Zeno', nothing: null, huge: 1.7e308, likes: 3, tags: [], author: { name: 'x' } };
    const { patch, document, read } = await book(content);
    const { status, body } = await patch({ set: { title: 'new' }, ...wrong });
    expect([status, body.code, body.errors]).toEqual([
      400,
      'field.type_invalid',
      [{ path, message: expect.stringMatching(/./) }],
    ]);
    expect(await read()).toEqual(document);
  });

  it.each<[patch: unknown, code: string, path: string]>([
    [[], 'patch.invalid', ''],
    [{ title: 'x' }, 'patch.invalid', '/title'],
    [{ set: 1 }, 'patch.invalid', '/set'],
    [{ remove: { a: 1 } }, 'patch.invalid', '/remove'],
    [{ remove: [1] }, 'patch.invalid', '/remove'],
    [{ increment: [1] }, 'patch.invalid', '/increment'],
    [{ set: { _updated_by: 'x' } }, 'field.owned', '/set/_updated_by'],
    [{ remove: ['id'] }, 'field.owned', '/remove/id'],
    [{ set: { 'a..b': 1 } }, 'field.path_invalid', '/set/a..b'],
    [{ set: { '.a': 1 } }, 'field.path_invalid', '/set/.a'],
    [{ set: { '': 1 } }, 'field.path_invalid', '/set/'],
    [{ set: { 'a/b': 1 } }, 'field.path_invalid', '/set/a~1b'],
    [{ set: { '`a': 1 } }, 'field.path_invalid', '/set/`a'],
    [{ set: { 'a[x]': 1 } }, 'field.path_invalid', '/set/a[x]'],
    [{ append: { 'tags[]': [1] } }, 'field.path_invalid', '/append/tags[]'],
    [{ set: { 'none.a': 1 } }, 'field.unreachable', '/none/a'],
    [{ set: { ok: 1 }, increment: { 'title.a': 1 } }, 'field.unreachable', '/title/a'],
    [{ set: { ['a'.repeat(2001)]: 1 } }, 'field.path_invalid', `/set/${'a'.repeat(2001)}`],
    [{ '@version': 'x' }, 'document.version_invalid', '/@version'],
  ])('%j is 400 (%s)', async (wrong, code, path) => {
    const { patch, document, read } = await book();
    const { status, body } = await patch(wrong);
    expect([status, body.code, body.errors?.map((error: { path: string }) => error.path)]).toEqual([400, code, [path]]);
    expect(await read()).toEqual(document);
  });

  it('name at most 100 paths', async () => {
    const { patch } = await book({});
    const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i]));
    await expectStatus(patch({ set: named(99), remove: ['n0'] }), 200);
    expect((await expectStatus(patch({ set: named(100), remove: ['n0'] }), 400)).body.code).toBe('patch.invalid');
  });

  it.each<[patch: object, path: string]>([
    [{ addToSet: { 'a.b': [1], '`a`.b': [2] } }, '/addToSet/`a`.b'],
    [{ append: { 'a.b': [1], 'a/.b': [2] } }, '/append/a~1.b'],
    [{ set: { 'a.b': 1, 'a.`b`': 2 } }, '/set/a.`b`'],
    [{ set: { 'l[]': 1, '`l`[]': 2 } }, '/set/`l`[]'],
    [{ increment: { n: 1, '`n`': 1 } }, '/increment/`n`'],
    [{ remove: ['n', '`n`'] }, '/remove/`n`'],
    [{ remove: ['l[0]', 'l[0]'] }, '/remove/l[0]'],
    [{ set: { a: {}, 'a.b': 1 } }, '/set/a.b'],
    [{ set: { 'a.b.c': 1, '`a`': 1 } }, '/set/`a`'],
    [{ removeFrom: { l: [1], 'l[0]': [2] } }, '/removeFrom/l[0]'],
  ])('%j is 400, because one operator names a place twice', async (twice, path) => {
    const { patch, document, read } = await book({ n: 1, a: { b: [] }, l: [[1], 2] });
    const { status, body } = await patch(twice);
    expect([status, body.code, body.errors.map((error: { path: string }) => error.path)]).toEqual([
      400,
      'patch.invalid',
      [path],
    ]);
    expect(await read()).toEqual(document);
  });

  it('name places next to and inside each other in different operators and in order', async () => {
    const { changed } = await book({ a: { b: [1] }, l: [0, 1, 2, 3], o: { x: 1 } });
    const first = { remove: ['l[0]', 'l[1]', 'a.b', 'a'], set: { 'l[]': [7], 'o.x': 2, 'o.y': 3 } };
    expect(await changed(first)).toBe('{"l":[1,3,[7]],"o":{"x":2,"y":3}}');
    const second = { append: { 'l[2]': [8] }, addToSet: { l: [[7, 8], 9] } };
    expect(await changed(second)).toBe('{"l":[1,3,[7,8],9],"o":{"x":2,"y":3}}');
  });

  it('need the version that they name', async () => {
    const { patch, read } = await book({ likes: 1 });
    await expectStatus(patch({ increment: { likes: 1 }, '@version': 1 }), 200);
    const { status, body } = await patch({ increment: { likes: 1 }, '@version': 1 });
    expect([status, body.code, body.bb_code]).toEqual([400, 'document.stale', '40001']);
    expect(await read()).toMatchObject({ likes: 2, '@version': 2 });
  });

  it('need the right to update', async () => {
    const { patch, url, collection } = await book();
    const other = await world.user();
    const body = { increment: { likes: 1 } };
    expect((await call('PATCH', url, { body })).status).toBe(401);
    expect((await call('PATCH', url, { body: 'x' })).status).toBe(401);
    expect((await patch(body, { token: other.token })).body.code).toBe('access.denied');
    // Refused before its operators are compared with the content.
    expect((await patch({ increment: { title: 1 } }, { token: other.token })).body.code).toBe('access.denied');
    const missing = await call('PATCH', `/document/${collection}/${NOWHERE}`, { token: other.token, body });
    expect(missing.body.code).toBe('document.not_found');
    expect((await call('PATCH', `/document/nowhere/${NOWHERE}`, { token: other.token, body })).status).toBe(404);
    await expectStatus(patch(body, { basic: adminOf(world) }), 200);
  });

  it('conform to the schema of the collection', async () => {
    const { patch, collection, read } = await book({ likes: 3 });
    const body = { properties: { likes: { type: 'integer', maximum: 4 } }, required: ['likes'] };
    await expectStatus(call('PUT', `/admin/collection/${collection}/schema`, { basic: adminOf(world), body }), 200);
    await expectStatus(patch({ increment: { likes: 1 } }), 200);
    for (const [wrong, path] of [
      [{ increment: { likes: 1 } }, '/likes'],
      [{ remove: ['likes'] }, '/likes'],
    ] as const) {
      const { status, body: answer } = await patch(wrong);
      expect([status, answer.code, answer.errors[0].path]).toEqual([400, 'document.invalid', path]);
    }
    expect(await read()).toMatchObject({ likes: 4, '@version': 2 });
  });

  it('are refused when the document would become too large or too deep', async () => {
    const { patch } = await book({ text: 'x'.repeat(1_048_000), deep: JSON.parse('['.repeat(198) + ']'.repeat(198)) });
    expect((await patch({ append: { list: ['x'.repeat(1000)] } })).body.code).toBe('document.too_large');
    const inner = `deep${'[0]'.repeat(197)}`;
    expect((await patch({ set: { [`${inner}[]`]: [[]] } })).body.code).toBe('input.json_invalid');
  });

  it('are one change in the feed', async () => {
    const { patch, document, token, collection } = await book();
    const feed = createFollower(world, { token }, `collection=${collection}`);
    await feed.begin();
    await expectStatus(patch({ set: { title: 'x' }, increment: { likes: 1 }, append: { tags: ['c'] } }), 200);
    expect(await feed.news()).toEqual([`put 2 ${document.id}`]);
  });

  it.each<[patch: object, type?: string]>([
    [{}],
    [{ set: { title: 'Zeno', 'author.roles': [1, 2] } }],
    [{ addToSet: { tags: ['b', 'a'] }, removeFrom: { tags: ['c'], none: ['c'] }, remove: ['none'] }],
    [{ increment: { likes: 0 }, max: { likes: 3 }, append: { tags: [] } }],
    [{ title: 'Zeno', author: { none: null } }, 'application/merge-patch+json'],
  ])('make no new version and no change in the feed if no value changes: %j', async (same, type) => {
    const { patch, document, token, collection, url, read } = await book();
    const feed = createFollower(world, { token }, `collection=${collection}`);
    await feed.begin();
    const headers = { 'content-type': type ?? 'application/json' };
    expect((await expectStatus(patch(JSON.stringify(same), { headers }), 200)).data).toEqual(document);
    const operation = { method: 'PATCH', path: url, body: same, ...(type && { content_type: type }) };
    const batch = await call('POST', '/batch', { token, body: { operations: [operation] } });
    expect(batch.data).toMatchObject([{ http_code: 200, data: document }]);
    expect(await read()).toEqual(document);
    expect(await feed.news()).toEqual([]);
    const stale = await patch(JSON.stringify({ ...same, '@version': 2 }), { headers });
    expect(stale.body.code).toBe('document.stale');
  });

  it('always make a new version for callers who may not read, to whom an old one would disclose values', async () => {
    const { patch, url, token, read } = await book();
    const other = await world.user();
    await expectStatus(call('PUT', `${url}/update/user/${other.name}`, { token }), 200);
    await expectStatus(patch({ set: { title: 'Zeno' } }, { token: other.token }), 200);
    expect(await read()).toMatchObject({ title: 'Zeno', '@version': 2 });
  });

  it('take effect once for each idempotency key', async () => {
    const { patch, read } = await book();
    const headers = { 'idempotency-key': 'once' };
    const first = await patch({ increment: { likes: 1 } }, { headers });
    const again = await patch({ increment: { likes: 1 } }, { headers });
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect(await read()).toMatchObject({ likes: 4, '@version': 2 });
  });

  describe('at the same time', () => {
    const COUNT = 100;
    const times = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: COUNT }, (_, n) => work(n)));

    it('lose no increment, and add no element twice', async () => {
      const { patch, read } = await book({ likes: 0, tags: [] });
      await times((n) =>
        expectStatus(patch({ increment: { likes: 1 }, addToSet: { tags: [n % 10] }, max: { n } }), 200),
      );
      const { likes, tags, n, '@version': version } = await read();
      expect({ likes, n, version }).toEqual({ likes: COUNT, n: COUNT - 1, version: COUNT + 1 });
      expect(tags.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });
  });
});
