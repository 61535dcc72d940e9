import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { search } from '../support/library.ts';
import { expectStatus, follow, type Person, planted } from '../support/people.ts';

type Planted = Awaited<ReturnType<typeof planted>>;

onEveryStorage('criteria for users', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  let viewer: Person;
  let [ann, bob, cat]: Planted[] = [];
  let everybody: Planted[];

  const get = (url: string, query: Parameters<typeof search>[0], token = viewer.token): Promise<Answer> =>
    call('GET', `${url}?${search(query)}`, { token });

  async function names(url: string, query: Parameters<typeof search>[0], token?: string): Promise<string[]> {
    const { data } = await expectStatus(get(url, query, token), 200);
    return data.map(({ user }: { user: { name: string } }) => user.name);
  }

  async function put(person: Person, section: string, value: unknown): Promise<void> {
    await expectStatus(call('PUT', '/me', { token: person.token, body: { [section]: value } }), 200);
  }

  beforeAll(async () => {
    viewer = await world.user();
    everybody = [await planted(world), await planted(world), await planted(world)];
    [ann, bob, cat] = everybody;
    for (const [age, person] of everybody.entries()) {
      await put(person, 'visibleByAnonymousUsers', {
        age: 30 + age,
        city: age === 1 ? 'Rome' : 'Oslo',
        mark: viewer.id,
      });
    }
    await follow(world, viewer, bob as Planted);
    await follow(world, cat as Planted, viewer);
  });

  const mine = (where: string, params: string[] = []) => ({
    where: `visibleByAnonymousUsers.mark = ? and (${where})`,
    params: [viewer.id, ...params],
  });

  it('find users by sections that everybody can read', async () => {
    expect(await names('/users', mine("visibleByAnonymousUsers.city = 'Oslo'"))).toEqual([ann?.name, cat?.name]);
    expect(await names('/users', mine('user.name = ?', [bob?.name ?? '']))).toEqual([bob?.name]);
    expect(
      await names('/users', mine("user.status = 'ACTIVE' and user.roles contains (name = 'registereduser')")),
    ).toEqual(everybody.map(({ name }) => name));
    expect(await names('/users', mine("user.roles contains (name = 'administrator')"))).toEqual([]);
    expect(await names('/users', mine('id in [?, ?] and signUpDate <= sysdate()', [cat?.id ?? '', 'x']))).toEqual([
      cat?.name,
    ]);
    expect((await get('/users', { ...mine('visibleByAnonymousUsers.age > 30'), count: 'true' })).data).toEqual([
      { count: 2 },
    ]);
  });

  it('sort, select fields and aggregate', async () => {
    const newest = { ...mine('id is not null'), orderBy: 'visibleByAnonymousUsers.city, signUpDate desc' };
    expect(await names('/users', newest)).toEqual([cat, ann, bob].map((person) => person?.name));
    const first = await expectStatus(
      get('/users', { ...newest, recordsPerPage: 2, fields: 'user.name as n, visibleByAnonymousUsers.age' }),
      200,
    );
    expect(first.data).toEqual([
      { n: cat?.name, 'visibleByAnonymousUsers.age': 32 },
      { n: ann?.name, 'visibleByAnonymousUsers.age': 30 },
    ]);
    expect(await names('/users', { ...newest, cursor: first.body.next })).toEqual([bob?.name]);
    const groups = { ...mine('id is not null'), groupBy: 'visibleByAnonymousUsers.city' };
    const fields = 'visibleByAnonymousUsers.city as city, count(*), max(visibleByAnonymousUsers.age) as oldest';
    expect((await get('/users', { ...groups, fields, orderBy: 'count desc' })).data).toEqual([
      { city: 'Oslo', count: 2, oldest: 32 },
      { city: 'Rome', count: 1, oldest: 31 },
    ]);
    const [whole] = (
      await get('/users', {
        ...mine('visibleByAnonymousUsers.age = 31'),
        fields: 'visibleByFriends, visibleByTheUser, user',
      })
    ).data;
    expect(whole).toEqual({
      visibleByFriends: { canary: bob?.canaries.visibleByFriend },
      visibleByTheUser: null,
      user: { name: bob?.name, status: 'ACTIVE', roles: [{ name: 'registereduser' }] },
    });
  });

  describe('never look at sections that the caller may not read', () => {
    const probes = (section: string, text: string): Record<string, string | string[]>[] => [
      { where: `${section}.canary = ?`, params: text },
      { where: `${section}.canary like ?`, params: `${text.slice(0, -1)}%` },
      { where: `${section} is not null and id = ?`, params: text.slice(-36) },
      { where: `${section}.canary.length() > 0 and id = ?`, params: text.slice(-36) },
      { where: `not ${section}.canary is null and id = ?`, params: text.slice(-36) },
    ];

    /** True if any criterion reveals a part of a section. */
    async function isSeen(
      url: string,
      section: keyof Planted['canaries'],
      person: Planted,
      token?: string,
    ): Promise<boolean> {
      const text = person.canaries[section];
      const seen: boolean[] = [];
      for (const probe of probes(section, text)) {
        const found = (await names(url, probe, token)).length;
        const [{ count }] = (await get(url, { ...probe, count: 'true' }, token)).data;
        expect(count).toBe(found);
        seen.push(found > 0);
      }
      for (const query of [
        { fields: `${section}.canary` },
        { fields: `max(${section}.canary) as canary`, where: 'id = ?', params: person.id },
        { groupBy: `${section}.canary` },
      ]) {
        seen.push((await expectStatus(get(url, query, token), 200)).text.includes(text));
      }
      expect(new Set(seen).size).toBe(1);
      return seen[0] ?? false;
    }

    it('in lists of all users', async () => {
      const admin = await world.admin();
      for (const person of everybody) {
        const isFriend = person === bob;
        expect(await isSeen('/users', 'visibleByTheUser', person)).toBe(false);
        expect(await isSeen('/users', 'visibleByTheUser', person, person.token)).toBe(true);
        expect(await isSeen('/users', 'visibleByFriend', person)).toBe(isFriend);
        expect(await isSeen('/users', 'visibleByFriend', person, person.token)).toBe(true);
        expect(await isSeen('/users', 'visibleByRegisteredUsers', person)).toBe(true);
        expect(await isSeen('/users', 'visibleByTheUser', person, admin)).toBe(true);
        expect(await isSeen('/admin/user', 'visibleByFriend', person, admin)).toBe(true);
      }
    });

    it('among followers and the followed', async () => {
      const [followed, follower] = [bob as Planted, cat as Planted];
      expect(await isSeen('/following', 'visibleByFriend', followed)).toBe(true);
      expect(await isSeen('/following', 'visibleByTheUser', followed)).toBe(false);
      expect(await isSeen('/followers', 'visibleByFriend', follower)).toBe(true);
      expect(await isSeen(`/followers/${viewer.name}`, 'visibleByFriend', follower)).toBe(true);
      expect(await isSeen(`/followers/${viewer.name}`, 'visibleByFriend', follower, ann?.token)).toBe(false);
      expect(await isSeen(`/following/${viewer.name}`, 'visibleByFriend', followed, ann?.token)).toBe(false);
      expect(await isSeen('/followers', 'visibleByTheUser', follower)).toBe(false);
    });

    it('by the order either', async () => {
      const order = { orderBy: 'visibleByTheUser.canary desc', ...mine('id is not null') };
      expect(await names('/users', order)).toEqual(everybody.map(({ name }) => name));
      expect(await names('/users', order, await world.admin())).toEqual(
        everybody.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map(({ name }) => name),
      );
    });
  });

  it('count no users around an unknown name', async () => {
    expect((await get('/followers/nobody', { fields: 'count(*)' })).data).toEqual([{ count: 0 }]);
    expect((await get('/following/nobody', { where: 'id is not null', count: 'true' })).data).toEqual([{ count: 0 }]);
    expect((await get('/following/nobody', { orderBy: 'user.status' })).data).toEqual([]);
  });

  it.each(['/users', '/followers', '/following', '/admin/user'])('%s rejects invalid criteria', async (url) => {
    const token = await world.admin();
    for (const query of [
      'where=a',
      'where=a=1&where=b=1',
      'orderBy=a+up',
      'fields=*',
      'params=x',
      'groupBy=a&fields=b',
    ]) {
      expectFailure(await call('GET', `${url}?${query}`, { token }), 400);
    }
  });

  it('do not open lists to users who may not read them', async () => {
    expectFailure(await call('GET', '/users?where=id+is+not+null'), 401);
    expectFailure(await get('/admin/user', { where: 'id is not null' }), 403);
  });
});
