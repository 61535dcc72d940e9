import { addCollection, addUser, NOW, newDocument, newFile, uuid } from '@baobab/contracts/storage';
import {
  type AccessScope,
  type DocumentList,
  EVERYTHING,
  groupPrincipal,
  NOBODY,
  parseQuery,
  RIGHTS,
  rolePrincipal,
  type Storage,
  userPrincipal,
} from '@baobab/core';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { compareStorages } from '../support/agreement.ts';
import { randomRuns } from '../support/parts.ts';

/** Adapters read lists of callers with many principals or followed users in other ways: these are more than a page. */
const [USERS, GROUPS, OBJECTS] = [45, 45, 300];
/** Requests the same lists in every run. */
const SEED = 1;
const RIGHTS_GIVEN = [RIGHTS.read, RIGHTS.update, RIGHTS.read | RIGHTS.all, RIGHTS.delete] as const;

interface TextQuery {
  readonly where: string | null;
  readonly orderBy: string | null;
}

const queries = (conditions: readonly string[], orders: readonly string[]): fc.Arbitrary<TextQuery> =>
  fc.record({ where: fc.option(fc.constantFrom(...conditions)), orderBy: fc.option(fc.constantFrom(...orders)) });
const DOCUMENT_QUERIES = queries(
  ['n < 20', 'kind = 1', 'kind = 1 and n > 30', "text = 'a'", "_author = 'user 3'", 'n < 5 or n > 55', 'text is null'],
  ['_creation_date', '_creation_date desc', 'n', 'n desc', 'kind, n desc', 'text', '_author desc'],
);
const FILE_QUERIES = queries(
  ['contentLength < 30', "fileName = 'a.pdf'"],
  ['_creation_date desc', 'contentLength', 'contentLength desc', 'fileName desc'],
);
const PAGE = fc.record({ limit: fc.constantFrom(1, 5, 20, 21, 200), skip: fc.constantFrom(0, 0, 0, 1, 7, 30) });

/** Most groups have no permissions, and most users no documents. The objects depend on their index only. */
function createObjects() {
  const users = Array.from({ length: USERS }, () => uuid());
  const groups = Array.from({ length: GROUPS }, () => uuid());
  const grantsOf = (i: number) => {
    const principals = [
      groupPrincipal(groups[(i % 6) * 7] ?? ''),
      userPrincipal(users[(i * 11) % USERS] ?? ''),
      rolePrincipal('registereduser'),
    ];
    const given = i % 4 === 0 ? principals.slice(0, 1 + (i % 3)) : [];
    return given.map((principal, at) => ({ principal, rights: RIGHTS_GIVEN[(i + at) % RIGHTS_GIVEN.length] ?? 0 }));
  };
  const objects = Array.from({ length: OBJECTS }, (_, i) => {
    const content = JSON.stringify({ n: (i * 13) % 60, kind: i % 4, text: ['a', 'b', null, 3, 'Zed', true][i % 6] });
    const [author = '', grants] = [users[(i % 5) * 9], grantsOf(i)];
    return {
      document: newDocument(author, 'books', { content, grants }),
      file: newFile(author, { grants, size: (i * 17) % 100, fileName: ['a.pdf', 'b.txt', 'c'][i % 3] ?? '' }),
    };
  });
  return { users, groups, objects };
}
type Objects = ReturnType<typeof createObjects>;

async function fill(storage: Storage, { users, groups, objects }: Objects): Promise<void> {
  await addCollection(storage, 'Books');
  for (const [i, id] of users.entries()) await addUser(storage, `User ${i}`, { id });
  for (const id of groups) await storage.groups.add({ id, name: 'Friends', created: NOW }, users[0] ?? NOBODY);
  // The later users follow more of the others.
  for (const [i, follower] of users.entries()) {
    for (const followed of users.slice(0, i)) await storage.follows.add(follower, followed);
  }
  for (const { document, file } of objects) {
    await storage.documents.add(document);
    await storage.files.add(file);
  }
  await storage.indexes.declare({ collection: 'books', paths: [['n']], name: 'by_n' }, 10);
  await storage.indexes.reconcile();
}

/** Administrators, and users with any number of groups. */
const callersOf = ({ users, groups }: Objects): fc.Arbitrary<AccessScope> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(EVERYTHING) },
    {
      weight: 9,
      arbitrary: fc
        .record({ owner: fc.constantFrom(...users), followed: fc.boolean(), mine: fc.subarray(groups) })
        .map(({ owner, followed, mine }) => {
          const principals = [userPrincipal(owner), rolePrincipal('registereduser'), ...mine.map(groupPrincipal)];
          return { everything: false, owner, principals, followed, ruled: 0 };
        }),
    },
  );

const made = createObjects();
const { answers } = compareStorages((storage) => fill(storage, made));

/** @param ids of the objects, one of which may be the cursor */
const check = (
  ids: readonly string[],
  queries: fc.Arbitrary<TextQuery>,
  agree: (list: Omit<DocumentList, 'collection'>) => Promise<void>,
) =>
  fc.assert(
    fc.asyncProperty(callersOf(made), queries, PAGE, fc.option(fc.constantFrom(...ids)), (scope, text, page, id) => {
      const { where, order } = parseQuery({ ...text, fields: null, groupBy: null, params: [] }, NOW);
      // In the order of creation, which is that of the ids, they are the sort keys too.
      const isById = text.orderBy === null || text.orderBy.startsWith('_creation_date');
      const after = isById && id !== null ? { keys: order.map(() => id), id } : null;
      return agree({ scope, where, order, after, ...page });
    }),
    { numRuns: randomRuns(1_200), seed: SEED },
  );

describe('every storage adapter, for callers in many groups who follow many users', () => {
  it('returns the same documents', async () => {
    const ids = made.objects.map(({ document }) => document.id);
    await check(ids, DOCUMENT_QUERIES, async (list) => {
      const collection = 'books';
      await answers(async ({ documents }) => (await documents.list({ ...list, collection }))?.map(({ id }) => id));
      await answers(({ documents }) => documents.count(collection, list.scope, list.where));
    });
  });

  it('returns the same files', async () => {
    const ids = made.objects.map(({ file }) => file.id);
    await check(ids, FILE_QUERIES, async (list) => {
      await answers(async ({ files }) => (await files.list(list)).map(({ id }) => id));
      await answers(({ files }) => files.count(list));
    });
  });
});
