import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf, NOWHERE, type Shelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { createLibrary, type Library, search } from '../support/library.ts';
import { expectStatus } from '../support/people.ts';

onEveryStorage('criteria for documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  let shelf: Shelf;
  let ids: readonly string[];
  let get: Library['get'];
  let found: Library['found'];

  beforeAll(async () => {
    ({ shelf, ids, get, found } = await createLibrary(world));
  });

  it.each<[string, string[], number[]]>([
    ["title = 'zoo'", [], [4]],
    ['year = 2021', [], [3, 4]],
    ['year = ?', ['1990'], [1, 2]],
    ["title like 'é%' or title like 'É%'", [], [0, 1]],
    ["tags contains 'novel'", [], [0, 3]],
    ["'novel' in tags and not price > 10", [], [0]],
    ["tags contains (kind = 'y' and n = 2)", [], [4]],
    ['tags.size() = 0 or tags is null', [], [1, 2]],
    ['author.born is null and author is not null', [], [1, 3]],
    ['author.name in ?', ['["Ann", "Nabokov"]'], [1, 3]],
    ['price between ? and ?', ['9.5', '12'], [0, 1]],
    ["title.toLowerCase() containsText 'émi' and title.length() > 5", [], [1]],
    ["_author = ? and @version = 1 and @class <> 'x' and _creation_date <= sysdate()", ['OWNER'], [0, 1, 2, 3, 4, 5]],
    ["_creation_date > '2014-01-31T09:12:03.512+0000' and _update_date > date('2014-01-31')", [], [0, 1, 2, 3, 4, 5]],
    ['`__proto__` is not null or constructor is not null', [], []],
  ])('where=%s with %j', async (where, params, expected) => {
    const values = params.map((value) => (value === 'OWNER' ? shelf.owner.name : value));
    const query = values.length === 0 ? { where } : { where, params: values };
    expect(await found(query)).toEqual(expected);
    expect((await get({ ...query, count: 'true' })).data).toEqual([{ count: expected.length }]);
    expect((await get(query, '/count')).data).toEqual({ count: expected.length });
  });

  it('accepts params[] for params, and parameters that look like other types', async () => {
    expect(await found({ where: 'year = ? and title like ?', 'params[]': ['2021', 'z%'] })).toEqual([4]);
    expect(await found({ where: 'title = ?', params: "' or 1 = 1 --" })).toEqual([]);
    expect(await found({ where: 'id = ?', params: ids[2] as string })).toEqual([2]);
    expect(await found({ where: '@ID in [?, ?]', params: [ids[2] as string, NOWHERE] })).toEqual([2]);
  });

  it.each([
    ['year', [5, 0, 1, 3, 4, 2]],
    ['year desc', [2, 3, 4, 1, 0, 5]],
    ['price', [4, 0, 1, 2, 3, 5]],
    ['title', [5, 2, 4, 0, 1, 3]],
    ['year desc, title', [2, 4, 3, 1, 0, 5]],
    ['author.name desc, year', [0, 1, 3, 5, 4, 2]],
    ['_creation_date', [0, 1, 2, 3, 4, 5]],
    ['_creation_date desc', [5, 4, 3, 2, 1, 0]],
    ['id desc', [5, 4, 3, 2, 1, 0]],
    ['@version desc, _creation_date desc', [5, 4, 3, 2, 1, 0]],
  ])('orderBy=%s', async (orderBy, expected) => {
    expect(await found({ orderBy })).toEqual(expected);
    expect(await found({ orderBy, page: 1, recordsPerPage: 4 })).toEqual(expected.slice(4));
    expect(await found({ orderBy, skip: 2, where: 'id is not null' })).toEqual(expected.slice(2));
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const { body, data } = await expectStatus(get({ orderBy, recordsPerPage: 1, ...(cursor && { cursor }) }), 200);
      walked.push(...data.map(({ id }: { id: string }) => id));
      expect(body.more).toBe(typeof body.next === 'string');
      cursor = body.next;
    } while (cursor !== undefined);
    expect(walked.map((id) => ids.indexOf(id))).toEqual(expected);
  });

  describe('fields', () => {
    it('selects fields, exactly as they are stored', async () => {
      const exact = '{"big":9007199254740992,"exp":1.50e3,"10":1,"2":{"b":1,"a":[1.0]}}';
      const { collection, owner, path, create } = await createShelf(world);
      const { token } = owner;
      const { id } = await create({ n: 0 });
      const { text: stored } = await expectStatus(call('PUT', path(id), { token, body: exact }), 200);
      const fields = search({ fields: 'big, exp, `10`, `2` as two, `2`.a[0], x' });
      const { text, data } = await expectStatus(call('GET', `/document/${collection}?${fields}`, { token }), 200);
      const [, big] = /"big":([^,]+)/.exec(stored) ?? [];
      expect(text).toContain(`"data":[{"big":${big},`);
      expect(text).toMatch(/"two":\{"b":1,"a":\[1(?:\.0)?\]\}/);
      expect(data).toEqual([{ big: 2 ** 53, exp: 1500, 10: 1, two: { b: 1, a: [1] }, '`2`.a[0]': 1, x: null }]);
    });

    it('selects service fields, methods and distances, in the requested order and page', async () => {
      const { data, body } = await expectStatus(
        get({
          fields: 'id, _author as who, @version, _creation_date, title.length(), tags.size() as n, author.name',
          orderBy: 'price desc',
          where: 'author is not null',
          recordsPerPage: 1,
        }),
        200,
      );
      expect(data).toEqual([
        {
          id: ids[3],
          who: shelf.owner.name,
          '@version': 1,
          _creation_date: expect.stringMatching(/^\d{4}-.*\+0000$/),
          'title.length()': 7,
          n: 1,
          'author.name': 'Ann',
        },
      ]);
      expect(Object.keys(data[0])[0]).toBe('id');
      const next = await expectStatus(
        get({
          fields: 'title',
          orderBy: 'price desc',
          where: 'author is not null',
          recordsPerPage: 1,
          cursor: body.next,
        }),
        200,
      );
      expect(next.data).toEqual([{ title: 'émigré' }]);
      const [near] = (await get({ fields: 'distance(?, ?, 51.5074, -0.1278) as km', params: ['48.8566', '2.3522'] }))
        .data;
      expect(near.km).toBeCloseTo(343.56, 1);
    });

    it('aggregates documents', async () => {
      const { data } = await expectStatus(
        get({ fields: 'count(*), count(title) as titles, sum(price), avg(price), min(title), max(year)' }),
        200,
      );
      expect(data).toEqual([{ count: 6, titles: 5, sum: 63.75, avg: 15.9375, min: 'zebra', max: '1990' }]);
      expect((await get({ fields: 'count(*) as n, sum(x), avg(x), max(x)', where: '1 = 2' })).data).toEqual([
        { n: 0, sum: 0, avg: null, max: null },
      ]);
    });
  });

  describe('groupBy', () => {
    const years = [
      { year: true, n: 1 },
      { year: 1762, n: 1 },
      { year: 1990, n: 1 },
      { year: 2021, n: 2 },
      { year: '1990', n: 1 },
    ];

    it('returns one row for each value', async () => {
      const query = { groupBy: 'year', fields: 'year, count(*) as n' };
      expect((await expectStatus(get(query), 200)).data).toEqual(years);
      expect((await get({ ...query, orderBy: 'year desc' })).data).toEqual(years.toReversed());
      expect((await get({ ...query, orderBy: 'n desc' })).data.map(({ n }: { n: number }) => n)).toEqual([
        2, 1, 1, 1, 1,
      ]);
      expect((await get({ groupBy: 'year' })).data).toEqual(years.map(({ year }) => ({ year })));
      expect((await get({ groupBy: 'author.name', fields: 'max(price) as most', orderBy: 'most desc' })).data).toEqual([
        { most: 30 },
        { most: 12.25 },
        { most: 12 },
        { most: 9.5 },
      ]);
    });

    it('continues from page to page', async () => {
      const query = { groupBy: 'year', fields: 'year, count(*) as n', recordsPerPage: 2 };
      const first = await expectStatus(get(query), 200);
      const second = await expectStatus(get({ ...query, cursor: first.body.next }), 200);
      const third = await expectStatus(get({ ...query, cursor: second.body.next }), 200);
      expect([...first.data, ...second.data, ...third.data]).toEqual(years);
      expect([first.body.more, second.body.more, third.body.more]).toEqual([true, true, false]);
      expect((await get({ ...query, page: 2 })).data).toEqual(years.slice(4));
      expectFailure(await get({ ...query, groupBy: 'year, title', cursor: first.body.next }), 400);
    });

    it.each([
      { groupBy: 'year', fields: 'title' },
      { fields: 'title, count(*)' },
      { groupBy: 'year', fields: 'year.length()' },
      { groupBy: 'year', fields: 'year', orderBy: 'title' },
      { fields: 'count(*)', orderBy: 'title' },
    ])('rejects %j with 400', async (query) => {
      expectFailure(await get(query), 400);
    });
  });

  describe('invalid criteria', () => {
    it.each<[Record<string, string | string[]>, string]>([
      [{ where: 'year ~ 5' }, 'Invalid query: where, character 6: expected a name, a value or an operator, found "~"'],
      [{ where: "title = 'zoo'; drop table documents" }, 'where, character 14'],
      [{ where: 'year = ?' }, 'where, character 8: expected parameter number 1'],
      [{ where: 'year = 1', params: 'x' }, 'params: expected one for each ? (0), found 1'],
      [{ params: 'x' }, 'params: expected one for each ? (0), found 1'],
      [{ where: ['year = 1', 'year = 2'] }, 'where'],
      [{ orderBy: ['year', 'title'] }, 'orderBy'],
      [{ fields: ['year', 'title'] }, 'fields'],
      [{ groupBy: ['year', 'title'] }, 'groupBy'],
      [{ where: '? = ?', params: 'x', 'params[]': 'y' }, 'params and params[] are the same'],
      [{ orderBy: 'year down' }, 'orderBy, character 6'],
      [{ fields: 'a, b as a' }, 'fields, character 4'],
      [{ where: 'year = 1', cursor: 'x' }, 'cursor'],
      [{ orderBy: 'year', cursor: 'i' }, 'cursor'],
    ])('%j is 400, with the position of the error', async (query, message) => {
      const answer = await get(query);
      expectFailure(answer, 400);
      expect(answer.body.message).toContain(message);
      const { params: _params, ...counted } = query;
      if ('where' in counted && !('cursor' in counted)) expectFailure(await get(query, '/count'), 400);
    });

    it('are not checked for a collection that does not exist', async () => {
      const { token } = shelf.owner;
      for (const query of ['where=a=1', 'fields=count(*)', 'groupBy=a', 'orderBy=a']) {
        expectFailure(await call('GET', `/document/nowhere?${query}`, { token }), 404);
      }
      expectFailure(await call('GET', '/document/nowhere/count?where=a=1', { token }), 404);
    });
  });

  it('reveal nothing of documents that the caller may not read', async () => {
    const stranger = await world.user();
    const hidden = await createShelf(world);
    const { id } = await hidden.create({ secret: 'canary', n: 1 });
    const ask = async (query: Parameters<typeof search>[0], path = '') =>
      call('GET', `/document/${hidden.collection}${path}?${search(query)}`, { token: stranger.token });
    const where = "secret = 'canary'";
    expect((await ask({ where })).data).toEqual([]);
    expect((await ask({ where }, '/count')).data).toEqual({ count: 0 });
    expect((await ask({ fields: 'max(secret), count(*)' })).data).toEqual([{ max: null, count: 0 }]);
    expect((await ask({ groupBy: 'secret' })).data).toEqual([]);
    expect((await ask({ orderBy: 'secret', fields: 'secret' })).data).toEqual([]);
    await hidden.share(id, `read/user/${stranger.name}`);
    expect((await ask({ where, fields: 'secret' })).data).toEqual([{ secret: 'canary' }]);
    expect((await ask({ groupBy: 'secret', fields: 'secret, count(*)' })).data).toEqual([
      { secret: 'canary', count: 1 },
    ]);
  });

  it('are ignored when a document is read by its id', async () => {
    const { data } = await expectStatus(call('GET', `/document/${ids[0]}?where=x`, { token: shelf.owner.token }), 200);
    expect(data.id).toBe(ids[0]);
  });
});
