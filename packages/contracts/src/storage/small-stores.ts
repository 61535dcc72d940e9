import type { Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import {
  accessScopeOfUser,
  addCollection,
  addUser,
  behind,
  EVERYTHING,
  NOW,
  newDocument,
  newFile,
  newSession,
  UNSORTED,
  uuid,
} from './fixtures.ts';

export function rolesContract(current: () => Storage): void {
  it('include the built-in ones from the start, which cannot be changed', async () => {
    const names = ['administrator', 'anonymous', 'BackOffice', 'registereduser'];
    expect((await current().roles.list()).map(({ name, builtIn }) => [name, builtIn])).toEqual(
      names.map((name) => [name, true]),
    );
    for (const name of names) {
      const key = name.toLowerCase();
      expect(await current().roles.findByKey(key)).toMatchObject({ name });
      expect(await current().roles.add({ name, description: '' })).toBe(false);
      expect(await current().roles.update(key, { name: 'x', description: '' })).toBeNull();
      expect(await current().roles.remove(key)).toBe(false);
    }
    expect(await current().roles.findByKey('BackOffice')).toBeNull();
    expect(await current().roles.findByKey('nothing')).toBeNull();
  });

  it('are added once, whatever the case', async () => {
    const names = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'Editors' : 'EDITORS'));
    const results = await Promise.all(names.map((name) => current().roles.add({ name, description: 'Edit' })));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await current().roles.findByKey('editors')).toMatchObject({ description: 'Edit', builtIn: false });
  });

  it('keep their users and grants under a new name', async () => {
    await current().roles.add({ name: 'Editors', description: 'Edit' });
    await current().roles.add({ name: 'Taken', description: '' });
    const user = await addUser(current(), 'Ann', { role: 'Editors' });
    const author = await addUser(current(), 'Bob');
    const collection = await addCollection(current(), 'books');
    const document = newDocument(author.id, collection, { grants: [{ principal: 'r:editors', rights: 1 }] });
    await current().documents.add(document);
    expect(await current().roles.update('editors', { name: 'TAKEN', description: '' })).toBe(false);
    expect(await current().roles.update('editors', { name: 'Writers', description: 'Write' })).toBe(true);
    expect(await current().roles.update('editors', { name: 'Writers', description: 'Write' })).toBeNull();
    expect(await current().roles.findByKey('writers')).toEqual({
      name: 'Writers',
      description: 'Write',
      builtIn: false,
    });
    expect((await current().users.find(user.id))?.role).toBe('Writers');
    expect(await current().roles.update('writers', { name: 'WRITERS', description: 'Write' })).toBe(true);
    expect((await current().users.find(user.id))?.role).toBe('WRITERS');
    const rights = async (role: string) =>
      (await current().documents.find({ collection, id: document.id }, accessScopeOfUser(user.id, role)))?.rights;
    expect(await rights('writers')).toBe(1);
    expect(await rights('editors')).toBe(0);
  });

  it('receive no grants that are left of a former role with their name', async () => {
    const { documents, files, roles } = current();
    const [ann, collection] = [await addUser(current(), 'Ann'), await addCollection(current(), 'books')];
    const grants = ['ghost', 'spirit'].map((key) => ({ principal: `r:${key}`, rights: 1 }));
    const [document, file] = [newDocument(ann.id, collection, { grants }), newFile(ann.id, { grants })];
    await documents.add(document);
    await files.add(file);
    await roles.add({ name: 'Ghost', description: '' });
    await roles.add({ name: 'Soul', description: '' });
    await documents.grant({ collection, id: document.id }, EVERYTHING, { principal: 'r:soul', rights: 2 });
    expect(await roles.update('soul', { name: 'Spirit', description: '' })).toBe(true);
    expect(await documents.grantsOn(document.id)).toEqual([{ kind: 'role', name: 'Spirit', rights: 2 }]);
    expect(await files.grantsOn(file.id)).toEqual([]);
    for (const role of ['ghost', 'spirit']) {
      const scope = accessScopeOfUser(uuid(), role);
      expect(await documents.count(collection, scope, null)).toBe(0);
      expect((await files.find(file.id, scope))?.rights).toBe(0);
    }
  });

  it('leave their users with `registereduser` when removed, and lose their grants', async () => {
    await current().roles.add({ name: 'Editors', description: '' });
    const user = await addUser(current(), 'Ann', { role: 'Editors' });
    const author = await addUser(current(), 'Bob');
    const collection = await addCollection(current(), 'books');
    const document = newDocument(author.id, collection, { grants: [{ principal: 'r:editors', rights: 1 }] });
    await current().documents.add(document);
    expect(await current().roles.remove('editors')).toBe(true);
    expect(await current().roles.remove('editors')).toBe(false);
    expect((await current().users.find(user.id))?.role).toBe('registereduser');
    await current().roles.add({ name: 'Editors', description: '' });
    expect(await current().documents.count(collection, accessScopeOfUser(user.id, 'editors'), null)).toBe(0);
  });
}

