import { type Grant, groupPrincipal, REMOVED_NAME, RIGHTS, type Storage, userPrincipal } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';
import { createFeedCase } from './feed-case.ts';
import { accessScopeOfUser, EVERYTHING, NOW, newFile, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const PART = 5;

/** Tests the removal of a user whose documents and files in groups stay. */
export function keptDocumentsContract(current: () => Storage): void {
  const feed = createFeedCase(current);
  const users = () => current().users;
  let [group, own] = ['', ''];

  const readBy = (principal: string): Grant => ({ principal, rights: RIGHTS.read });
  async function addGroup(name: string, owner: string): Promise<string> {
    const id = uuid();
    await current().groups.add({ id, name, created: NOW }, owner);
    return id;
  }

  beforeEach(async () => {
    [group, own] = [await addGroup('Family', feed.bob), await addGroup('Alone', feed.ann)];
  });

  const documentIn = async (id: string) =>
    (await current().documents.find({ collection: null, id }, EVERYTHING))?.author ?? null;
  const fileIn = async (id: string) => (await current().files.find(id, EVERYTHING))?.author ?? null;

  it('keeps what is in groups of others, without its author, and removes the rest', async () => {
    const shared = [readBy(userPrincipal(feed.bob)), readBy(groupPrincipal(group))];
    const kinds = [shared, [readBy(userPrincipal(feed.bob))], [readBy(groupPrincipal(own))], []];
    const [documents, files]: [string[][], string[][]] = [[], []];
    for (const grants of kinds) {
      const rows = { documents: [] as string[], files: [] as string[] };
      for (let i = 0; i < 4; i++) {
        const collection = i % 2 === 0 ? feed.books : feed.films;
        rows.documents.push((await feed.write({ authorId: feed.ann, collection, grants })).id);
        const file = newFile(feed.ann, { grants });
        await current().files.add(file);
        rows.files.push(file.id);
      }
      documents.push(rows.documents);
      files.push(rows.files);
    }
    expect(await users().remove(feed.ann, true)).toBe(true);
    expect(await users().find(feed.ann)).toBeNull();
    expect(await users().remove(feed.ann)).toBe(false);
    await finishRemovals(current(), PART);
    const authors = (ids: readonly string[][], of: (id: string) => Promise<string | null>) =>
      Promise.all(ids.map(async (some) => Array.from(new Set(await Promise.all(some.map(of))))));
    expect(await authors(documents, documentIn)).toEqual([[REMOVED_NAME], [null], [null], [null]]);
    expect(await authors(files, fileIn)).toEqual([[REMOVED_NAME], [null], [null], [null]]);
    const scope = accessScopeOfUser(feed.bob);
    expect(await current().documents.find({ collection: null, id: documents[0]?.[0] ?? '' }, scope)).not.toBeNull();
    expect(await users().remove(feed.ann)).toBe(false);
    expect(await finishRemovals(current(), PART)).toBe(0);
  });

  it('finds them without an author', async () => {
    await feed.write({ authorId: feed.ann, grants: [readBy(groupPrincipal(group))] });
    const written = await feed.write({ authorId: feed.bob });
    await users().remove(feed.ann, true);
    await finishRemovals(current(), PART);
    const list = { collection: feed.books, scope: EVERYTHING, where: null, after: null, skip: 0, limit: 10 };
    const order = [{ path: ['_author'], descending: false }] as const;
    const found = await current().documents.list({ ...list, order });
    expect(found?.map(({ author }) => author)).toEqual([REMOVED_NAME, 'Bob']);
    expect(found?.at(-1)?.id).toBe(written.id);
  });

  it('leaves nothing of a user who shares nothing', async () => {
    const { id } = await feed.write({ authorId: feed.ann });
    expect(await users().remove(feed.ann, true)).toBe(true);
    await finishRemovals(current(), PART);
    expect(await documentIn(id)).toBeNull();
    expect(await finishRemovals(current(), PART)).toBe(0);
  });
}
