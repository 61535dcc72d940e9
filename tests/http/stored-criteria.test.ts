import { beforeAll, expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, stored } from '../support/files.ts';
import { search } from '../support/library.ts';
import { expectStatus, type Person } from '../support/people.ts';

onEveryStorage('criteria for files and assets', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  let owner: Person;
  let stranger: Person;

  const get = (url: string, query: Parameters<typeof search>[0], token: string): Promise<Answer> =>
    call('GET', `${url}?${search(query)}`, { token });
  const details = async (query: Parameters<typeof search>[0], token = owner.token) =>
    (await expectStatus(get('/file/details', query, token), 200)).data;
  const assets = async (query: Parameters<typeof search>[0]) =>
    (await expectStatus(get('/admin/asset', query, await world.admin()), 200)).data;

  beforeAll(async () => {
    [owner, stranger] = [await world.user(), await world.user()];
    for (const [n, name] of ['b.txt', 'a.txt', 'c.txt'].entries()) {
      await stored(world, owner.token, filePart('x'.repeat(n + 1), { fileName: name }), {
        name: 'attachedData',
        content: JSON.stringify({ n, kind: n === 1 ? 'odd' : 'even' }),
      });
    }
    for (const n of [0, 1, 2]) {
      const body = { name: `${owner.name}.${n}`, meta: { n, of: owner.id } };
      await expectStatus(call('POST', '/admin/asset', { token: await world.admin(), body }), 201);
    }
  });

  it('finds, sorts, counts and aggregates files', async () => {
    expect(await details({ where: "attachedData.kind = 'even'", fields: 'fileName, contentLength' })).toEqual([
      { fileName: 'b.txt', contentLength: 1 },
      { fileName: 'c.txt', contentLength: 3 },
    ]);
    expect(await details({ where: '_author = ?', params: owner.name, count: 'true' })).toEqual([{ count: 3 }]);
    const byName = await details({ orderBy: 'fileName desc', where: 'contentLength > 1' });
    expect(byName.map(({ fileName }: { fileName: string }) => fileName)).toEqual(['c.txt', 'a.txt']);
    expect(await details({ fields: 'sum(contentLength) as bytes, max(attachedData.n) as n' })).toEqual([
      { bytes: 6, n: 2 },
    ]);
    const newest = { orderBy: '_creation_date desc', recordsPerPage: 2, fields: 'attachedData.n as n' };
    const first = await expectStatus(get('/file/details', newest, owner.token), 200);
    expect(first.data).toEqual([{ n: 2 }, { n: 1 }]);
    expect(await details({ ...newest, cursor: first.body.next })).toEqual([{ n: 0 }]);
  });

  it('reveals nothing of files that the caller may not read', async () => {
    for (const query of [{ where: 'contentLength > 0' }, { groupBy: 'fileName' }, { orderBy: 'fileName' }]) {
      expect(await details(query, stranger.token)).toEqual([]);
    }
    expect(await details({ fields: 'count(*), max(attachedData.kind)' }, stranger.token)).toEqual([
      { count: 0, max: null },
    ]);
    expect(await details({ where: 'id is not null', count: 'true' }, stranger.token)).toEqual([{ count: 0 }]);
  });

  it('finds, sorts, counts and aggregates assets', async () => {
    const mine = { where: 'meta.of = ?', params: owner.id };
    expect(await assets({ ...mine, orderBy: 'meta.n desc', fields: 'name, meta.n as n, fileName' })).toEqual(
      [2, 1, 0].map((n) => ({ name: `${owner.name}.${n}`, n, fileName: null })),
    );
    expect(await assets({ ...mine, count: 'true' })).toEqual([{ count: 3 }]);
    expect(await assets({ ...mine, groupBy: '_author', fields: '_author, avg(meta.n) as n' })).toEqual([
      { _author: 'admin', n: 1 },
    ]);
    expect(await assets({ ...mine, fields: 'count(contentType) as files' })).toEqual([{ files: 0 }]);
  });

  it('rejects invalid criteria', async () => {
    const admin = await world.admin();
    for (const url of ['/file/details', '/admin/asset']) {
      for (const query of ['where=a', 'where=a=1&where=b=1', 'orderBy=a+up', 'fields=*', 'params=x', 'cursor=q']) {
        expectFailure(await call('GET', `${url}?${query}`, { token: admin }), 400);
      }
    }
    expectFailure(await get('/admin/asset', { where: 'id is not null' }, owner.token), 403);
    expectFailure(await call('GET', '/file/details?where=id+is+null'), 401);
  });
});