export function followsContract(current: () => Storage): void {
  it('are added once and removed once', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    expect(await current().follows.remove(ann.id, bob.id)).toBe(false);
    const results = await Promise.all(Array.from({ length: 50 }, () => current().follows.add(ann.id, bob.id)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await current().follows.remove(bob.id, ann.id)).toBe(false);
    expect(await current().follows.remove(ann.id, bob.id)).toBe(true);
    expect(await current().follows.remove(ann.id, bob.id)).toBe(false);
  });

  it('name whom a user follows, as many as asked for', async () => {
    const [ann, bob, cid] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Cid'),
    ];
    for (const followed of [bob, cid]) await current().follows.add(ann.id, followed.id);
    await current().follows.add(bob.id, ann.id);
    expect((await current().follows.followedBy(ann.id, 10)).toSorted()).toEqual([bob.id, cid.id].toSorted());
    expect(await current().follows.followedBy(ann.id, 1)).toHaveLength(1);
    expect(await current().follows.followedBy(cid.id, 10)).toEqual([]);
  });

  it('need two existing users', async () => {
    const ann = await addUser(current(), 'Ann');
    await expect(current().follows.add(ann.id, uuid())).rejects.toMatchObject({ code: 'user.not_found' });
    await expect(current().follows.add(uuid(), ann.id)).rejects.toMatchObject({ code: 'user.not_found' });
  });

  it('let followers read documents of followed users, where the access scope says so', async () => {
    const collection = await addCollection(current(), 'books');
    const other = await addCollection(current(), 'films');
    const people = [];
    for (const name of ['Ann', 'Bob', 'Cid', 'Dan']) people.push(await addUser(current(), name));
    const [ann, bob, cid, dan] = people.map(({ id }) => id) as [string, string, string, string];
    for (const followed of [bob, cid]) await current().follows.add(ann, followed);
    await current().follows.add(dan, ann);
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) {
      const author = [bob, cid, dan, ann, bob, bob][i % 6] as string;
      const document = newDocument(author, collection, { id: uuid(NOW + i) });
      await current().documents.add(document);
      await current().documents.add(newDocument(author, other, { id: uuid(NOW + i) }));
      if (author !== dan) ids.push(document.id);
    }
    const scope = { ...accessScopeOfUser(ann), followed: true };
    const list = async (after: string | null, skip: number, limit: number) =>
      (await current().documents.list({ collection, scope, ...UNSORTED, after: behind(after), skip, limit }))?.map(
        ({ id }) => id,
      );
    expect(await list(null, 0, 100)).toEqual(ids);
    expect(await current().documents.count(collection, scope, null)).toBe(ids.length);
    const pages: string[] = [];
    while (pages.length < ids.length) pages.push(...((await list(pages.at(-1) ?? null, 0, 4)) ?? []));
    expect(pages).toEqual(ids);
    expect(await list(null, 7, 5)).toEqual(ids.slice(7, 12));
    expect(await list(ids[3] ?? null, 2, 1)).toEqual([ids[6]]);
    const bobs = ids[0] as string;
    expect(await current().documents.find({ collection, id: bobs }, scope)).toMatchObject({ rights: 1 });
    expect(await current().documents.find({ collection, id: bobs }, accessScopeOfUser(ann))).toMatchObject({
      rights: 0,
    });
    expect(await current().documents.remove({ collection, id: bobs }, scope)).toBe('denied');
    await current().follows.remove(ann, bob);
    expect(await current().documents.find({ collection, id: bobs }, scope)).toMatchObject({ rights: 0 });
    expect(await current().documents.count(collection, { ...accessScopeOfUser(dan), followed: true }, null)).toBe(10);
    expect(await current().documents.count(collection, EVERYTHING, null)).toBe(30);
  });
}

