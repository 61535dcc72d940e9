import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { createLibrary, type Library, search } from '../support/library.ts';
import { expectStatus } from '../support/people.ts';

const MANY = 1000;

function expectCode(answer: Answer, status: number, code: string): void {
  expectFailure(answer, status);
  expect(answer.body.code).toBe(code);
}

onEveryStorage('lists with their parameters in a body', (world) => {
  let library: Library;
  beforeAll(async () => {
    library = await createLibrary(world);
  });

  const path = () => `/document/${library.shelf.collection}`;
  const post = (body: unknown, token: string | undefined = library.shelf.owner.token) =>
    world.call('POST', `${path()}/query`, { body, ...(token !== undefined && { token }) });

  it.each([
    [{}, {}],
    [
      { where: 'year = ? and title like ?', params: ['2021', 'z%'] },
      { where: 'year = ? and title like ?', params: [2021, 'z%'] },
    ],
    [
      { where: 'year in ?', params: '[1762,2021]', orderBy: 'title desc' },
      { where: 'year in ?', params: [[1762, 2021]], orderBy: 'title desc' },
    ],
    [
      { recordsPerPage: '2', page: '1', total: 'true' },
      { recordsPerPage: 2, page: 1, total: true },
    ],
    [
      { where: "title = 'zoo'", count: 'true' },
      { where: "title = 'zoo'", count: true },
    ],
    [
      { fields: 'count(*) as n, year', groupBy: 'year', orderBy: 'year' },
      { fields: 'count(*) as n, year', groupBy: 'year', orderBy: 'year' },
    ],
    [
      { where: 'price > 9.25', expand: '_author', skip: '1' },
      { where: 'price > 9.25', expand: '_author', skip: 1 },
    ],
  ])('answers %j like the URL', async (query, body) => {
    const listed = await world.call('GET', `${path()}?${search(query)}`, { token: library.shelf.owner.token });
    expect(listed.status).toBe(200);
    const { status, data, body: answer } = await post(body);
    expect([status, data]).toEqual([200, listed.data]);
    expect(answer).toEqual(listed.body);
  });

  it('reads all pages by cursor', async () => {
    const first = await expectStatus(post({ orderBy: 'title', recordsPerPage: 4 }), 200);
    const second = await expectStatus(post({ orderBy: 'title', recordsPerPage: 4, cursor: first.body.next }), 200);
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(library.ids.length);
  });

  it('finds a thousand ids', async () => {
    const others = Array.from({ length: MANY - library.ids.length }, () => crypto.randomUUID());
    const { data } = await expectStatus(post({ where: 'id in ?', params: [[...others, ...library.ids]] }), 200);
    expect(data.map(({ id }: { id: string }) => id)).toEqual(library.ids);
  });

  it('shows only what the caller may read', async () => {
    const shared = await createShelf(world);
    const [hidden, shown] = [await shared.create({ n: 1 }), await shared.create({ n: 2 })];
    await expectStatus(
      world.call('PUT', `/document/${shared.collection}/${shown.id}/read/role/anonymous`, {
        token: shared.owner.token,
      }),
      200,
    );
    const body = { where: 'id in ?', params: [[hidden.id, shown.id]] };
    const read = await expectStatus(world.call('POST', `/document/${shared.collection}/query`, { body }), 200);
    expect(read.data.map(({ id }: { id: string }) => id)).toEqual([shown.id]);
  });

  it('lists users and files', async () => {
    const { owner } = library.shelf;
    const body = { where: 'user.name in ?', params: [[owner.name, 'nobody']], fields: 'user.name as name' };
    const users = await expectStatus(world.call('POST', '/users/query', { body, token: owner.token }), 200);
    expect(users.data).toEqual([{ name: owner.name }]);
    const files = await expectStatus(
      world.call('POST', '/file/details/query', { body: { count: true }, token: owner.token }),
      200,
    );
    expect(files.data).toEqual([{ count: 0 }]);
    for (const url of ['/users/query', '/file/details/query']) {
      expectCode(await world.call('POST', url, { body: {} }), 401, 'auth.required');
      expectCode(await world.call('POST', url, { body: { expand: 'x' }, token: owner.token }), 400, 'input.invalid');
    }
  });

  it.each<[string, unknown, string, string]>([
    ['an unknown member', { filter: 'year = 1' }, 'input.invalid', '/filter'],
    ['params that are not an array', { where: 'year = ?', params: '1' }, 'input.invalid', '/params'],
    ['null as a parameter', { where: 'year = ?', params: [null] }, 'input.invalid', '/params/0'],
    ['an object as a parameter', { where: 'year = ?', params: [{}] }, 'input.invalid', '/params/0'],
    ['a list as where', { where: ['year = 1'] }, 'input.invalid', '/where'],
    ['half a page', { recordsPerPage: 1.5 }, 'input.invalid', '/recordsPerPage'],
    ['an invalid condition', { where: 'year >' }, 'criteria.invalid', '/where'],
    ['a parameter too many', { where: 'year = 1', params: ['x'] }, 'criteria.invalid', '/params'],
    ['half a character', { where: 'title = ?', params: ['\ud800'] }, 'criteria.invalid', '/params'],
  ])('refuses %s', async (_what, body, code, where) => {
    const answer = await post(body);
    expectCode(answer, 400, code);
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual([where]);
  });

  it('refuses a body of more than 1 MiB', async () => {
    expectCode(await post({ where: 'title = ?', params: ['x'.repeat(2 ** 20)] }), 413, 'input.too_large');
  });

  describe('routes with similar names', () => {
    it('keep their meaning', async () => {
      expectCode(
        await world.call('GET', `${path()}/query`, { token: library.shelf.owner.token }),
        404,
        'document.not_found',
      );
      expectCode(await world.call('POST', '/document/none/query', { body: {} }), 404, 'collection.not_found');
      const id = library.ids[0] ?? '';
      expectCode(
        await world.call('POST', `/document/${id}/query`, { body: {}, token: library.shelf.owner.token }),
        404,
        'collection.not_found',
      );
    });
  });
});
