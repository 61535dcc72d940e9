import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import {
  type Canaries,
  expectStatus,
  follow,
  namesIn,
  type Person,
  planted,
  SECTION_NAMES,
} from '../support/people.ts';

type Planted = Awaited<ReturnType<typeof planted>>;
type Section = keyof Canaries;

const FOR_ALL: readonly Section[] = ['visibleByRegisteredUsers', 'visibleByAnonymousUsers'];
const FOR_FRIENDS: readonly Section[] = ['visibleByFriend', ...FOR_ALL];

onEveryStorage('lists of people', (world) => {
  const call: World['call'] = (...args) => world.call(...args);

  /** Asserts that a list contains exactly these users, each with exactly these sections. */
  async function expectList(
    url: string,
    token: string,
    expected: ReadonlyArray<readonly [Planted, readonly Section[]]>,
  ): Promise<void> {
    const { data, text } = await expectStatus(call('GET', url, { token }), 200);
    const shown = (name: string) => data.find(({ user }: { user: { name: string } }) => user.name === name);
    expect(data).toHaveLength(expected.length);
    for (const [person, sections] of expected) {
      for (const name of SECTION_NAMES) {
        const canary = person.canaries[name];
        const visible = sections.includes(name);
        expect([name, shown(person.name)?.[name]]).toEqual([name, visible ? { canary } : null]);
        expect(text.includes(canary)).toBe(visible);
      }
    }
  }

  describe('GET /following and /followers', () => {
    it('show the friends sections of users whom the caller follows, and of the caller’s own followers', async () => {
      const [ann, bob, cat] = [await planted(world), await planted(world), await planted(world)];
      await follow(world, ann, bob);
      await follow(world, cat, ann);
      await expectList('/following', ann.token, [[bob, FOR_FRIENDS]]);
      await expectList('/followers', ann.token, [[cat, FOR_FRIENDS]]);
      await expectList(`/followers/${ann.name}`, ann.token, [[cat, FOR_FRIENDS]]);
      await expectList('/followers', bob.token, [[ann, FOR_FRIENDS]]);
      await expectList('/following', bob.token, []);
    });

    it('of another user show each profile by the caller’s own rights', async () => {
      const [ann, bob, cat, dan] = [
        await planted(world),
        await planted(world),
        await planted(world),
        await planted(world),
      ];
      for (const followed of [bob, cat, dan]) await follow(world, ann, followed);
      for (const follower of [bob, cat]) await follow(world, follower, ann);
      await follow(world, dan, cat);
      await expectList(`/following/${ann.name}`, dan.token, [
        [bob, FOR_ALL],
        [cat, FOR_FRIENDS],
        [dan, SECTION_NAMES],
      ]);
      await expectList(`/followers/${ann.name.toUpperCase()}`, dan.token, [
        [bob, FOR_ALL],
        [cat, FOR_FRIENDS],
      ]);
      const everything = [bob, cat].map((person) => [person, SECTION_NAMES] as const);
      await expectList(`/followers/${ann.name}`, await world.admin(), everything);
    });

    it('are empty for a user without followers and for an unknown name', async () => {
      const { token } = await world.user();
      for (const url of ['/following', '/followers', '/following/nobody', '/followers/nobody', '/followers/_x']) {
        const { body } = await expectStatus(call('GET', url, { token }), 200);
        expect(body).toEqual({ result: 'ok', data: [], more: false, http_code: 200 });
      }
    });

    it.each(['/following', '/followers', '/following/ann', '/followers/ann', '/users'])(
      '%s requires a user and the application code',
      async (url) => {
        expectFailure(await call('GET', url), 401);
        expectFailure(await call('GET', url, { appCode: null }), 400);
        expectFailure(await call('GET', url, { token: 'stale' }), 401);
      },
    );
  });

  describe('GET /users', () => {
    it('shows every user by the caller’s rights, and never the administrator of the service', async () => {
      const [ann, bob, cat] = [await planted(world), await planted(world), await planted(world)];
      await follow(world, ann, bob);
      const { data, text } = await call('GET', '/users', { token: ann.token });
      const shown = (id: string) => data.find((user: { id: string }) => user.id === id);
      expect(shown(ann.id).visibleByTheUser).toEqual({ canary: ann.canaries.visibleByTheUser });
      expect([shown(bob.id).visibleByFriend, shown(cat.id).visibleByFriend]).toEqual([
        { canary: bob.canaries.visibleByFriend },
        null,
      ]);
      for (const { canaries } of [bob, cat]) expect(text).not.toContain(canaries.visibleByTheUser);
      expect(text).not.toContain(cat.canaries.visibleByFriend);
      expect(await namesIn(world, '/users', { token: await world.admin() })).not.toContain('admin');
    });
  });

  describe('paging', () => {
    const NAMES = ['delta', 'Bravo', 'émile', 'alpha', 'Zulu', '😀', '\uff5a', 'charlie', '_'];
    const center = { name: '', token: '' };
    const inOrder: string[] = [];
    // By the name's key (NFKC and lower case, so that a full-width z becomes a plain one), in order of code points.
    let sorted: string[] = [];
    const pages = (query: string) => call('GET', `/followers?${query}`, { token: center.token });
    const names = async (query: string) => namesIn(world, `/followers?${query}`, { token: center.token });

    beforeAll(async () => {
      Object.assign(center, await world.user());
      inOrder.length = 0;
      for (const prefix of NAMES) {
        const follower = await world.user(world.unique(prefix === '_' ? 'x_' : prefix));
        inOrder.push(follower.name);
        await follow(world, follower, center as Person);
      }
      const key = (name: string) => name.normalize('NFKC').toLowerCase();
      sorted = inOrder.toSorted((a, b) => Buffer.compare(Buffer.from(key(a)), Buffer.from(key(b))));
    });

    it('orders by name or by sign-up, in both directions', async () => {
      expect(await names('')).toEqual(inOrder);
      expect(await names('orderBy=signUpDate')).toEqual(inOrder);
      expect(await names('orderBy=signUpDate%20desc')).toEqual(inOrder.toReversed());
      expect(await names('orderBy=user.name')).toEqual(sorted);
      expect(await names('orderBy=user.name+ASC')).toEqual(sorted);
      expect(await names('orderBy=user.name%20Desc')).toEqual(sorted.toReversed());
    });

    it('returns pages by number, after the rows to skip', async () => {
      expect(await names('page=0&recordsPerPage=4')).toEqual(inOrder.slice(0, 4));
      expect(await names('page=2&recordPerPage=4')).toEqual(inOrder.slice(8));
      expect(await names('page=3&recordsPerPage=4')).toEqual([]);
      expect(await names('skip=7')).toEqual(inOrder.slice(7));
      expect(await names('page=1&recordsPerPage=3&skip=2')).toEqual(inOrder.slice(5, 8));
      expect(await names('page=1&recordsPerPage=3&orderBy=user.name%20desc')).toEqual(sorted.toReversed().slice(3, 6));
    });

    it('says whether there is more, in the envelope and in a header', async () => {
      for (const [query, more] of [
        ['recordsPerPage=8', true],
        ['recordsPerPage=9', false],
        ['page=0&recordsPerPage=9', false],
        ['page=1&recordsPerPage=8', false],
        ['page=0', false],
        ['', false],
      ] as const) {
        const { body, headers } = await pages(query);
        expect([query, body.more, headers['x-bb-more']]).toEqual([query, more, String(more)]);
        expect(typeof body.next).toBe(more ? 'string' : 'undefined');
      }
    });

    it.each([
      ['signUpDate asc', () => inOrder],
      ['signUpDate desc', () => inOrder.toReversed()],
      ['user.name asc', () => sorted],
      ['user.name desc', () => sorted.toReversed()],
    ])('continues from page to page by cursor, ordered by %s', async (orderBy, expected) => {
      const seen: string[] = [];
      let cursor = '';
      for (let page = 0; page < 5; page++) {
        const query = `recordsPerPage=2&orderBy=${encodeURIComponent(orderBy)}${cursor}`;
        const { data, body } = await pages(query);
        seen.push(...data.map(({ user }: { user: { name: string } }) => user.name));
        expect(body.more).toBe(page < 4);
        cursor = `&cursor=${encodeURIComponent(body.next)}`;
      }
      expect(seen).toEqual(expected());
    });

    it('keeps its place when users are added and removed', async () => {
      const { body } = await pages('recordsPerPage=3&orderBy=user.name');
      const early = await world.user(world.unique('a a'));
      await follow(world, early, center as Person);
      const rest = await names(`orderBy=user.name&cursor=${encodeURIComponent(body.next)}`);
      expect(rest).toEqual(sorted.slice(3));
      await call('DELETE', `/follow/${center.name}`, { token: early.token });
    });

    it.each([
      'cursor=',
      'cursor=x',
      'cursor=i',
      'cursor=iAAAA',
      `cursor=i${Buffer.from("' or 1=1 --").toString('base64url')}`,
      `cursor=q${Buffer.from('["x",["ann"],"018f0000-0000-7000-8000-000000000000",3]').toString('base64url')}`,
      `orderBy=user.name&cursor=i${Buffer.from('018f0000-0000-7000-8000-000000000000').toString('base64url')}`,
      `orderBy=user.name&cursor=q${Buffer.from('a\0b').toString('base64url')}`,
      'cursor=a&cursor=b',
      'page=-1',
      'page=1.5',
      'page=x',
      'page=',
      'page=0&page=1',
      'skip=-1',
      'skip=one',
      'recordsPerPage=0',
      'recordsPerPage=-5',
      'recordPerPage=x',
      'recordsPerPage=1001',
      'orderBy=user.name%20sideways',
      'orderBy=user.name,',
      'orderBy=user.name;drop%20table%20users',
      'orderBy=user.name&orderBy=signUpDate',
    ])('rejects ?%s', async (query) => {
      expectFailure(await pages(query), 400);
    });

    it.each(['/users', '/following', '/admin/user'])('works for %s too', async (url) => {
      const token = await world.admin();
      if (url === '/following') {
        for (const name of inOrder) await call('POST', `/follow/${encodeURIComponent(name)}`, { token });
      }
      const all = await namesIn(world, url, { token });
      expect(await namesIn(world, `${url}?page=1&recordsPerPage=3`, { token })).toEqual(all.slice(3, 6));
      expect(await namesIn(world, `${url}?orderBy=signUpDate%20desc`, { token })).toEqual(all.toReversed());
      expect((await call('GET', `${url}?count=true`, { token })).data).toEqual([{ count: all.length }]);
      const { body } = await call('GET', `${url}?recordsPerPage=2`, { token });
      const next = `${url}?recordsPerPage=2&cursor=${encodeURIComponent(body.next)}`;
      expect(await namesIn(world, next, { token })).toEqual(all.slice(2, 4));
      expectFailure(await call('GET', `${url}?cursor=x`, { token }), 400);
    });
  });
});