export function settingsContract(current: () => Storage): void {
  it('are returned as they were set last, by key', async () => {
    expect(await current().settings.all()).toEqual([]);
    const { settings } = current();
    expect(await settings.set({ key: 'b.c', value: 'é\n' })).toBeNull();
    expect(await settings.set({ key: 'a', value: '1' })).toBeNull();
    expect(await settings.set({ key: 'a', value: '' })).toBe('1');
    expect(await current().settings.all()).toEqual([
      { key: 'a', value: '' },
      { key: 'b.c', value: 'é\n' },
    ]);
  });

  it('are set one after the other, and each call resolves to the value that it replaced', async () => {
    const values = Array.from({ length: 20 }, (_, n) => String(n));
    const before = await Promise.all(values.map((value) => current().settings.set({ key: 'a', value })));
    const [last] = await current().settings.all();
    expect([...before, last?.value].toSorted()).toEqual([...values, null].toSorted());
  });
}

export function resetTokensContract(current: () => Storage): void {
  it('are found until they expire', async () => {
    const ann = await addUser(current(), 'Ann');
    await current().resetTokens.put({ digest: 'd', userId: ann.id, expires: NOW + 10 });
    expect(await current().resetTokens.find('d', NOW + 9)).toBe(ann.id);
    expect(await current().resetTokens.find('d', NOW + 10)).toBeNull();
    expect(await current().resetTokens.consume('d', NOW + 10)).toBeNull();
    expect(await current().resetTokens.find('other', NOW)).toBeNull();
  });

  it('are replaced by the next one of the same user', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    for (const [digest, userId] of [
      ['a1', ann.id],
      ['b1', bob.id],
      ['a2', ann.id],
    ] as const) {
      await current().resetTokens.put({ digest, userId, expires: NOW + 10 });
    }
    expect(await current().resetTokens.find('a1', NOW)).toBeNull();
    expect(await current().resetTokens.find('a2', NOW)).toBe(ann.id);
    expect(await current().resetTokens.find('b1', NOW)).toBe(bob.id);
  });

  it('are consumed by exactly one of many', async () => {
    const ann = await addUser(current(), 'Ann');
    await current().resetTokens.put({ digest: 'd', userId: ann.id, expires: NOW + 10 });
    const results = await Promise.all(Array.from({ length: 50 }, () => current().resetTokens.consume('d', NOW)));
    expect(results.filter((id) => id !== null)).toEqual([ann.id]);
  });

  it('need an existing user', async () => {
    const token = { digest: 'd', userId: uuid(), expires: NOW };
    await expect(current().resetTokens.put(token)).rejects.toMatchObject({ code: 'user.not_found' });
  });

  it('are removed after they have expired', async () => {
    for (const [i, name] of ['Ann', 'Bob', 'Cid'].entries()) {
      const user = await addUser(current(), name);
      await current().resetTokens.put({ digest: name, userId: user.id, expires: NOW + i });
    }
    expect(await current().removeExpired(NOW + 1, 1)).toBe(1);
    expect(await current().removeExpired(NOW + 1, 10)).toBe(1);
    expect(await current().removeExpired(NOW + 1, 10)).toBe(0);
    expect(await current().resetTokens.find('Cid', NOW)).not.toBeNull();
  });
}

