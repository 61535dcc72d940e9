import {
  type NewUser,
  rolePrincipal,
  type Storage,
  userPrincipal,
  type VisibilityMark,
  type VisibilityWanted,
} from '@baobab/core';
import { expect, it } from 'vitest';
import { now } from './feed-reading.ts';
import { addUser, NOW, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

export function visibilityMarksContract(current: () => Storage): void {
  const ann: VisibilityMark = { audience: userPrincipal('a'), collection: null, reason: 'follow' };
  const editors: VisibilityMark = { audience: rolePrincipal('editors'), collection: 'books', reason: 'rules' };
  const everybody: VisibilityMark = { audience: '*', collection: 'books', reason: 'collection' };

  const mark = (wanted: VisibilityMark, at = NOW) => current().changes.markVisibility([wanted], at);
  const horizon = async () => (await now(current())).position;
  const find = (wanted: Partial<VisibilityWanted>) =>
    current().changes.visibilityChange({ since: 0, audiences: [], collections: null, ...wanted });

  it('can be recorded in any order by transactions at the same time', async () => {
    let attempts = 0;
    const rounds = Array.from({ length: 10 }, (_, round) => round);
    const markAll = (marks: readonly VisibilityMark[]) =>
      current().transaction(({ changes }) => {
        attempts++;
        return changes.markVisibility(marks, NOW);
      });
    const some = rounds.map((n): VisibilityMark => ({ ...ann, audience: userPrincipal(`${n}`) }));
    for (const _round of rounds) await Promise.all([markAll(some), markAll(some.toReversed())]);
    expect(attempts).toBe(2 * rounds.length);
    for (const { audience } of some) expect(await find({ audiences: [audience] })).toMatchObject({ audience });
  });

  it('concern their audiences', async () => {
    await mark(ann);
    await mark(everybody);
    expect(await find({ audiences: [ann.audience] })).toMatchObject(ann);
    expect(await find({ audiences: ['u:b', '*'] })).toMatchObject(everybody);
    expect(await find({ audiences: ['u:b'] })).toBeNull();
    expect(await find({ audiences: [] })).toBeNull();
  });

  it('concern readers of their collection, or of all', async () => {
    await mark(editors);
    const audiences = [editors.audience];
    expect(await find({ audiences })).toMatchObject(editors);
    expect(await find({ audiences, collections: ['films', 'books'] })).toMatchObject(editors);
    expect(await find({ audiences, collections: ['films'] })).toBeNull();
    await mark(ann);
    expect(await find({ audiences: [ann.audience], collections: ['films'] })).toMatchObject(ann);
  });

  it('count from their last time on, and the first one is found', async () => {
    await mark(ann);
    const later = await horizon();
    const audiences = [ann.audience, everybody.audience];
    expect(await find({ audiences, since: later })).toBeNull();
    await mark(everybody);
    const [first, last] = [await find({ audiences }), await find({ audiences, since: later })];
    expect(first).toMatchObject(ann);
    expect(last).toMatchObject(everybody);
    expect(last?.position).toBeGreaterThan(first?.position ?? Number.POSITIVE_INFINITY);
    await mark(ann);
    expect(await find({ audiences })).toEqual(last);
    expect(await find({ audiences: [ann.audience], since: later })).toMatchObject(ann);
  });

  it('come before one about follows at the same position', async () => {
    const { audience } = ann;
    let since = 0;
    for (const reason of ['role', 'group', 'rules', 'setting', 'collection'] as const) {
      await current().transaction(async ({ changes }) => {
        await changes.markVisibility([ann], NOW);
        await changes.markVisibility([{ audience, collection: null, reason }], NOW);
      });
      const found = await find({ since, audiences: [audience] });
      expect(found).toMatchObject({ reason });
      since = (found?.position ?? 0) + 1;
    }
  });

  it('disappear with their transaction', async () => {
    const failing = current().transaction(async ({ changes }) => {
      await changes.markVisibility([ann], NOW);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await find({ audiences: [ann.audience] })).toBeNull();
    await current().transaction(({ changes }) => changes.markVisibility([ann], NOW));
    expect(await find({ audiences: [ann.audience] })).toMatchObject(ann);
  });

  it('are forgotten with the time', async () => {
    await mark(ann, NOW);
    await mark(everybody, NOW + 1_000);
    const { position = 0 } = (await find({ audiences: [ann.audience] })) ?? {};
    expect(await current().changes.removeBefore(NOW + 1_000, 10)).toBe(1);
    expect(await find({ audiences: [ann.audience] })).toBeNull();
    expect(await find({ audiences: ['*'] })).toMatchObject(everybody);
    expect((await current().changes.state()).oldest).toBe(position + 1);
  });

  it('follow a role to its new name', async () => {
    await current().roles.add({ name: 'Editors', description: '' });
    await mark(editors);
    await current().roles.update('editors', { name: 'Authors', description: '' });
    expect(await find({ audiences: [editors.audience] })).toBeNull();
    expect(await find({ audiences: [rolePrincipal('Authors')] })).toMatchObject({ reason: 'rules' });
  });

  it('come from stores that change the rights of any number of users, for those users', async () => {
    await current().roles.add({ name: 'Editors', description: '' });
    const users: NewUser[] = [];
    for (const name of ['Ann', 'Bob', 'Cid', 'Dan']) {
      const role = name === 'Dan' ? 'registereduser' : 'Editors';
      users.push(await addUser(current(), name, { role }));
    }
    const [anna, bob, cid, dan] = users.map(({ id }) => id) as [string, string, string, string];
    const group = { id: uuid(), name: 'Friends', created: NOW };
    await current().groups.add(group, bob);
    await current().groups.setRole(group.id, dan, 'member', { joined: NOW + 1, counted: false });
    for (const follower of [dan, anna]) await current().follows.add(follower, bob);
    await current().follows.add(bob, cid);

    let since = 0;
    const marked = async (work: () => Promise<unknown>) => {
      await work();
      const found: string[] = [];
      let last = since - 1;
      for (const { id, name } of users) {
        const change = await find({ since, audiences: [userPrincipal(id)], collections: [] });
        if (change !== null) found.push(`${name}: ${change.reason}`);
        last = change?.position ?? last;
      }
      since = last + 1;
      return found;
    };
    const { groups, roles } = current();
    const removeUser = async (id: string) => {
      await current().users.remove(id);
      await finishRemovals(current(), 100);
    };
    expect(await marked(() => groups.remove(uuid()))).toEqual([]);
    expect(await marked(() => groups.remove(group.id))).toEqual(['Bob: group', 'Dan: group']);
    expect(await marked(() => groups.remove(group.id))).toEqual([]);
    expect(await marked(() => roles.update('editors', { name: 'Authors', description: '' }))).toEqual([]);
    expect(await marked(() => roles.remove('editors'))).toEqual([]);
    expect(await marked(() => roles.remove('authors'))).toEqual(['Ann: role', 'Bob: role', 'Cid: role']);
    expect(await marked(() => removeUser(bob))).toEqual(['Ann: follow', 'Dan: follow']);
    expect(await marked(() => removeUser(cid))).toEqual([]);
  });

  it('count again when they are repeated', async () => {
    await current().roles.add({ name: 'Editors', description: '' });
    const { id } = await addUser(current(), 'Ann', { role: 'Editors' });
    const audiences = [userPrincipal(id)];
    await mark({ audience: userPrincipal(id), collection: null, reason: 'role' });
    const { position = 0 } = (await find({ audiences })) ?? {};
    expect(await find({ since: position + 1, audiences })).toBeNull();
    await current().roles.remove('editors');
    expect(await find({ since: position + 1, audiences })).toMatchObject({ reason: 'role' });
  });
}
