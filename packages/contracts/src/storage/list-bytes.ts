import {
  type Condition,
  type OrderKey,
  RIGHTS,
  type SectionName,
  type SortValue,
  type Storage,
  type UserList,
  type UserSet,
  userPrincipal,
} from '@baobab/core';
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
  newUser,
  uuid,
} from './fixtures.ts';

/** Lengths of texts: short and long ones, some of them with three bytes per character. */
const LENGTHS = [40, 900, 40, 60_000, 40, 40, 30_000, 300, 20, 5_000];
const textOf = (length: number, at: number) => `{"n":${at},"text":"${(at % 3 === 1 ? '木' : 'a').repeat(length)}"}`;
const TEXTS = LENGTHS.map(textOf);
const BOUNDS = [1, 1_000, 95_000, 1_000_000];

const bytesOf = (text: string) => Buffer.byteLength(text);

/** Returns the number of rows read: up to and including the one that exceeds the limit, and at least two. */
function readOf(bytes: readonly number[], maxBytes: number): number {
  let sum = 0;
  const end = bytes.findIndex((some, at) => {
    sum += some;
    return sum > maxBytes && at > 0;
  });
  return end === -1 ? bytes.length : end + 1;
}

type Read = (page: { maxBytes: number; skip: number; limit: number }) => Promise<readonly (readonly string[])[]>;

/** @param read returns the texts of the rows of a list */
async function expectBounded(read: Read): Promise<void> {
  const all = await read({ maxBytes: Number.MAX_SAFE_INTEGER, skip: 0, limit: 100 });
  const bytes = all.map((texts) => texts.reduce((sum, text) => sum + bytesOf(text), 0));
  for (const maxBytes of BOUNDS) {
    for (const skip of [0, 3]) {
      for (const limit of [4, 50]) {
        const length = readOf(bytes.slice(skip, skip + limit), maxBytes);
        expect(await read({ maxBytes, skip, limit }), `${maxBytes} ${skip} ${limit}`).toEqual(
          all.slice(skip, skip + length),
        );
      }
    }
  }
}

const key = (path: OrderKey['path'], descending = false): OrderKey => ({ path, descending });

const ORDERS: readonly (readonly OrderKey[])[] = [
  [],
  [key(['_creation_date'], true)],
  [key(['n'], true)],
  [key(['text'])],
];
/** Returns a condition that matches every object with a value at the path; an index speeds it up. */
const has = (path: OrderKey['path']): Condition => ({
  kind: 'compare',
  operator: '>=',
  left: { kind: 'path', path },
  right: { kind: 'constant', value: path[0] === 'n' ? 0 : '', untyped: false },
});

