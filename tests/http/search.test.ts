import { MAX_SEARCH_WORDS } from '@baobab/core';
import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const BOOKS = [
  { title: 'Milk', text: 'Bread and butter, <b>milk</b> & honey', price: 1 },
  { title: 'Bread', text: 'milk milk', price: 2 },
  { title: 'Cheese', text: 'Made of crème, not of milk; 東京都で買う', price: 3 },
  { title: 'Tea', text: 'leaves', price: 4 },
];

onEveryStorage('search', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = () => ({ basic: adminOf(world) });

  async function prepare(fields: unknown = { title: 3, text: 1 }) {
    const shelf = await createShelf(world);
    const as = { token: shelf.owner.token };
    const url = `/admin/collection/${shelf.collection}/search`;
    const enable = (body: unknown, options: CallOptions = asAdmin()) => call('PUT', url, { ...options, body });
    const list = (search: string, more = '', options: CallOptions = as) =>
      call('GET', `/document/${shelf.collection}?search=${encodeURIComponent(search)}${more}`, options);
    const titles = async (search: string, more = '', options: CallOptions = as) =>
      (await expectStatus(list(search, more, options), 200)).data.map(({ title }: { title: string }) => title);
    for (const book of BOOKS) await shelf.create(book);
    if (fields !== null) await expectStatus(enable({ fields }), 200);
    return { ...shelf, as, url, enable, list, titles };
  }

  const expectRefused = async (answer: Promise<Answer>, status: number, code: string) => {
    const { status: got, body } = await answer;
    expect([got, body.code]).toEqual([status, code]);
    return body;
  };

  it('is enabled with weights, shown, changed and disabled', async () => {
    const { enable, url, list, titles, as, collection } = await prepare(null);
    await expectRefused(list('milk'), 400, 'search.not_enabled');
    await expectRefused(call('GET', url, asAdmin()), 404, 'search.not_found');
    expect((await expectStatus(call('GET', `${url}?optional=true`, asAdmin()), 200)).data).toBeNull();
    const set = await expectStatus(enable({ fields: ['title', 'text'] }), 200);
    expect(set.data).toEqual({ fields: { title: 1, text: 1 }, state: 'ready' });
    expect(await titles('milk')).toEqual(['Milk', 'Bread', 'Cheese']);
    await expectStatus(enable({ fields: { title: 1, text: 4 } }), 200);
    expect(await titles('milk')).toEqual(['Bread', 'Milk', 'Cheese']);
    expect((await expectStatus(call('GET', url, asAdmin()), 200)).data.fields).toEqual({ title: 1, text: 4 });
    await expectStatus(call('DELETE', url, asAdmin()), 200);
    await expectRefused(call('DELETE', url, asAdmin()), 404, 'search.not_found');
    await expectRefused(list('milk'), 400, 'search.not_enabled');
    await expectRefused(enable({ fields: ['title'] }, as), 403, 'admin.required');
    await expectRefused(call('GET', url, as), 403, 'admin.required');
    await expectRefused(
      call('GET', '/admin/collection/none/search?optional=true', asAdmin()),
      404,
      'collection.not_found',
    );
    await expectRefused(call('GET', `/document/${collection}x?search=a`, as), 404, 'collection.not_found');
    await expectRefused(
      call('PUT', '/admin/collection/none/search', { ...asAdmin(), body: { fields: ['a'] } }),
      404,
      'collection.not_found',
    );
  });

  it.each([
    [null],
    [[]],
    [{}],
    [{ fields: null }],
    [{ fields: [] }],
    [{ fields: {} }],
    [{ fields: [1] }],
    [{ fields: { title: 0 } }],
    [{ fields: { title: 1.5 } }],
    [{ fields: { title: 101 } }],
    [{ fields: { title: '3' } }],
    [{ fields: ['title', 'title'] }],
    [{ fields: ['title'], weights: {} }],
    [{ fields: Array.from({ length: 17 }, (_, i) => `f${i}`) }],
  ])('refuses the declaration %j', async (body) => {
    const { enable } = await prepare(null);
    await expectRefused(enable(body), 400, 'input.invalid');
  });

  it('refuses fields that are no paths', async () => {
    const { enable } = await prepare(null);
    await expectRefused(enable({ fields: ['a..b'] }), 400, 'criteria.invalid');
    await expectRefused(enable({ fields: ['`a b`'] }), 400, 'index.path_invalid');
    await expectRefused(enable({ fields: ['_author'] }), 400, 'index.path_invalid');
  });

  it('finds, sorts, pages, counts and projects', async () => {
    const { list, titles, collection, as } = await prepare();
    expect(await titles('milk bread')).toEqual(['Milk', 'Bread']);
    expect(await titles('CREME')).toEqual(['Cheese']);
    expect(await titles('bre* -cheese')).toEqual(['Bread', 'Milk']);
    expect(await titles('"not of milk"')).toEqual(['Cheese']);
    expect(await titles('京都')).toEqual(['Cheese']);
    expect(await titles('milk', '&orderBy=price%20desc')).toEqual(['Cheese', 'Bread', 'Milk']);
    expect(await titles('milk', '&orderBy=_score%20asc,price%20desc')).toEqual(['Cheese', 'Bread', 'Milk']);
    expect(await titles('milk', '&where=price%20%3E%201')).toEqual(['Bread', 'Cheese']);
    const { data } = await expectStatus(list('milk'), 200);
    expect(data.map(({ _score }: { _score: number }) => _score)).toEqual([4, 2, 1]);
    const rows = await expectStatus(list('milk', '&fields=title,_score,snippet(text)'), 200);
    expect(rows.data[0]).toEqual({
      title: 'Milk',
      _score: 4,
      snippet: [{ text: 'Bread and butter, <b>' }, { text: 'milk', hit: true }, { text: '</b> & honey' }],
    });
    const counted = await call('GET', `/document/${collection}/count?search=milk`, as);
    expect(counted.data).toEqual({ count: 3 });
    expect((await list('milk', '&count=true')).data).toEqual([{ count: 3 }]);
    expect((await list('milk', '&fields=count(*)%20as%20n,max(price)%20as%20most')).data).toEqual([{ n: 3, most: 3 }]);
    const asked = { search: 'milk', recordsPerPage: 2, total: true };
    const posted = await expectStatus(call('POST', `/document/${collection}/query`, { ...as, body: asked }), 200);
    expect([posted.data.length, posted.body.total, posted.body.more]).toEqual([2, 3, true]);
    const next = `&recordsPerPage=2&cursor=${posted.body.next}`;
    expect(await titles('milk', next)).toEqual(['Cheese']);
    await expectRefused(list('bread', next), 400, 'input.invalid');
    expect(await titles('milk', '&page=1&recordsPerPage=1')).toEqual(['Bread']);
    await expectRefused(call('GET', `/document/${collection}?fields=snippet(text)`, as), 400, 'criteria.invalid');
  });

  it('marks single characters of scripts without spaces, and shows the text around them', async () => {
    const { create, list } = await prepare();
    await create({ title: 'Long', text: `${'私は'.repeat(300)}猫が好き${'です'.repeat(100)}` });
    await create({ title: 'Short', text: '東京都は犬と猫の町です' });
    const { data } = await expectStatus(list('猫', '&fields=title,snippet(text)&orderBy=title'), 200);
    const [long, short] = data.map(({ snippet }: { snippet: unknown }) => snippet);
    expect(short).toEqual([{ text: '東京都は犬と' }, { text: '猫', hit: true }, { text: 'の町です' }]);
    expect(long).toEqual([
      { text: '…' },
      { text: '私は'.repeat(20) },
      { text: '猫', hit: true },
      { text: `が好き${'です'.repeat(58)}` },
      { text: '…' },
    ]);
  });

  it('follows writes in batches, patches and fields, and ignores `_score` in them', async () => {
    const { titles, create, path, as, list, collection } = await prepare();
    const { id } = await create({ title: 'New', text: 'coffee' });
    expect(await titles('coffee')).toEqual(['New']);
    await expectStatus(call('PATCH', path(id), { ...as, body: { set: { text: 'cocoa' } } }), 200);
    expect([await titles('coffee'), await titles('cocoa')]).toEqual([[], ['New']]);
    await expectStatus(call('PUT', `${path(id)}/.text`, { ...as, body: { data: 'soup' } }), 200);
    expect(await titles('soup')).toEqual(['New']);
    const found = (await list('soup')).data[0];
    await expectStatus(call('PUT', path(id), { ...as, body: { ...found, text: 'stew' } }), 200);
    expect((await call('GET', path(id), as)).data).not.toHaveProperty('_score');
    const operations = [
      { method: 'POST', path: `/document/${collection}`, body: { title: 'Batch', text: 'stew stew' } },
    ];
    await expectStatus(call('POST', '/batch', { ...as, body: { operations } }), 200);
    expect(await titles('stew')).toEqual(['Batch', 'New']);
    await expectStatus(call('DELETE', path(id), as), 204);
    expect(await titles('stew')).toEqual(['Batch']);
  });

  it('shows other users neither documents nor totals, scores and snippets of them', async () => {
    const { owner, list, collection, create, path, as } = await prepare();
    const other = { token: (await world.user()).token };
    for (const search of ['milk', 'bread -milk', '"butter"']) {
      const answer = await expectStatus(list(search, '&total=true&fields=_score,snippet(text)', other), 200);
      expect([answer.data, answer.body.total]).toEqual([[], 0]);
      const count = await call('GET', `/document/${collection}/count?search=${encodeURIComponent(search)}`, other);
      expect(count.data).toEqual({ count: 0 });
    }
    const { id } = await create({ title: 'Shared', text: 'milk' });
    await expectStatus(call('PUT', `${path(id)}/read/role/registered`, as), 200);
    const shared = await expectStatus(list('milk', '&total=true&fields=title,_score', other), 200);
    expect([shared.data, shared.body.total]).toEqual([[{ title: 'Shared', _score: 1 }], 1]);
    // The score does not depend on documents that the caller may not read.
    for (let i = 0; i < 5; i++) await create({ title: `milk ${i}`, text: 'milk' });
    expect((await list('milk', '&fields=title,_score', other)).data).toEqual(shared.data);
    expect(owner.token).not.toBe(other.token);
  });

  it('takes any text as words: no syntax of a database reaches it', async () => {
    const { list, titles } = await prepare();
    const hostile = [
      ...['milk"', '"milk', 'milk OR tea', 'milk NOT bread', 'milk AND', 'NEAR(milk bread, 5)', 'text:milk', '^milk'],
      ...[
        "milk' | 'tea",
        'milk:*',
        'milk & !bread',
        'milk <-> bread',
        '(milk',
        'milk)',
        "milk'; drop table documents; --",
      ],
      ...['milk\\', '{milk}', '%milk%', 'milk%', '_ilk', 'm?lk', '*milk', 'milk**', '--milk tea', '- milk'],
      ...['7a milk', '(1amilk)', '\u202emilk', '𝔐', 'ｍｉｌｋ', 'milk\u0301'],
    ];
    for (const search of hostile) expect([search, (await list(search)).status]).toEqual([search, 200]);
    expect(await titles('ｍｉｌｋ tea*')).toEqual([]);
    expect(await titles('m?lk')).toEqual([]);
    expect(await titles('%ilk')).toEqual([]);
    expect(await titles('"bread and but')).toEqual([]);
    expect(await titles('"bread and butter')).toEqual(['Milk']);
  });

  it('refuses searches that find nothing or are too long', async () => {
    const { list, as, collection } = await prepare();
    const longest = Array.from({ length: MAX_SEARCH_WORDS }, (_, i) => `w${i}`).join(' ');
    expect((await expectStatus(list(longest), 200)).data).toEqual([]);
    for (const search of ['', ' ', '-butter', '!?', '""', `${longest} more`, 'x'.repeat(1_001)]) {
      const { errors } = await expectRefused(list(search), 400, 'search.invalid');
      expect(errors).toMatchObject([{ path: 'query.search' }]);
    }
    const body = { search: 'word '.repeat(10_000) };
    await expectRefused(call('POST', `/document/${collection}/query`, { ...as, body }), 400, 'search.invalid');
    await expectRefused(list('milk', '&search=bread'), 400, 'input.invalid');
    for (const search of [5, ['milk'], { a: 1 }, true, null]) {
      const answer = await call('POST', `/document/${collection}/query`, { ...as, body: { search } });
      expect([search, answer.status]).toEqual([search, 400]);
    }
  });

  it('is refused by lists that have no search, by feeds and by streams', async () => {
    const { as, collection } = await prepare();
    for (const path of ['/users?search=a', '/file/details?search=a', `/changes?collection=${collection}&search=a`]) {
      await expectRefused(call('GET', path, as), 400, 'query.unknown');
    }
    const stream = call('GET', `/changes/stream?collection=${collection}&search=milk`, as);
    await expectRefused(stream, 400, 'search.unsupported');
  });
});
