import type { NewUser, Storage, UserSelection, UserSet } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, newUser, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

type Trio = readonly [NewUser, NewUser, NewUser];

/** Relations between two users, in each direction. */
const NOTHING = { follows: [false, false], requests: [false, false] };

function createFriends(current: () => Storage) {
  const selection = (userSet: UserSet, viewer: string | null = null): UserSelection => ({
    userSet,
    profileScope: { viewer, everything: false, asFriend: false },
    without: '',
    where: null,
  });

  /** Returns the names in a set, from its list. Its count and a search must agree. */
  async function names(userSet: UserSet, viewer: string | null = null): Promise<string[]> {
    const whole = selection(userSet, viewer);
    const found = { kind: 'not', condition: { kind: 'null', operand: { kind: 'path', path: ['id'] } } } as const;
    const page = { after: null, skip: 0, limit: 100 };
    const order = [{ path: ['user', 'name'], descending: false }] as const;
    const listed = (await current().users.list({ ...whole, ...page, order: [] })).map(({ name }) => name);
    const ordered = (await current().users.list({ ...whole, ...page, order })).map(({ name }) => name);
    const searched = (await current().users.list({ ...whole, ...page, order: [], where: found })).map(
      ({ name }) => name,
    );
    expect(searched).toEqual(listed);
    expect(ordered.toSorted()).toEqual(listed.toSorted());
    expect(await current().users.count(whole)).toBe(listed.length);
    expect(await current().users.count({ ...whole, where: found })).toBe(listed.length);
    return listed;
  }

  async function between(one: NewUser, other: NewUser) {
    const has = async (kind: 'followers' | 'requests', of: NewUser, who: NewUser) =>
      (await names({ kind, of: of.id })).includes(who.name);
    return {
      follows: [await has('followers', other, one), await has('followers', one, other)],
      requests: [await has('requests', other, one), await has('requests', one, other)],
    };
  }

  /** Adds three users in the order of their ids. Bob must accept each request. */
  async function trio(): Promise<Trio> {
    const [ann, bob, cid] = [newUser('Ann', { id: uuid(NOW) }), newUser('Bob', { id: uuid(NOW + 1) }), newUser('Cid')];
    for (const user of [ann, bob, cid]) await current().users.add(user);
    await current().follows.setPolicy(bob.id, 'approve');
    return [ann, bob, cid];
  }

  return { names, between, trio };
}

