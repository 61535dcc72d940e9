import {
  type ListedUser,
  type NewUser,
  type Storage,
  type UserList,
  userPrincipal,
  userSortValues,
} from '@baobab/core';
import { describe, expect, it } from 'vitest';
import {
  accessScopeOfUser,
  addCollection,
  addUser,
  EVERYTHING,
  NOT_RESERVED,
  NOW,
  newDocument,
  newSession,
  newUser,
  userName,
  uuid,
} from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const ANYBODY_SEES = { viewer: null, everything: false, asFriend: false };

export function usersContract(current: () => Storage): void {
  it('identifies many users in one call', async () => {
    const people = [];
    for (let i = 0; i < 60; i++) people.push(await addUser(current(), `User${i}`));
    const keys = [...people.map(({ key }) => key), 'nobody', 'User1', 'user2'];
    expect(await current().users.identify(keys, null)).toEqual(new Map(people.map(({ key, id }) => [key, id])));
    expect(await current().users.identify([], null)).toEqual(new Map());
  });

  it('returns every field as it was stored', async () => {
    const {
      key: _key,
      skeleton: _skeleton,
      isPlain: _isPlain,
      passwordHash: _hash,
      awaitsEmail: _awaitsEmail,
      ...record
    } = newUser('Zoë', {
      status: 'SUSPENDED',
      generated: true,
      role: 'administrator',
      sections: {
        visibleByTheUser: '{"email":"z@example.com"}',
        visibleByFriend: '{"b":1,"a":[null,1.5]}',
        visibleByRegisteredUsers: '{"":"😀"}',
        visibleByAnonymousUsers: '{"10":1,"2":2}',
      },
    });
    expect(await current().users.add(newUser('Zoë', { ...record, passwordHash: null, awaitsEmail: true }))).toBe(true);
    expect(await current().users.find(record.id)).toEqual(record);
    expect(await current().users.findByKey('zoë')).toEqual(record);
  });

  it('returns the users of a role, oldest first', async () => {
    const { users } = current();
    const [first, second] = [newUser('Ann', { role: 'BackOffice' }), newUser('Bob', { role: 'BackOffice' })];
    for (const user of [second, first, newUser('Cid')]) await users.add(user);
    const namesOf = async (role: string, limit: number) => (await users.ofRole(role, limit)).map(({ name }) => name);
    expect(await namesOf('BackOffice', 10)).toEqual(['Ann', 'Bob']);
    expect(await namesOf('BackOffice', 1)).toEqual(['Ann']);
    expect(await namesOf('backoffice', 10)).toEqual([]);
    await users.update(first.id, { role: 'registereduser' });
    expect(await namesOf('BackOffice', 10)).toEqual(['Bob']);
  });

  it('returns null for an unknown id or key', async () => {
    expect(await current().users.find(uuid())).toBeNull();
    expect(await current().users.findByKey('nobody')).toBeNull();
    expect(await current().users.credentials('nobody')).toBeNull();
  });

  it('stores the credentials that a login needs', async () => {
    const user = await addUser(current(), 'Ann', { passwordHash: '$argon2id$…' });
    expect(await current().users.credentials('ann')).toEqual({
      id: user.id,
      name: 'Ann',
      role: 'registereduser',
      status: 'ACTIVE',
      passwordHash: '$argon2id$…',
      hasSecondFactor: false,
      awaitsEmail: false,
      groups: [],
    });
  });

  it('never includes the password hash in the record', async () => {
    const user = await addUser(current(), 'Ann', { passwordHash: 'canary-hash' });
    expect(JSON.stringify(await current().users.find(user.id))).not.toContain('canary-hash');
  });

  it('refuses a second user with the same key and leaves the first unchanged', async () => {
    const first = await addUser(current(), 'Ann');
    expect(await current().users.add(newUser('ANN', { key: 'ann', created: NOW + 1 }))).toBe(false);
    expect((await current().users.findByKey('ann'))?.id).toBe(first.id);
  });

  it('adds exactly one of many concurrent users with the same key', async () => {
    const attempts = Array.from({ length: 50 }, (_, i) => current().users.add(newUser(`ann${i}`, { key: 'ann' })));
    const results = await Promise.all(attempts);
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('compares keys by code point', async () => {
    for (const key of ['a', 'á', 'a\u0301', 'ａ', '😀']) {
      expect(await current().users.add(newUser(key, { key }))).toBe(true);
    }
    expect((await current().users.findByKey('á'))?.name).toBe('á');
  });

  describe('names that look alike', () => {
    const plain = (name: string, skeleton = 'look') => newUser(name, { skeleton, isPlain: true });
    const other = (name: string, skeleton = 'look') => newUser(name, { skeleton, isPlain: false });
    const rename = (id: string, { name, key, skeleton, isPlain }: NewUser) =>
      current().users.rename(id, { name, key, skeleton, isPlain }, NOT_RESERVED);
    const add = (user: NewUser) => current().users.add(user);

    it('exclude each other, unless both are plain', async () => {
      expect([await add(plain('one')), await add(plain('two'))]).toEqual([true, true]);
      expect(await add(other('öne'))).toBe(false);
      expect(await add(other('über', 'other look'))).toBe(true);
      expect([await add(other('ûber', 'other look')), await add(plain('uber', 'other look'))]).toEqual([false, false]);
      const taken = [plain('three'), other('öne'), plain('uber', 'other look'), plain('x', 'y')];
      expect(await Promise.all(taken.map((name) => current().users.isTaken(name, null, NOW)))).toEqual([
        false,
        true,
        true,
        false,
      ]);
      expect(await current().users.isTaken(plain('one', 'elsewhere'), null, NOW)).toBe(true);
    });

    it('are refused when a user is renamed, unless the similar name is their own', async () => {
      const [one, two] = [other('öne'), plain('two', 'other look')];
      for (const user of [one, two]) await add(user);
      expect(await rename(two.id, plain('one'))).toBe(false);
      expect(await rename(one.id, plain('one'))).toBe(true);
      expect(await rename(two.id, plain('One2'))).toBe(true);
      expect(await rename(two.id, other('öne'))).toBe(false);
      await current().users.remove(one.id);
      expect(await rename(two.id, other('öne'))).toBe(true);
    });

    it('exclude each other also when they are added concurrently', async () => {
      for (let round = 0; round < 5; round++) {
        const look = `look${round}`;
        const users = Array.from({ length: 10 }, (_, i) => (i < 5 ? other : plain)(`${i}of${round}`, look));
        const movers = await Promise.all(Array.from({ length: 4 }, (_, i) => addUser(current(), `m${i}of${round}`)));
        const names = movers.map((_, i) => other(`x${i}of${round}`, look));
        const added = await Promise.all([
          ...users.map(add),
          ...names.map((name, i) => rename(movers[i]?.id ?? '', name)),
        ]);
        const won = [...users, ...names].filter((_, i) => added[i] === true);
        expect(won.length).toBeGreaterThan(0);
        expect(won.every(({ isPlain }) => isPlain) || won.length === 1).toBe(true);
      }
    });
  });

  it('copies its arguments', async () => {
    const sections = { ...newUser('x').sections };
    const user = newUser('Ann', { sections });
    await current().users.add(user);
    Object.assign(sections, { visibleByFriend: '{"changed":true}' });
    expect((await current().users.find(user.id))?.sections.visibleByFriend).toBe('{}');
  });

  describe('update', () => {
    it('changes the given members and nothing else', async () => {
      const user = await addUser(current(), 'Ann', {
        sections: { ...newUser('x').sections, visibleByFriend: '{"a":1}' },
      });
      const changed = await current().users.update(user.id, {
        sections: { visibleByTheUser: '{"b":2}' },
        role: 'BackOffice',
      });
      expect(changed).toMatchObject({ name: 'Ann', role: 'BackOffice', status: 'ACTIVE' });
      expect(changed?.sections).toMatchObject({ visibleByTheUser: '{"b":2}', visibleByFriend: '{"a":1}' });
      await current().users.update(user.id, { status: 'SUSPENDED' });
      await current().users.update(user.id, { passwordHash: 'other' });
      expect(await current().users.find(user.id)).toEqual({ ...changed, status: 'SUSPENDED' });
      expect(await current().users.credentials('ann')).toMatchObject({ passwordHash: 'other', status: 'SUSPENDED' });
    });

    it('returns null for an unknown id, and refuses an unknown role', async () => {
      const user = await addUser(current(), 'Ann');
      expect(await current().users.update(uuid(), { status: 'SUSPENDED' })).toBeNull();
      const attempt = current().users.update(user.id, { role: 'nothing' });
      await expect(attempt).rejects.toMatchObject({ code: 'role.not_found' });
      const nobody = newUser('Bob', { role: 'nothing' });
      await expect(current().users.add(nobody)).rejects.toMatchObject({ code: 'role.not_found' });
    });
  });

  describe('rename', () => {
    it('sets a name that no longer counts as generated, and documents show it', async () => {
      const collection = await addCollection(current(), 'books');
      const user = await addUser(current(), 'x1', { generated: true });
      const document = newDocument(user.id, collection);
      await current().documents.add(document);
      expect(await current().users.rename(user.id, userName('Ann'), NOT_RESERVED)).toBe(true);
      expect(await current().users.findByKey('x1')).toBeNull();
      expect(await current().users.findByKey('ann')).toMatchObject({ name: 'Ann', generated: false });
      expect(await current().documents.find({ collection, id: document.id }, EVERYTHING)).toMatchObject({
        author: 'Ann',
      });
      expect(await current().users.rename(user.id, userName('ANN'), NOT_RESERVED)).toBe(true);
    });

    it('refuses a taken name, and returns null for an unknown id', async () => {
      const [ann] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
      expect(await current().users.rename(ann.id, userName('BOB'), NOT_RESERVED)).toBe(false);
      expect(await current().users.rename(uuid(), userName('Cid'), NOT_RESERVED)).toBeNull();
      expect(await current().users.findByKey('ann')).not.toBeNull();
    });

    it('gives a name to exactly one of many concurrent users', async () => {
      const users = await Promise.all(Array.from({ length: 10 }, (_, i) => addUser(current(), `user${i}`)));
      const results = await Promise.all(
        users.map(({ id }) => current().users.rename(id, userName('Ann'), NOT_RESERVED)),
      );
      expect(results.filter((result) => result === true)).toHaveLength(1);
    });
  });

  describe('lists', () => {
    const ALL = { kind: 'all' } as const;
    const whole = { userSet: ALL, profileScope: ANYBODY_SEES, without: '', where: null };
    const first = { ...whole, order: [], after: null, skip: 0, limit: 100 };

    /** Adds users in the order of their ids, which differs from that of their names. */
    async function people(...names: string[]) {
      const users = [];
      for (const [i, name] of names.entries()) users.push(await addUser(current(), name, { id: uuid(NOW + i) }));
      return users;
    }

    it('contain all users, followed users, or followers', async () => {
      const [ann, bob, cid] = (await people('Ann', 'Bob', 'Cid')) as [NewUser, NewUser, NewUser];
      await current().follows.add(ann.id, cid.id);
      await current().follows.add(ann.id, bob.id);
      await current().follows.add(cid.id, bob.id);
      const names = async (list: Partial<UserList>) =>
        (await current().users.list({ ...first, ...list })).map(({ name }) => name);
      expect(await names({})).toEqual(['Ann', 'Bob', 'Cid']);
      expect(await names({ without: 'bob' })).toEqual(['Ann', 'Cid']);
      expect(await names({ userSet: { kind: 'following', of: ann.id } })).toEqual(['Bob', 'Cid']);
      expect(await names({ userSet: { kind: 'followers', of: bob.id } })).toEqual(['Ann', 'Cid']);
      expect(await names({ userSet: { kind: 'followers', of: ann.id } })).toEqual([]);
      expect(await names({ userSet: { kind: 'following', of: uuid() } })).toEqual([]);
      expect(await current().users.count({ ...whole, without: 'bob' })).toBe(2);
      expect(await current().users.count({ ...whole, userSet: { kind: 'followers', of: bob.id } })).toBe(2);
    });

    it('show whom the viewer follows', async () => {
      const [ann, bob] = (await people('Ann', 'Bob')) as [NewUser, NewUser];
      await current().follows.add(ann.id, bob.id);
      const seen = await current().users.list({ ...first, profileScope: { ...ANYBODY_SEES, viewer: ann.id } });
      expect(seen.map(({ name, isFollowed }) => [name, isFollowed])).toEqual([
        ['Ann', false],
        ['Bob', true],
      ]);
      expect(await current().users.view('bob', ann.id)).toMatchObject({ name: 'Bob', isFollowed: true });
      expect(await current().users.view('ann', bob.id)).toMatchObject({ isFollowed: false });
      expect(await current().users.view('bob', null)).toMatchObject({ isFollowed: false });
      expect(await current().users.view('nobody', ann.id)).toBeNull();
    });

    /** Returns all pages of three users, concatenated. */
    async function pagesOf(list: Omit<UserList, 'after' | 'limit'>): Promise<ListedUser[]> {
      const pages: ListedUser[] = [];
      for (;;) {
        const last = pages.at(-1);
        const after = last === undefined ? null : { keys: userSortValues(list.order, last), id: last.id };
        const page = await current().users.list({ ...list, after, limit: 3 });
        if (page.length === 0) return pages;
        pages.push(...page);
      }
    }

    it.each([
      [['signUpDate'], false],
      [['signUpDate'], true],
      [['user', 'name'], false],
      [['user', 'name'], true],
    ] as const)('ordered by %j (descending: %s) have pages without gaps or repetitions', async (path, descending) => {
      const users = await people('zoe', 'Ann', 'émile', 'bob', 'Ｘ', 'a b', '😀');
      const viewer = await addUser(current(), 'viewer');
      for (const user of users) await current().follows.add(viewer.id, user.id);
      const order = [{ path, descending }];
      const list = { ...first, userSet: { kind: 'following', of: viewer.id } as const, order };
      const all = await current().users.list(list);
      const keys = all.map(({ key, id }) => (path.length === 2 ? key : id));
      const ascending = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(keys).toEqual(descending ? ascending.toReversed() : ascending);
      expect(all).toHaveLength(users.length);
      expect(await pagesOf(list)).toEqual(all);
      expect(await current().users.list({ ...list, skip: 2, limit: 2 })).toEqual(all.slice(2, 4));
      const some = {
        ...list,
        where: { kind: 'not', condition: { kind: 'null', operand: { kind: 'path', path: ['id'] } } },
      } as const;
      expect(await pagesOf(some)).toEqual(all);
    });
  });

  it('removes a user with all their data', async () => {
    const collection = await addCollection(current(), 'books');
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    const session = newSession(ann.id);
    await current().sessions.add(session);
    await current().devices.register({ id: 'phone', userId: ann.id, os: 'ios', registered: NOW });
    await current().follows.add(ann.id, bob.id);
    await current().follows.add(bob.id, ann.id);
    await current().resetTokens.put({ digest: 'd', userId: ann.id, expires: NOW + 1 });
    const [hers, his] = [
      newDocument(ann.id, collection),
      newDocument(bob.id, collection, {
        grants: [{ principal: userPrincipal(ann.id), rights: 1 }],
      }),
    ];
    await current().documents.add(hers);
    await current().documents.add(his);
    expect(await current().users.remove(ann.id)).toBe(true);
    expect(await current().users.remove(ann.id)).toBe(false);
    await finishRemovals(current(), 100);
    expect(await current().sessions.find(session.id)).toBeNull();
    expect(await current().devices.list(ann.id)).toEqual([]);
    expect(await current().resetTokens.find('d', NOW)).toBeNull();
    const around = { profileScope: ANYBODY_SEES, without: '', where: null };
    expect(await current().users.count({ ...around, userSet: { kind: 'followers', of: bob.id } })).toBe(0);
    expect(await current().users.count({ ...around, userSet: { kind: 'following', of: bob.id } })).toBe(0);
    expect(await current().documents.count(collection, EVERYTHING, null)).toBe(1);
    expect(await current().documents.find({ collection, id: his.id }, accessScopeOfUser(ann.id))).toMatchObject({
      rights: 0,
    });
    expect(await current().users.add({ ...newUser('Ann'), key: 'ann' })).toBe(true);
  });
}
