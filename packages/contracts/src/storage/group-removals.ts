import { type Grant, groupPrincipal, type NewDocument, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { addressOf, createFeedCase } from './feed-case.ts';
import { now, readEntries } from './feed-reading.ts';
import { accessScopeOfUser, EVERYTHING, NOW, newFile, newSession, uuid } from './fixtures.ts';
import { finishRemovals, maintain } from './maintenance.ts';

const PART = 5;

/** Tests the removal of a group, whose grants are removed in parts. */
export function groupRemovalsContract(current: () => Storage): void {
  const feed = createFeedCase(current);
  const groups = () => current().groups;
  let [id, kept] = ['', ''];
  let documents: NewDocument[];
  let files: Array<ReturnType<typeof newFile>>;
  const readBy = (group: string): Grant => ({ principal: groupPrincipal(group), rights: RIGHTS.read });

  async function addGroup(name: string): Promise<string> {
    const added = uuid();
    await groups().add({ id: added, name, created: NOW }, feed.bob);
    return added;
  }

  beforeEach(async () => {
    [id, kept] = [await addGroup('Friends'), await addGroup('Others')];
    [documents, files] = [[], []];
    const grants = [readBy(id), readBy(kept)];
    for (let i = 0; i < 12; i++) {
      documents.push(await feed.write({ collection: i % 2 === 0 ? feed.books : feed.films, grants }));
    }
    for (let i = 0; i < 7; i++) {
      const file = newFile(feed.ann, { grants });
      files.push(file);
      await current().files.add(file);
    }
  });

  const finish = () => finishRemovals(current(), PART);

  /** Returns the groups that have grants on any object, as seen by clients. */
  async function granted(): Promise<string[]> {
    const lists = [
      ...(await Promise.all(documents.map((document) => current().documents.grantsOn(document.id)))),
      ...(await Promise.all(files.map((file) => current().files.grantsOn(file.id)))),
    ];
    return Array.from(new Set(lists.map((grants) => grants.map(({ name }) => name).join(' '))));
  }

  /** Returns the number of documents and files readable with a stale group principal, that is, the remaining rows. */
  async function readableAs(group: string): Promise<number> {
    const scope = { ...accessScopeOfUser(feed.eve), owner: null, principals: [groupPrincipal(group)] };
    const counts = [feed.books, feed.films].map((collection) => current().documents.count(collection, scope, null));
    const readable = await Promise.all([...counts, current().files.count({ scope, where: null })]);
    return readable.reduce<number>((sum, n) => sum + (n ?? 0), 0);
  }

  it('at once leaves nobody in the group, and no grant to it in any list', async () => {
    const session = newSession(feed.bob);
    await current().sessions.add(session);
    expect(await granted()).toEqual([[id, kept].toSorted().join(' ')]);
    expect(await groups().remove(id)).toBe(true);
    const found = await current().sessions.find(session.id);
    expect(found?.user.groups).toEqual([kept]);
    expect((await current().users.credentials('bob'))?.groups).toEqual([kept]);
    expect([await groups().find(id, feed.bob), await groups().size(id), await groups().lock(id)]).toEqual([
      null,
      0,
      false,
    ]);
    expect((await groups().ofUser(feed.bob, 10)).map((group) => group.id)).toEqual([kept]);
    expect((await groups().list({ after: null, skip: 0, limit: 10 })).map((group) => group.id)).toEqual([kept]);
    expect([await groups().rename(id, 'Again'), await groups().remove(id)]).toEqual([false, false]);
    expect(await granted()).toEqual([kept]);
  });

  it('lets nobody grant anything to the group while parts are left', async () => {
    const [document, file] = [await feed.write(), newFile(feed.ann)];
    await current().files.add(file);
    await groups().remove(id);
    const missing = { code: 'group.not_found' };
    const { documents, files } = current();
    await expect(documents.grant(addressOf(document), EVERYTHING, readBy(id))).rejects.toMatchObject(missing);
    await expect(files.grant(file.id, EVERYTHING, readBy(id))).rejects.toMatchObject(missing);
    const unknown = { code: 'grant.group_unknown' };
    await expect(documents.setGrants(addressOf(document), EVERYTHING, [readBy(id)])).rejects.toMatchObject(unknown);
  });

  it('removes the grants in small parts, and none to others', async () => {
    await groups().remove(id);
    let left = await readableAs(id);
    while (await maintain(current(), PART)) {
      const still = await readableAs(id);
      expect(left - still).toBeLessThanOrEqual(PART);
      left = still;
    }
    expect([left, await readableAs(kept), await finish()]).toEqual([0, 19, 0]);
    expect(await granted()).toEqual([kept]);
  });

  it('gives a new group of the same name nothing', async () => {
    await groups().remove(id);
    const again = await addGroup('Friends');
    expect(await readableAs(again)).toBe(0);
    await feed.write({ grants: [readBy(again)] });
    await finish();
    expect([await readableAs(again), await readableAs(id)]).toEqual([1, 0]);
  });

  it('can be done by several nodes at once, while grants and documents change', async () => {
    await groups().remove(id);
    const change = async () => {
      for (const [i, document] of documents.entries()) {
        if (i % 2 === 0) await feed.remove(document);
        else await current().documents.setGrants(addressOf(document), EVERYTHING, [readBy(kept)]);
      }
    };
    await Promise.all([finish(), finish(), change(), finish()]);
    expect([await readableAs(id), await readableAs(kept)]).toEqual([0, 13]);
  });

  it('also removes the grants to a group that goes with its last member', async () => {
    await current().users.remove(feed.bob);
    expect(await granted()).toEqual(['']);
    await finish();
    expect([await readableAs(id), await readableAs(kept)]).toEqual([0, 0]);
  });

  it('marks the visibility of the members when it begins, and tells the feed nothing more', async () => {
    await groups().remove(id);
    const wanted = { since: 0, audiences: [userPrincipal(feed.bob)], collections: null };
    expect(await current().changes.visibilityChange(wanted)).toMatchObject({ reason: 'group' });
    const before = await now(current());
    await finish();
    expect(await readEntries(current(), before)).toEqual([]);
  });

  it('removes no part of a group that is there', async () => {
    expect([await finish(), await readableAs(id)]).toEqual([0, 19]);
  });

  it('is undone with its transaction', async () => {
    const failed = current().transaction(async (stores) => {
      await stores.groups.remove(id);
      throw new Error('undo');
    });
    await expect(failed).rejects.toThrow('undo');
    expect([await finish(), await readableAs(id)]).toEqual([0, 19]);
    expect(await groups().find(id, feed.bob)).toMatchObject({ role: 'owner' });
  });
}