export function followRequestsContract(current: () => Storage): void {
  const { names, between, trio } = createFriends(current);
  const follow = (a: NewUser, b: NewUser) => current().follows.follow(a.id, b.id, 'anyone');

  it('come from the policy of the followed user, or else from the usual one', async () => {
    const [ann, bob, cid] = await trio();
    const { follows } = current();
    expect([await follows.policy(bob.id), await follows.policy(ann.id), await follows.policy(uuid())]).toEqual([
      'approve',
      null,
      null,
    ]);
    expect(await follows.follow(ann.id, bob.id, 'nobody')).toBe('requested');
    expect(await follows.follow(ann.id, bob.id, 'nobody')).toBe('requested');
    expect(await follows.follow(bob.id, ann.id, 'nobody')).toBe('refused');
    expect(await follows.follow(cid.id, ann.id, 'approve')).toBe('requested');
    expect(await follows.follow(bob.id, ann.id, 'anyone')).toBe('followed');
    expect(await follows.follow(bob.id, ann.id, 'nobody')).toBe('exists');
    expect(await between(ann, bob)).toEqual({ follows: [false, true], requests: [true, false] });
    expect(await names({ kind: 'requests', of: ann.id })).toEqual(['Cid']);
  });

  it('stay when the policy changes, until they are repeated', async () => {
    const [ann, bob, cid] = await trio();
    for (const user of [ann, cid]) await follow(user, bob);
    await current().follows.setPolicy(bob.id, 'nobody');
    expect(await follow(ann, bob)).toBe('refused');
    expect(await names({ kind: 'requests', of: bob.id })).toEqual(expect.arrayContaining(['Ann', 'Cid']));
    await current().follows.setPolicy(bob.id, null);
    expect(await follow(ann, bob)).toBe('followed');
    expect(await names({ kind: 'requests', of: bob.id })).toEqual(['Cid']);
    await current().follows.setPolicy(bob.id, 'nobody');
    expect(await between(ann, bob)).toEqual({ follows: [true, false], requests: [false, false] });
    await current().follows.setPolicy(uuid(), 'nobody');
  });

  it('are accepted, declined or withdrawn once', async () => {
    const [ann, bob, cid] = await trio();
    const { follows } = current();
    expect(await follows.accept(ann.id, bob.id)).toBe(false);
    for (const user of [ann, cid]) await follow(user, bob);
    expect(await follows.accept(bob.id, ann.id)).toBe(false);
    expect([await follows.accept(ann.id, bob.id), await follows.accept(ann.id, bob.id)]).toEqual([true, false]);
    expect([await follows.decline(ann.id, bob.id), await follows.decline(cid.id, bob.id)]).toEqual([false, true]);
    expect(await follows.decline(cid.id, bob.id)).toBe(false);
    expect(await between(ann, bob)).toEqual({ follows: [true, false], requests: [false, false] });
    expect(await between(cid, bob)).toEqual(NOTHING);
    await follow(cid, bob);
    expect(await follows.remove(cid.id, bob.id)).toBe(false);
    expect([await follows.unfollow(cid.id, bob.id), await follows.unfollow(cid.id, bob.id)]).toEqual(['request', null]);
    expect([await follows.unfollow(ann.id, bob.id), await follows.unfollow(ann.id, bob.id)]).toEqual([
      'relation',
      null,
    ]);
    expect(await between(ann, bob)).toEqual(NOTHING);
  });

  it('end when an administrator adds the relation', async () => {
    const [ann, bob] = await trio();
    await follow(ann, bob);
    expect([await current().follows.add(ann.id, bob.id), await current().follows.add(ann.id, bob.id)]).toEqual([
      true,
      false,
    ]);
    expect(await between(ann, bob)).toEqual({ follows: [true, false], requests: [false, false] });
  });

  it('need two existing users, and end with either of them', async () => {
    const [ann, bob, cid] = await trio();
    for (const pair of [
      [ann.id, uuid()],
      [uuid(), bob.id],
      [uuid(), ann.id],
    ] as const) {
      await expect(current().follows.follow(...pair, 'anyone')).rejects.toMatchObject({ code: 'user.not_found' });
    }
    for (const user of [ann, cid]) await follow(user, bob);
    await current().users.remove(ann.id);
    expect(await names({ kind: 'requests', of: bob.id })).toEqual(['Cid']);
    await current().users.remove(bob.id);
    await finishRemovals(current(), 100);
    expect(await current().users.add(bob)).toBe(true);
    expect(await current().follows.policy(bob.id)).toBeNull();
    expect(await names({ kind: 'requests', of: bob.id })).toEqual([]);
  });

  it('have one outcome, however many calls concern them at once', async () => {
    const [ann, bob] = await trio();
    for (let round = 0; round < 10; round++) {
      await follow(ann, bob);
      const { follows } = current();
      const [accepted, withdrawn, declined, repeated] = await Promise.all([
        follows.accept(ann.id, bob.id),
        follows.unfollow(ann.id, bob.id),
        follows.decline(ann.id, bob.id),
        follow(ann, bob),
      ]);
      const after = await between(ann, bob);
      // Never both, regardless of the order.
      expect(after.follows[0] && after.requests[0]).toBe(false);
      expect(accepted || withdrawn !== null || declined).toBe(true);
      expect(['requested', 'exists']).toContain(repeated);
      await current().follows.unfollow(ann.id, bob.id);
      expect(await between(ann, bob)).toEqual(NOTHING);
    }
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => follow(bob, ann)));
    expect(outcomes.filter((outcome) => outcome === 'followed')).toHaveLength(1);
  });
}