export function listBytesContract(current: () => Storage): void {
  /** Adds documents of two users, some of them shared with the second, who follows the first. */
  async function addDocuments(ann: string, bob: string, name: string): Promise<string> {
    const collection = await addCollection(current(), name);
    const granted = [{ principal: userPrincipal(bob), rights: RIGHTS.read }];
    for (const [at, content] of TEXTS.entries()) {
      const grants = at % 2 === 0 ? granted : [];
      const author = at % 4 === 0 ? bob : ann;
      await current().documents.add(newDocument(author, collection, { id: uuid(NOW + at), content, grants }));
    }
    return collection;
  }

  it.each(['without an index', 'with an index'])('ends a list of documents at the limit of bytes %s', async (kind) => {
    const ann = await addUser(current(), 'Ann');
    const bob = await addUser(current(), 'Bob');
    await current().follows.add(bob.id, ann.id);
    const collection = await addDocuments(ann.id, bob.id, 'books');
    if (kind === 'with an index') {
      await current().indexes.declare({ collection, paths: [['n']], name: 'by_n' }, 9);
      await current().indexes.reconcile();
    }
    const reaches = [EVERYTHING, accessScopeOfUser(bob.id), { ...accessScopeOfUser(bob.id), followed: true }];
    const lists = reaches.flatMap((scope) =>
      ORDERS.flatMap((order) => [null, has(['n'])].map((where) => ({ collection, scope, order, where, after: null }))),
    );
    for (const list of lists) {
      await expectBounded(async (page) => {
        const rows = await current().documents.list({ ...list, ...page });
        return rows?.map(({ content }) => [content]) ?? [];
      });
    }
  });

  it('reaches every document when each page begins after the last document of the one before', async () => {
    const ann = await addUser(current(), 'Ann');
    const collection = await addCollection(current(), 'books');
    const ids = TEXTS.map((_text, at) => uuid(NOW + at));
    for (const [at, content] of TEXTS.entries()) {
      await current().documents.add(newDocument(ann.id, collection, { id: ids[at] ?? '', content }));
    }
    const list = { collection, scope: EVERYTHING, where: null, order: [], skip: 0, limit: 100, maxBytes: 1_000 };
    const found: string[] = [];
    for (;;) {
      const rows = (await current().documents.list({ ...list, after: behind(found.at(-1) ?? null) })) ?? [];
      found.push(...rows.map(({ id }) => id));
      if (rows.length === 0) break;
    }
    expect(found).toEqual(ids);
  });

  it('ends a list of users at the limit of bytes', async () => {
    const bob = await addUser(current(), 'Bob');
    const sections: SectionName[] = ['visibleByTheUser', 'visibleByAnonymousUsers', 'visibleByFriend'];
    for (const [at, text] of TEXTS.entries()) {
      const { sections: none, ...user } = newUser(`u${at}`);
      const section = sections[at % 3] ?? 'visibleByTheUser';
      await current().users.add({ ...user, sections: { ...none, [section]: text } });
      await current().follows.add(bob.id, user.id);
      await current().follows.add(user.id, bob.id);
    }
    const userSets: UserSet[] = [{ kind: 'all' }, { kind: 'following', of: bob.id }, { kind: 'followers', of: bob.id }];
    const profileScope = { viewer: bob.id, everything: true, asFriend: false };
    const orders = [[], [key(['user', 'name'], true)], [key(['visibleByTheUser', 'n'])]];
    for (const userSet of userSets) {
      for (const order of orders) {
        await expectBounded(async (page) => {
          const list: UserList = { userSet, profileScope, without: 'admin', where: null, order, after: null, ...page };
          return (await current().users.list(list)).map((user) => [user.id, ...Object.values(user.sections)].slice(1));
        });
      }
    }
  });

  it('ends lists of files and of assets at the limit of bytes', async () => {
    const ann = await addUser(current(), 'Ann');
    for (const [at, text] of TEXTS.entries()) {
      await current().files.add(newFile(ann.id, { id: uuid(NOW + at), attachedData: text }));
      const asset = { id: uuid(NOW + at), name: `a${at}`, authorId: ann.id, created: NOW, meta: text, file: null };
      await current().assets.add(asset);
    }
    for (const order of [[], [key(['_creation_date'], true)]]) {
      for (const where of [null, has(['id'])]) {
        const list = { where, order, after: null };
        for (const scope of [EVERYTHING, accessScopeOfUser(ann.id)]) {
          await expectBounded(async (page) =>
            (await current().files.list({ ...list, ...page, scope })).map(({ attachedData }) => [attachedData]),
          );
        }
        await expectBounded(async (page) =>
          (await current().assets.list({ ...list, ...page })).map(({ meta }) => [meta]),
        );
      }
    }
  });

  it('ends a summary at the limit of bytes', async () => {
    const ann = await addUser(current(), 'Ann');
    const collection = await addCollection(current(), 'books');
    for (const content of TEXTS) await current().documents.add(newDocument(ann.id, collection, { content }));
    for (const [at, text] of TEXTS.entries()) {
      await current().files.add(newFile(ann.id, { id: uuid(NOW + at), attachedData: text }));
    }
    const greatest = (path: OrderKey['path']) => ({ kind: 'aggregate', name: 'max', path, as: 'most' }) as const;
    const texts = (rows: readonly (readonly SortValue[])[] | null) =>
      rows?.map((row) => row.map((value) => (typeof value === 'string' ? value : ''))) ?? [];
    const order = [{ column: 0, descending: true }];
    await expectBounded(async (page) => {
      const summary = { where: null, groupBy: [['n']] as const, aggregates: [greatest(['text'])], order, ...page };
      return texts(await current().documents.summarize({ collection, scope: EVERYTHING, ...summary }));
    });
    await expectBounded(async (page) => {
      const path = ['attachedData', 'text'] as const;
      const summary = { where: null, groupBy: [path], aggregates: [greatest(path)], order, ...page };
      return texts(await current().files.summarize({ scope: EVERYTHING, ...summary }));
    });
  });
}
