import { beforeAll, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { createLibrary, type Library } from '../support/library.ts';
import { expectStatus } from '../support/people.ts';

onEveryStorage('cursors', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  let get: Library['get'];
  let found: Library['found'];

  beforeAll(async () => {
    ({ get, found } = await createLibrary(world));
  });

  const encode = (kind: string, parts: unknown) => kind + Buffer.from(JSON.stringify(parts)).toString('base64url');
  const decode = (cursor: string) => JSON.parse(Buffer.from(cursor.slice(1), 'base64url').toString());

  it.each([
    'year',
    '@version',
    '_update_date desc',
    '_author',
    '_updated_by',
    'id',
    '_creation_date',
    '@class',
    'year, @version desc',
  ])('of orderBy=%s are rejected when they have been altered', async (orderBy) => {
    const { body } = await expectStatus(get({ orderBy, recordsPerPage: 1 }), 200);
    const [tag, keys, id, rows] = decode(body.next);
    const values = [null, true, 5, -1e300, 1e300, 0.5, 'x', '', '2014-01-31T09:12:03.512+0000', [], '😀'.repeat(500)];
    for (const value of values) {
      const cursor = encode('q', [tag, keys.map(() => value), id, rows]);
      await expectStatus(get({ orderBy, recordsPerPage: 1, cursor }), 200);
    }
    const bad: unknown[] = [
      [tag, keys, id],
      [tag, keys, id, rows, 1],
      [tag, keys, id, -1],
      [tag, keys, id, 1.5],
      [tag, keys, 'x', rows],
      [tag, keys, 5, rows],
      [tag, [...keys, 1], id, rows],
      [tag, keys.slice(1), id, rows],
      [tag, keys.map(() => ({})), id, rows],
      [tag, keys.map(() => [1]), id, rows],
      [tag, keys.map(() => '\0'), id, rows],
      [tag, keys.map(() => '\ud800'), id, rows],
      [tag, 'x', id, rows],
      ['', keys, id, rows],
      [],
      {},
      null,
    ];
    for (const parts of bad) {
      expectFailure(await get({ orderBy, cursor: encode('q', parts) }), 400);
      expectFailure(await get({ orderBy, cursor: encode('o', parts) }), 400);
    }
    expectFailure(await get({ orderBy, cursor: encode('o', [tag, -1]) }), 400);
    expectFailure(await get({ orderBy, cursor: `q${Buffer.from('{').toString('base64url')}` }), 400);
    expectFailure(await get({ orderBy: `${orderBy}, title`, cursor: body.next }), 400);
    expectFailure(await get({ cursor: body.next }), 400);
  });

  it('of a list without orderBy also continue a list with a condition', async () => {
    const { body } = await expectStatus(get({ recordsPerPage: 2 }), 200);
    expect(await found({ where: 'id is not null', cursor: body.next })).toEqual([2, 3, 4, 5]);
    const filtered = await expectStatus(get({ where: 'year is not null', recordsPerPage: 3 }), 200);
    expect(await found({ cursor: filtered.body.next })).toEqual([3, 4, 5]);
  });

  it('fall back to counting rows when the values are too long for a URL', async () => {
    const long = await createShelf(world);
    const texts = ['a', 'b', 'c', 'd'].map((letter) => '😀'.repeat(300) + letter);
    for (const text of texts) await long.create({ a: text, b: text, n: 'short' });
    const seen: string[] = [];
    let query = 'orderBy=n,a,b&recordsPerPage=1';
    for (;;) {
      const { body, data } = await expectStatus(
        call('GET', `/document/${long.collection}?${query}`, { token: long.owner.token }),
        200,
      );
      seen.push(data[0].a);
      if (!body.more) break;
      expect(body.next).toMatch(/^o.{1,200}$/);
      query = `orderBy=n,a,b&recordsPerPage=1&cursor=${body.next}`;
    }
    expect(seen).toEqual(texts);
  });

  it('follow values while other clients write', async () => {
    const busy = await createShelf(world);
    for (const n of [5, 1, 4, 2, 3]) await busy.create({ n });
    const seen: number[] = [];
    let cursor = '';
    for (;;) {
      const url = `/document/${busy.collection}?orderBy=n&recordsPerPage=2&fields=n${cursor}`;
      const { body, data } = await expectStatus(call('GET', url, { token: busy.owner.token }), 200);
      seen.push(...data.map(({ n }: { n: number }) => n));
      if (!body.more) break;
      await busy.create({ n: 0 });
      cursor = `&cursor=${body.next}`;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});