export function rateLimitsContract(current: () => Storage): void {
  const take = (key: string, now: number, times = 1000) => current().rateLimits.take(key, now, { times, window: 100 });

  it('count in windows, separately for each key', async () => {
    expect(await take('a', NOW)).toEqual({ taken: true, count: 1, ends: NOW + 100 });
    expect(await take('a', NOW + 99)).toEqual({ taken: true, count: 2, ends: NOW + 100 });
    expect(await take('b', NOW + 99)).toEqual({ taken: true, count: 1, ends: NOW + 199 });
    expect(await take('a', NOW + 100)).toEqual({ taken: true, count: 1, ends: NOW + 200 });
  });

  it('count up to the limit, until the window ends', async () => {
    for (const count of [1, 2]) expect(await take('a', NOW, 2)).toMatchObject({ taken: true, count });
    for (const _ of [1, 2]) expect(await take('a', NOW + 1, 2)).toEqual({ taken: false, count: 2, ends: NOW + 100 });
    await current().rateLimits.giveBack('a', NOW + 2);
    expect(await take('a', NOW + 3, 2)).toEqual({ taken: true, count: 2, ends: NOW + 100 });
    expect(await take('a', NOW + 3, 2)).toMatchObject({ taken: false });
    expect(await take('a', NOW + 100, 2)).toEqual({ taken: true, count: 1, ends: NOW + 200 });
  });

  it('count an amount beyond the limit, if the limit was not reached before', async () => {
    const limit = { times: 40_001, window: 100 };
    const takeMany = (now: number, amount: number) => current().rateLimits.take('a', now, limit, amount);
    expect(await takeMany(NOW, 40_000)).toEqual({ taken: true, count: 40_000, ends: NOW + 100 });
    expect(await takeMany(NOW + 1, 7)).toEqual({ taken: true, count: 40_007, ends: NOW + 100 });
    expect(await takeMany(NOW + 2, 1)).toEqual({ taken: false, count: 40_007, ends: NOW + 100 });
    expect(await takeMany(NOW + 100, 7)).toEqual({ taken: true, count: 7, ends: NOW + 200 });
  });

  it('give each of many concurrent calls a different count, and never exceed the limit', async () => {
    const windows = await Promise.all(Array.from({ length: 50 }, () => take('a', NOW, 30)));
    const counts = windows.flatMap(({ taken, count }) => (taken ? count : [])).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it('subtract, but not below zero, and not from a window that has ended', async () => {
    await current().rateLimits.giveBack('a', NOW);
    await take('a', NOW);
    for (let i = 0; i < 3; i++) await current().rateLimits.giveBack('a', NOW + 1);
    expect(await take('a', NOW + 2)).toEqual({ taken: true, count: 1, ends: NOW + 100 });
    await current().rateLimits.giveBack('a', NOW + 100);
    expect(await take('a', NOW + 3)).toMatchObject({ count: 2 });
  });

  it('are removed after they have ended', async () => {
    for (const [i, key] of ['a', 'b', 'c'].entries()) await take(key, NOW + i);
    expect(await current().removeExpired(NOW + 101, 1)).toBe(1);
    expect(await current().removeExpired(NOW + 101, 10)).toBe(1);
    expect(await take('c', NOW + 50)).toMatchObject({ count: 2 });
  });
}

export function sweepContract(current: () => Storage): void {
  it('removes unused sessions in batches', async () => {
    const ann = await addUser(current(), 'Ann');
    for (let i = 0; i < 5; i++) await current().sessions.add(newSession(ann.id, { lastUsed: NOW + i }));
    expect(await current().sessions.removeUnused(NOW + 3, 2)).toBe(2);
    expect(await current().sessions.removeUnused(NOW + 3, 10)).toBe(1);
    expect((await current().sessions.list(ann.id, 10)).map(({ lastUsed }) => lastUsed - NOW).sort()).toEqual([3, 4]);
  });

  it('removes all devices of one user', async () => {
    const [ann, bob] = [await addUser(current(), 'Ann'), await addUser(current(), 'Bob')];
    for (const [id, { id: userId }] of [
      ['a1', ann],
      ['a2', ann],
      ['b1', bob],
    ] as const) {
      await current().devices.register({ id, userId, os: 'ios', registered: NOW });
    }
    await current().devices.removeOfUser(ann.id, null);
    expect(await current().devices.list(ann.id)).toEqual([]);
    expect(await current().devices.list(bob.id)).toHaveLength(1);
  });
}
