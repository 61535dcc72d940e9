import { type NewUser, REMOVED_NAME, RIGHTS, type Storage, type UserSet, userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { createFeedCase } from './feed-case.ts';
import { now, readEntries } from './feed-reading.ts';
import {
  accessScopeOfUser,
  addUser,
  EVERYTHING,
  NOT_RESERVED,
  NOW,
  newDocument,
  newFile,
  newSession,
  newUser,
  UNSORTED,
  userName,
  uuid,
} from './fixtures.ts';
import { finishRemovals, maintain } from './maintenance.ts';

const SEES_ALL = { viewer: null, everything: true, asFriend: false } as const;
const PART = 5;
/** More parts than any of these users has. */
const MANY_PARTS = 100;

/** Tests the removal of a user, which a storage with `maintain` does in parts. */
export function userRemovalsContract(current: () => Storage): void {
  const feed = createFeedCase(current);
  const users = () => current().users;
  const inParts = () => current().maintain !== undefined;
  let ann: NewUser;
  beforeEach(async () => {
    ann = await addUser(current(), 'Anna', { role: 'BackOffice', created: NOW });
  });

  const idsIn = async (collection: string, scope = EVERYTHING) => {
    const list = { collection, scope, ...UNSORTED, after: null, skip: 0, limit: 1_000 };
    return ((await current().documents.list(list)) ?? []).map(({ id }) => id);
  };
  /** Returns the remaining documents. The totals must agree with the lists. */
  async function documentsLeft(): Promise<string[]> {
    const found: string[] = [];
    for (const collection of [feed.books, feed.films]) {
      const ids = await idsIn(collection);
      expect(await current().documents.count(collection, EVERYTHING, null)).toBe(ids.length);
      found.push(...ids);
    }
    return found;
  }
  const filesFor = async (scope = EVERYTHING) => {
    const list = { scope, ...UNSORTED, after: null, skip: 0, limit: 1_000 };
    return (await current().files.list(list)).map(({ id }) => id);
  };
  const namesIn = async (userSet: UserSet) => {
    const selection = { userSet, profileScope: SEES_ALL, without: '', where: null };
    const list = { ...selection, after: null, skip: 0, limit: 100 };
    const byId = (await users().list({ ...list, order: [] })).map(({ name }) => name);
    const byKey = await users().list({ ...list, order: [{ path: ['user', 'name'], descending: false }] });
    const where = { kind: 'not', condition: { kind: 'null', operand: { kind: 'path', path: ['id'] } } } as const;
    expect([byKey.length, await users().count(selection), await users().count({ ...selection, where })]).toEqual([
      byId.length,
      byId.length,
      byId.length,
    ]);
    return byId;
  };

  it('begins with hiding the user, whose name is free', async () => {
    const session = newSession(ann.id);
    await current().sessions.add(session);
    await current().devices.register({ id: 'phone', userId: ann.id, os: 'ios', registered: NOW });
    await current().follows.add(feed.bob, ann.id);
    await current().follows.add(ann.id, feed.bob);
    const document = await feed.write({ grants: [{ principal: userPrincipal(ann.id), rights: RIGHTS.read }] });
    const before = await current().statistics.measure({ activeSince: 0, createdSince: 0, without: '' });
    expect(await users().remove(ann.id)).toBe(true);
    for (const id of [ann.id, uuid()]) expect(await users().remove(id)).toBe(false);

    const { key, name } = ann;
    expect(await users().find(ann.id)).toBeNull();
    expect(await users().findByKey(key)).toBeNull();
    expect(await users().view(key, null)).toBeNull();
    expect(await users().lookUp({ keys: [key], viewer: null })).toEqual([]);
    expect(await users().identify([key], null)).toEqual(new Map());
    expect(await users().credentials(key)).toBeNull();
    expect(await users().isTaken(userName(name), null, NOW)).toBe(false);
    for (const change of [{}, { status: 'ACTIVE' }, { passwordHash: 'other' }] as const) {
      expect(await users().update(ann.id, change)).toBeNull();
    }
    expect(await users().rename(ann.id, userName('Annette'), NOT_RESERVED)).toBeNull();
    expect(await current().groups.lockUser(ann.id)).toBeNull();
    expect(await namesIn({ kind: 'all' })).toEqual(['Ann', 'Bob', 'Eve']);
    expect(await namesIn({ kind: 'following', of: feed.bob })).toEqual([]);
    expect(await namesIn({ kind: 'followers', of: feed.bob })).toEqual([]);
    expect(await current().documents.grantsOn(document.id)).toEqual([]);
    expect(await current().sessions.find(session.id)).toBeNull();
    expect(await current().devices.list(ann.id)).toEqual([]);
    expect(await users().absentGuests(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    const after = await current().statistics.measure({ activeSince: 0, createdSince: 0, without: '' });
    expect([after.users, after.days]).toEqual([
      before.users - 1,
      before.days.map((day) => ({ ...day, users: day.users - 1 })),
    ]);
    expect(await users().add(newUser(name))).toBe(true);
    expect((await users().findByKey(key))?.id).not.toBe(ann.id);
  });

  it('takes everything with which the user could come back, and passes groups on', async () => {
    const id = uuid();
    await current().groups.add({ id, name: 'Friends', created: NOW }, ann.id);
    await current().groups.setRole(id, feed.bob, 'member', { joined: NOW, counted: false });
    await current().factors.prepare(ann.id, 'sealed');
    await current().resetTokens.put({ digest: 'd', userId: ann.id, expires: NOW + 1 });
    const link = { network: 'google', personId: '1', sealed: '', details: '{}' };
    await current().socialLinks.put({ ...link, userId: ann.id });
    const passkey = { credential: 'c', publicKey: 'k', counter: 0, transports: [], name: 'Phone', created: NOW };
    await current().passkeys.add({ ...passkey, id: uuid(), userId: ann.id });
    await users().remove(ann.id);
    expect(await current().groups.members(id, { after: null, skip: 0, limit: 10 })).toEqual([
      { userId: feed.bob, name: 'Bob', role: 'owner' },
    ]);
    expect(await current().factors.find(ann.id)).toBeNull();
    expect(await current().resetTokens.find('d', NOW)).toBeNull();
    expect(await current().socialLinks.list(ann.id)).toEqual([]);
    expect(await current().passkeys.list(ann.id)).toEqual([]);
    if (!inParts()) return;
    // A login in progress finds a user who may no longer log in.
    const late = newSession(ann.id);
    await current().sessions.add(late);
    expect((await current().sessions.find(late.id))?.user.status).toBe('SUSPENDED');
  });

  it('leaves assets and push messages without the name of their author, sender and receiver', async () => {
    const { assets, devices, outbox } = current();
    await assets.add({ id: uuid(), name: 'logo', meta: '{}', authorId: ann.id, created: NOW, file: null });
    const message = { id: uuid(), senderId: ann.id, payload: '{}', created: NOW, expires: NOW + 1 };
    await devices.register({ id: 'phone', userId: ann.id, os: 'ios', registered: NOW });
    await outbox.add(message, { userIds: [ann.id], platforms: ['ios'] });
    await users().remove(ann.id);
    expect(await assets.find('logo')).toMatchObject({ author: null });
    expect(await outbox.recent({ after: null, limit: 1 })).toMatchObject([{ id: message.id, sender: null }]);
    for (const delivery of await outbox.list(message.id, { skip: 0, limit: 1 })) expect(delivery.username).toBeNull();
  });

  it('makes a guest nobody who stays away', async () => {
    const guest = await addUser(current(), 'Guest', { guest: true, passwordHash: null });
    expect(await users().absentGuests(NOW + 1, 10)).toEqual([guest.id]);
    await users().remove(guest.id);
    expect(await users().absentGuests(NOW + 1, 10)).toEqual([]);
    expect(await users().lockAbsentGuest(guest.id, NOW + 1)).toBe(false);
  });

  /** Adds relations with other users, in all directions. */
  async function relate(number: number): Promise<void> {
    for (let i = 0; i < number; i++) {
      const fan = await addUser(current(), `fan${i}`);
      await current().follows.add(fan.id, ann.id);
      await current().follows.add(ann.id, fan.id);
      await current().blocks.add(ann.id, fan.id);
    }
  }

  /** Finishes the removal, and checks that each part removes few documents. Resolves to the documents that are left. */
  async function removeInSmallParts(): Promise<string[]> {
    let left = await documentsLeft();
    let parts = 1;
    for (; await maintain(current(), PART); parts++) {
      const still = await documentsLeft();
      expect(left.length - still.length).toBeLessThanOrEqual(PART);
      left = still;
      expect(parts).toBeLessThan(MANY_PARTS);
    }
    if (inParts()) expect(parts).toBeGreaterThan(8);
    return left;
  }

  it('removes everything in small parts, and nothing of others', async () => {
    const toBob = { principal: userPrincipal(feed.bob), rights: RIGHTS.read } as const;
    const toAnn = { principal: userPrincipal(ann.id), rights: RIGHTS.all } as const;
    const hers: string[] = [];
    for (const collection of [feed.books, feed.films]) {
      for (let i = 0; i < 3; i++) hers.push((await feed.write({ authorId: ann.id, collection })).id);
      for (let i = 0; i < 3; i++) await feed.write({ authorId: ann.id, collection, grants: [toBob] });
    }
    const kept = await feed.write({ authorId: feed.bob, grants: [toAnn] });
    for (let i = 0; i < 7; i++) await current().files.add(newFile(ann.id, { grants: [toBob] }));
    const keptFile = newFile(feed.bob, { grants: [toAnn] });
    await current().files.add(keptFile);
    await relate(7);
    await users().remove(ann.id);
    const remaining = await current().documents.find({ collection: null, id: hers[0] ?? '' }, EVERYTHING);
    expect(remaining?.author).toBe(inParts() ? REMOVED_NAME : undefined);

    expect(await removeInSmallParts()).toEqual([kept.id]);
    expect(await maintain(current(), PART)).toBe(false);
    expect(await filesFor()).toEqual([keptFile.id]);
    expect(await users().remove(ann.id)).toBe(false);
    const scope = accessScopeOfUser(ann.id);
    expect(await current().documents.find({ collection: null, id: kept.id }, scope)).toMatchObject({ rights: 0 });
    expect(await current().files.find(keptFile.id, scope)).toMatchObject({ rights: 0 });
    expect(await idsIn(feed.books, accessScopeOfUser(feed.bob))).toEqual([kept.id]);
  });

  it('removes a document with all its grants at once, however many', async () => {
    const some = Array.from({ length: 3 * PART }, () => ({ principal: userPrincipal(uuid()), rights: RIGHTS.read }));
    for (let i = 0; i < 2; i++) await feed.write({ authorId: ann.id, grants: some });
    await users().remove(ann.id);
    const counts: number[] = [];
    while (await maintain(current(), PART)) counts.push((await idsIn(feed.books)).length);
    expect(counts).toEqual(inParts() ? [1, 0] : []);
  });

  it('tells each reader of the feed that each document is gone', async () => {
    await current().follows.add(feed.eve, ann.id);
    const toBob = { principal: userPrincipal(feed.bob), rights: RIGHTS.read } as const;
    const some = [];
    for (let i = 0; i < 11; i++) some.push(await feed.write({ authorId: ann.id, grants: i < 8 ? [toBob] : [] }));
    feed.before = await now(current());
    await users().remove(ann.id);
    await finishRemovals(current(), PART);
    const gone = some.map(({ id }) => `-${id}`).sort();
    expect((await feed.newsFor(EVERYTHING)).sort()).toEqual(gone);
    expect((await feed.newsFor(accessScopeOfUser(feed.eve), [feed.books])).sort()).toEqual(gone);
    expect((await feed.newsFor(accessScopeOfUser(feed.bob))).sort()).toEqual(gone.filter((_, i) => i < 8));
    expect(await feed.newsFor(accessScopeOfUser(feed.eve))).toEqual([]);
    const wanted = { since: feed.before.position, collections: null };
    const markFor = (id: string) => current().changes.visibilityChange({ ...wanted, audiences: [userPrincipal(id)] });
    expect(await markFor(feed.eve)).toMatchObject({ reason: 'follow' });
    expect(await markFor(feed.bob)).toBeNull();
    const entries = await readEntries(current(), feed.before);
    expect(entries.map(({ id, document }) => (document === null ? `-${id}` : `+${id}`)).sort()).toEqual(gone);
    // Several parts must have several places, so that other changes can come in between.
    if (inParts()) expect(new Set(entries.map(({ place }) => place.position)).size).toBeGreaterThan(1);
  });

  it('lets others write between two parts, and the user’s own late writes go too', async () => {
    if (!inParts()) return;
    for (let i = 0; i < 12; i++) await feed.write({ authorId: ann.id });
    await users().remove(ann.id);
    const kept: string[] = [];
    do {
      kept.push((await feed.write({ authorId: feed.bob })).id);
      if (kept.length < 3) await feed.write({ authorId: ann.id });
      if (kept.length === 1) await current().follows.add(feed.eve, ann.id);
    } while (await maintain(current(), PART));
    expect(kept.length).toBeGreaterThan(3);
    expect((await idsIn(feed.books)).sort()).toEqual(kept.sort());
    expect(await current().documents.count(feed.books, EVERYTHING, null)).toBe(kept.length);
    await expect(current().documents.add(newDocument(ann.id, feed.books))).rejects.toMatchObject({
      code: 'user.not_found',
    });
  });

  it('can be done by several nodes at once', async () => {
    const before = feed.before;
    const toBob = { principal: userPrincipal(feed.bob), rights: RIGHTS.read } as const;
    for (let i = 0; i < 15; i++) await feed.write({ authorId: ann.id, grants: [toBob] });
    const kept = await feed.write({ authorId: feed.bob });
    await users().remove(ann.id);
    await Promise.all(Array.from({ length: 3 }, () => finishRemovals(current(), PART)));
    expect(await idsIn(feed.books)).toEqual([kept.id]);
    feed.before = before;
    expect(await feed.newsFor(accessScopeOfUser(feed.bob))).toHaveLength(16);
  });

  it('removes no part of a user whose removal has not begun', async () => {
    const document = await feed.write({ authorId: ann.id });
    expect(await maintain(current(), PART)).toBe(false);
    expect(await idsIn(feed.books)).toEqual([document.id]);
    expect(await users().find(ann.id)).not.toBeNull();
  });

  it('removes a part of each user in one call', async () => {
    const others = [await addUser(current(), 'One'), await addUser(current(), 'Two')];
    for (const { id } of [...others, ann]) {
      await feed.write({ authorId: id });
      expect(await users().remove(id)).toBe(true);
    }
    expect(await maintain(current(), PART)).toBe(inParts());
    expect(await documentsLeft()).toEqual([]);
    expect(await maintain(current(), PART)).toBe(false);
  });
}
