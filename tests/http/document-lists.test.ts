import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf, type Shelf } from '../support/documents.ts';

onEveryStorage('lists of documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  /** A collection with documents in the order of their creation. */
  async function filled(count: number): Promise<Shelf & { readonly all: string[]; readonly token: string }> {
    const shelf = await createShelf(world);
    const all: string[] = [];
    for (let n = 0; n < count; n++) all.push((await shelf.create({ n })).id);
    return { ...shelf, all, token: shelf.owner.token };
  }

  it('contain whole documents in the order of creation', async () => {
    const { collection, all, token } = await filled(5);
    const { status, body, data, headers } = await call('GET', `/document/${collection}`, { token });
    expect([status, body.result, body.more, headers['x-bb-more']]).toEqual([200, 'ok', false, 'false']);
    expect(body).not.toHaveProperty('next');
    expect(data.map(({ id, n }: { id: string; n: number }) => [id, n])).toEqual(all.map((id, n) => [id, n]));
    expect((await call('GET', `/document/${collection}/${all[0]}`, { token })).data).toEqual(data[0]);
  });

  it('contain only what the caller may read, and so does the count', async () => {
    const { collection, all, token, ids, share } = await filled(3);
    const stranger = await world.user();
    const count = async (options: object) => (await call('GET', `/document/${collection}/count`, options)).data.count;
    expect(await ids({ token: stranger.token })).toEqual([]);
    expect(await count({ token: stranger.token })).toBe(0);
    await share(all[1] as string, `read/user/${stranger.name}`);
    await share(all[2] as string, `update/user/${stranger.name}`);
    expect(await ids({ token: stranger.token })).toEqual([all[1]]);
    expect(await count({ token: stranger.token })).toBe(1);
    expect(await ids({})).toEqual([]);
    expect(await count({})).toBe(0);
    expect(await ids({ token: await world.admin() })).toEqual(all);
    expect(await count({ token })).toBe(3);
  });

  it('tell an empty collection from one that does not exist', async () => {
    const { collection, token } = await filled(0);
    expect((await call('GET', `/document/${collection}`, { token })).data).toEqual([]);
    for (const url of ['/document/nowhere', '/document/nowhere/count', '/document/nowhere?count=true']) {
      expect((await call('GET', url, { token })).status).toBe(404);
      expect((await call('GET', url)).status).toBe(404);
    }
  });

  it('can be counted with ?count=true as well', async () => {
    const { collection, token } = await filled(2);
    expect((await call('GET', `/document/${collection}?count=true`, { token })).data).toEqual([{ count: 2 }]);
    expect((await call('GET', `/document/${collection}/count`, { token })).data).toEqual({ count: 2 });
    expect((await call('GET', `/document/${collection}?count=false`, { token })).data).toHaveLength(2);
  });

  it('say with ?total=true how many documents all pages have, in the same answer', async () => {
    const { collection, all, token, create, share } = await filled(5);
    const stranger = await world.user();
    const mine = { token: stranger.token };
    await create({ n: 9 });
    await share(all[1] as string, `read/user/${stranger.name}`);
    const get = async (query: string, options: object = { token }) => {
      const { status, text, body, data } = await call('GET', `/document/${collection}?${query}`, options);
      expect(status, text).toBe(200);
      return [data.length, body.total, body.more];
    };
    const first = `/document/${collection}?recordsPerPage=4&total=true`;
    const { next } = (await call('GET', first, { token })).body;
    expect(await get('recordsPerPage=4&total=true')).toEqual([4, 6, true]);
    expect(await get(`recordsPerPage=4&total=true&cursor=${next}`)).toEqual([2, 6, false]);
    expect(await get('total=true')).toEqual([6, 6, false]);
    expect(await get('page=7&total=true')).toEqual([0, 6, false]);
    expect(await get('total=true&recordsPerPage=1', mine)).toEqual([1, 1, false]);
    expect(await get('total=true', {})).toEqual([0, 0, false]);
    const where = 'where=n%20%3E%201&orderBy=n%20desc';
    expect(await get(`${where}&total=true`)).toEqual([4, 4, false]);
    expect(await get(`${where}&total=true&recordsPerPage=3`)).toEqual([3, 4, true]);
    expect(await get(`${where}&total=true&page=1&recordsPerPage=3`)).toEqual([1, 4, false]);
    expect(await get(`${where}&total=true&page=5`)).toEqual([0, 4, false]);
    expect(await get(`${where}&total=true`, mine)).toEqual([0, 0, false]);
    expect(await get('total=true&expand=_author&recordsPerPage=2')).toEqual([2, 6, true]);
    expect(await get(`${where}&total=true&expand=_author&recordsPerPage=2`)).toEqual([2, 4, true]);
    expect(await get('total=true&fields=n&recordsPerPage=2')).toEqual([2, 6, true]);
    expect(await get('total=true&groupBy=n&where=n%20%3C%202')).toEqual([2, 2, false]);
    expect(await get('total=false')).toEqual([6, undefined, false]);
    const refused = await call('GET', `/document/${collection}?total=1`, { token });
    expect([refused.status, refused.body.code]).toEqual([400, 'input.invalid']);
    expect((await call('GET', '/document/nowhere?total=true', { token })).status).toBe(404);
  });

  it('of users and files say it too', async () => {
    const user = await world.user();
    const token = await world.admin();
    const query = `where=${encodeURIComponent('user.name = ?')}&params=${user.name}&total=true`;
    expect((await call('GET', `/admin/user?${query}`, { token })).body.total).toBe(1);
    expect((await call('GET', `/users?${query}&page=3`, { token: user.token })).body.total).toBe(1);
    expect((await call('GET', '/followers?total=true', { token: user.token })).body.total).toBe(0);
    expect((await call('GET', '/file/details?total=true', { token: user.token })).body.total).toBe(0);
  });

  describe('by page number', () => {
    it.each([
      ['page=0&recordsPerPage=3', 0, 3, true],
      ['page=1&recordsPerPage=3', 3, 6, true],
      ['page=7&recordsPerPage=3', 21, 23, false],
      ['page=8&recordsPerPage=3', 23, 23, false],
      ['page=1&recordPerPage=3', 3, 6, true],
      ['recordsPerPage=3', 0, 3, true],
      ['page=0', 0, 20, true],
      ['page=1', 20, 23, false],
      ['skip=21', 21, 23, false],
      ['skip=2&recordsPerPage=3', 2, 5, true],
      ['page=1&skip=2&recordsPerPage=3', 5, 8, true],
      ['recordsPerPage=23', 0, 23, false],
      ['recordsPerPage=22', 0, 22, true],
      ['skip=100', 23, 23, false],
      ['page=999999999999999&recordsPerPage=1000&skip=999999999999999', 23, 23, false],
    ])('%s gives documents %i to %i', async (query, from, to, more) => {
      const shelf = await twentyThree();
      const { body, data, headers } = await call('GET', `/document/${shelf.collection}?${query}`, shelf);
      expect(data.map(({ id }: { id: string }) => id)).toEqual(shelf.all.slice(from, to));
      expect([body.more, headers['x-bb-more']]).toEqual([more, String(more)]);
      expect(typeof body.next).toBe(more ? 'string' : 'undefined');
    });

    it.each([
      'page=-1',
      'page=x',
      'page=1.5',
      'page=',
      'page=1e3',
      'page=0x1',
      'page=9999999999999999',
      'skip=-1',
      'skip=a',
      'skip=1&skip=2',
      'recordsPerPage=0',
      'recordsPerPage=-1',
      'recordsPerPage=1001',
      'recordPerPage=0',
      'recordPerPage=',
      'cursor=',
      'cursor=x',
      'cursor=1&cursor=2',
    ])('%s is 400', async (query) => {
      const { collection, token } = await twentyThree();
      const { status, body } = await call('GET', `/document/${collection}?${query}`, { token });
      expect([status, body.result]).toEqual([400, 'error']);
    });

    it('follow "next" through the whole list while others write, for a caller who may read some of it', async () => {
      const { collection, all, token, share, create } = await filled(12);
      const reader = await world.user();
      const shared = all.filter((_, i) => i % 2 === 0);
      for (const id of shared) await share(id, `read/user/${reader.name}`);
      const seen: string[] = [];
      let cursor = '';
      for (;;) {
        const url = `/document/${collection}?recordsPerPage=2${cursor}`;
        const { body, data } = await call('GET', url, { token: reader.token });
        seen.push(...data.map(({ id }: { id: string }) => id));
        if (!body.more) break;
        cursor = `&cursor=${encodeURIComponent(body.next)}`;
        await create({});
        await call('DELETE', `/document/${collection}/${all[1]}`, { token });
      }
      expect(seen).toEqual(shared);
    });
  });

  let kept: ReturnType<typeof filled> | null = null;
  let keptOf: unknown = null;
  /** The same 23 documents for all cases on one storage. */
  function twentyThree(): ReturnType<typeof filled> {
    if (kept === null || keptOf !== world.backend) kept = filled(23);
    keptOf = world.backend;
    return kept;
  }
});