export function blocksContract(current: () => Storage): void {
  const { names, between, trio } = createFriends(current);
  const follow = (a: NewUser, b: NewUser) => current().follows.follow(a.id, b.id, 'anyone');
  const block = async (a: NewUser, b: NewUser) => (await current().blocks.add(a.id, b.id)).outcome;

  it('end relations and requests in both directions, and begin none until they end', async () => {
    const [ann, bob, cid] = await trio();
    await follow(ann, bob);
    await follow(bob, ann);
    await follow(cid, bob);
    await follow(bob, cid);
    expect([await block(bob, ann), await block(bob, ann)]).toEqual(['added', 'exists']);
    expect(await between(ann, bob)).toEqual(NOTHING);
    expect(await between(bob, cid)).toEqual({ follows: [true, false], requests: [false, true] });
    expect([await follow(ann, bob), await follow(bob, ann)]).toEqual(['blocked', 'blocking']);
    expect(await block(ann, bob)).toBe('blocked');
    expect(await current().blocks.remove(ann.id, bob.id)).toBe(false);
    expect(await between(ann, bob)).toEqual(NOTHING);
    expect([await current().blocks.remove(bob.id, ann.id), await current().blocks.remove(bob.id, ann.id)]).toEqual([
      true,
      false,
    ]);
    expect([await follow(ann, bob), await follow(bob, ann)]).toEqual(['requested', 'followed']);
  });

  it('name those who no longer follow the other one', async () => {
    const [ann, bob, cid] = await trio();
    await current().follows.add(bob.id, ann.id);
    await current().follows.add(ann.id, bob.id);
    await current().follows.add(ann.id, cid.id);
    await follow(cid, bob);
    const { blocks } = current();
    expect(await blocks.add(bob.id, ann.id)).toEqual({ outcome: 'added', parted: [ann.id, bob.id].toSorted() });
    expect(await blocks.add(bob.id, ann.id)).toEqual({ outcome: 'exists', parted: [] });
    expect(await blocks.add(ann.id, bob.id)).toEqual({ outcome: 'blocked', parted: [] });
    expect(await blocks.add(bob.id, cid.id)).toEqual({ outcome: 'added', parted: [] });
    expect(await blocks.add(cid.id, ann.id)).toEqual({ outcome: 'added', parted: [ann.id] });
  });

  it('do not bind administrators, whose relations end with the next block', async () => {
    const [ann, bob] = await trio();
    await block(bob, ann);
    expect(await current().follows.add(ann.id, bob.id)).toBe(true);
    expect((await between(ann, bob)).follows).toEqual([true, false]);
    expect(await block(bob, ann)).toBe('exists');
    expect(await between(ann, bob)).toEqual(NOTHING);
  });

  it('leave the blocker out of what the blocked user can see, and out of nothing else', async () => {
    const [ann, bob, cid] = await trio();
    await current().follows.add(cid.id, bob.id);
    await current().follows.add(bob.id, cid.id);
    await current().follows.add(ann.id, cid.id);
    const dan = await addUser(current(), 'Dan', { id: uuid(NOW + 9) });
    await current().follows.setPolicy(dan.id, 'approve');
    await follow(bob, dan);
    await current().blocks.add(dan.id, bob.id);
    await block(bob, ann);
    const all = { kind: 'all' } as const;
    expect(await names(all)).toHaveLength(4);
    expect((await names(all, ann.id)).toSorted()).toEqual(['Ann', 'Cid', 'Dan']);
    expect((await names(all, bob.id)).toSorted()).toEqual(['Ann', 'Bob', 'Cid']);
    expect((await names(all, cid.id)).toSorted()).toEqual(['Ann', 'Bob', 'Cid', 'Dan']);
    expect(await names({ kind: 'followers', of: cid.id }, ann.id)).toEqual(['Ann']);
    expect(await names({ kind: 'following', of: cid.id }, ann.id)).toEqual([]);
    expect((await names({ kind: 'followers', of: cid.id }, dan.id)).toSorted()).toEqual(['Ann', 'Bob']);
    expect(await names({ kind: 'blocked', of: bob.id }, bob.id)).toEqual(['Ann']);
    expect(await names({ kind: 'blocked', of: bob.id }, ann.id)).toEqual(['Ann']);
    expect(await names({ kind: 'blocked', of: ann.id })).toEqual([]);
    const { users } = current();
    expect([await users.view('bob', ann.id), await users.view('bob', cid.id)]).toMatchObject([null, { name: 'Bob' }]);
    expect([await users.view('ann', bob.id), await users.view('bob', null)]).toMatchObject([
      { name: 'Ann' },
      { name: 'Bob' },
    ]);
    const keys = ['ann', 'bob', 'nobody'];
    const lookUp = async (viewer: string | null) => (await users.lookUp({ keys, viewer })).map(({ key }) => key);
    expect([await lookUp(ann.id), await lookUp(cid.id), await lookUp(null)]).toEqual([
      ['ann'],
      ['ann', 'bob'],
      ['ann', 'bob'],
    ]);
    expect([...(await users.identify(keys, ann.id)).keys()]).toEqual(['ann']);
    expect([...(await users.identify(keys, cid.id)).keys()].toSorted()).toEqual(['ann', 'bob']);
    expect([...(await users.identify(keys, null)).keys()].toSorted()).toEqual(['ann', 'bob']);
    const named = newUser('Bob');
    const alike = newUser('Böb', { skeleton: 'bob', isPlain: false });
    for (const name of [named, alike]) {
      expect([await users.isTaken(name, ann.id, NOW), await users.isTaken(name, cid.id, NOW)]).toEqual([false, true]);
      expect(await users.isTaken(name, null, NOW)).toBe(true);
    }
  });

  it('do not hide anybody from viewers who see everything', async () => {
    const [ann, bob] = await trio();
    await block(bob, ann);
    const profileScope = { viewer: ann.id, everything: true, asFriend: false };
    const whole = { userSet: { kind: 'all' }, profileScope, without: '', where: null } as const;
    expect(await current().users.count(whole)).toBe(3);
    expect(await current().users.list({ ...whole, order: [], after: null, skip: 0, limit: 9 })).toHaveLength(3);
  });

  it('leave the blocker out of groups and aggregates too', async () => {
    const [ann, bob] = await trio();
    await block(bob, ann);
    const counted = async (viewer: string) =>
      current().users.summarize({
        userSet: { kind: 'all' },
        profileScope: { viewer, everything: false, asFriend: false },
        without: '',
        where: null,
        groupBy: [],
        aggregates: [{ kind: 'aggregate', name: 'count', path: null, as: 'n' }],
        order: [],
        skip: 0,
        limit: 10,
      });
    expect([await counted(ann.id), await counted(bob.id)]).toEqual([[[2]], [[3]]]);
  });

  it('need two existing users, and end with either of them', async () => {
    const [ann, bob, cid] = await trio();
    for (const pair of [
      [ann.id, uuid()],
      [uuid(), ann.id],
    ] as const) {
      await expect(current().blocks.add(...pair)).rejects.toMatchObject({ code: 'user.not_found' });
    }
    await block(bob, ann);
    await block(bob, cid);
    await block(cid, ann);
    await current().users.remove(ann.id);
    expect(await names({ kind: 'blocked', of: bob.id })).toEqual(['Cid']);
    expect(await names({ kind: 'blocked', of: cid.id })).toEqual([]);
    await current().users.remove(bob.id);
    await finishRemovals(current(), 100);
    expect(await current().users.add(bob)).toBe(true);
    expect(await names({ kind: 'blocked', of: bob.id })).toEqual([]);
  });

  it('never leave a relation or a request behind, whatever happens at the same time', async () => {
    const [ann, bob] = await trio();
    for (let round = 0; round < 10; round++) {
      await follow(ann, bob);
      const calls: Array<() => Promise<unknown>> = [
        () => current().follows.accept(ann.id, bob.id),
        () => follow(bob, ann),
        () => block(bob, ann),
        () => follow(ann, bob),
        () => follow(bob, ann),
        () => block(ann, bob),
      ];
      const from = round % calls.length;
      const outcomes = await Promise.all([...calls.slice(from), ...calls.slice(0, from)].map((call) => call()));
      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1);
      expect(await between(ann, bob)).toEqual(NOTHING);
      await current().blocks.remove(ann.id, bob.id);
      await current().blocks.remove(bob.id, ann.id);
    }
  });
}
