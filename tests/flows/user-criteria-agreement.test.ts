import { NOW, newUser, uuid } from '@baobab/contracts/storage';
import {
  type Condition,
  type ListedUser,
  type NewUser,
  type OrderKey,
  type Path,
  type ProfileScope,
  type Storage,
  seenBy,
  type UserSelection,
  type UserSet,
  userSortValues,
} from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareStorages } from '../support/agreement.ts';
import { condition, content, path, type Shape, shape } from '../support/criteria-arbitraries.ts';
import { cycle, withPaths } from '../support/criteria-paths.ts';
import { randomRuns } from '../support/parts.ts';

const SEED = 20_260_705;
const SECTIONS = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByFriends',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
];
/** Of these, one ends where another begins, and sections of all kinds have some. */
const INDEXES: readonly (readonly Path[])[] = [
  [['visibleByRegisteredUsers', 'a']],
  [
    ['visibleByAnonymousUsers', 'a'],
    ['visibleByFriend', 'b'],
  ],
  [
    ['visibleByFriend', 'n'],
    ['visibleByRegisteredUsers', 'n'],
  ],
  [['visibleByTheUser', 'b']],
  [['user', 'name']],
  [
    ['user', 'status'],
    ['visibleByAnonymousUsers', 'n'],
  ],
];
const NAMES = ['zoe', 'Ann', 'émile', 'bob', 'Ｘ', 'a b', '😀', '\ufffd'];

let runs = 0;
const { each, answers } = compareStorages();

const userPath: fc.Arbitrary<Path> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...SECTIONS), path).map(([first, rest]): Path => [first, ...rest]) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Path>(
      ['user', 'name'],
      ['user', 'status'],
      ['user', 'roles'],
      ['user', 'roles', 0, 'name'],
      ['user', 'roles', 1],
      ['user', 'x'],
      ['user'],
      ['id'],
      ['id', 'x'],
      ['signUpDate'],
      ['visibleByFriend'],
      ['visibleByTheUser'],
      ['__proto__'],
    ),
  },
);

const indexedPath: fc.Arbitrary<Path> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...INDEXES.flat()) },
  { weight: 1, arbitrary: userPath },
);

interface World {
  readonly center: NewUser;
  readonly users: readonly NewUser[];
}

/** Users who all follow one user and are followed by that user, the same in every storage adapter. */
async function fill(sections: readonly string[]): Promise<World> {
  const run = ++runs;
  const center = newUser(`center${run}`);
  const users = NAMES.map((name, i) => {
    const [a = '{}', b = '{}', c = '{}', d = '{}'] = [0, 1, 2, 3].map((n) => sections[(i + n) % sections.length]);
    const created = NOW + Math.floor(i / 2);
    return newUser(`${name}${run}`, {
      id: uuid(created),
      created,
      key: `${name}${run}`.normalize('NFKC').toLowerCase(),
      status: i % 3 === 0 ? 'SUSPENDED' : 'ACTIVE',
      role: i % 4 === 0 ? 'administrator' : 'registereduser',
      sections: { visibleByTheUser: a, visibleByFriend: b, visibleByRegisteredUsers: c, visibleByAnonymousUsers: d },
    });
  });
  await each(async (storage) => {
    for (const user of [center, ...users]) await storage.users.add(user);
    for (const [i, { id }] of users.entries()) {
      await storage.follows.add(id, center.id);
      if (i % 2 === 0) await storage.follows.add(center.id, id);
    }
    await storage.follows.add(users[0]?.id ?? '', users[1]?.id ?? '');
  });
  return { center, users };
}

async function clear({ center, users }: World): Promise<void> {
  await each(async (storage) => {
    for (const { id } of [center, ...users]) await storage.users.remove(id);
  });
}

const ofPaths = (paths: fc.Arbitrary<Path>) => ({
  order: fc.array(fc.record({ path: paths, descending: fc.boolean() }), { maxLength: 3 }),
  paths: fc.array(paths, { minLength: 6, maxLength: 6 }),
});
const parts = {
  where: fc.option(condition, { freq: 5 }),
  shape,
  viewer: fc.constantFrom(null, 'center' as const, 0, 1),
  everything: fc.constantFrom(false, false, false, true),
  asFriend: fc.constantFrom(false, false, true),
  after: fc.nat(5),
  skip: fc.nat(2),
  limit: fc.integer({ min: 1, max: 5 }),
};
const relations = fc.constantFrom('followers' as const, 'following' as const);
const query = fc.record({ ...parts, ...ofPaths(userPath), userSet: relations });
const queryOfAll = fc.record({ ...parts, ...ofPaths(indexedPath), userSet: fc.constant('all' as const) });
type Of<Made> = Made extends fc.Arbitrary<infer T> ? T : never;
type Query = Of<typeof query> | Of<typeof queryOfAll>;

function selectionOf({ center, users }: World, wish: Query): UserSelection {
  const viewer = wish.viewer === 'center' ? center.id : wish.viewer === null ? null : (users[wish.viewer]?.id ?? null);
  const profileScope: ProfileScope = { viewer, everything: wish.everything, asFriend: wish.asFriend };
  const where: Condition | null = withPaths(wish.where, cycle(wish.paths));
  const userSet: UserSet = wish.userSet === 'all' ? { kind: 'all' } : { kind: wish.userSet, of: center.id };
  return { userSet, profileScope, without: `bob${runs}`, where };
}

async function agreeOn(world: World, wish: Query): Promise<void> {
  const selection = selectionOf(world, wish);
  const keys: readonly OrderKey[] = wish.order;
  const list = { ...selection, order: keys };
  const positionOf = (user: ListedUser) => ({
    keys: userSortValues(keys, seenBy(list.profileScope, user)),
    id: user.id,
  });
  const all = await answers(({ users }) => users.list({ ...list, after: null, skip: 0, limit: 100 }));
  expect(await answers(({ users }) => users.count(selection))).toBe(all.length);
  const last = all[wish.after];
  const page = { after: last === undefined ? null : positionOf(last), skip: wish.skip, limit: wish.limit };
  const start = (last === undefined ? 0 : wish.after + 1) + wish.skip;
  expect(await answers(({ users }) => users.list({ ...list, ...page }))).toEqual(all.slice(start, start + wish.limit));
  const summary: Shape = withPaths(wish.shape, cycle(wish.paths));
  await answers(({ users }) => users.summarize({ ...selection, ...summary, skip: 0, limit: 50 }));
  await answers(({ users }) => users.summarize({ ...selection, ...summary, skip: 1, limit: 2 }));
}

describe('every storage adapter', () => {
  const sections = fc.array(content, { minLength: 3, maxLength: 9 });
  const settings = (count: number) => ({
    numRuns: Number(process.env.RUNS ?? randomRuns(count)),
    seed: Number(process.env.SEED ?? SEED),
  });

  it('finds the same among all users, with indexes and without', async () => {
    const change = (work: (indexes: Storage['indexes'], paths: readonly Path[]) => Promise<unknown>) =>
      each(async ({ indexes }) => {
        for (const paths of INDEXES) await work(indexes, paths);
        await indexes.reconcile();
      });
    const agree = (count: number) =>
      fc.assert(
        fc.asyncProperty(sections, fc.array(queryOfAll, { minLength: 8, maxLength: 8 }), async (texts, queries) => {
          const world = await fill(texts);
          try {
            for (const wish of queries) await agreeOn(world, wish);
          } finally {
            await clear(world);
          }
        }),
        settings(count),
      );
    await change((indexes, paths) =>
      indexes.declare({ list: 'users', paths, name: uuid().replaceAll('-', '_') }, INDEXES.length),
    );
    await agree(12);
    await change((indexes, paths) => indexes.remove({ list: 'users' }, paths));
    await agree(5);
  });

  it('finds the same users in the same order, and aggregates them to the same rows, for every viewer', async () => {
    await fc.assert(
      fc.asyncProperty(sections, fc.array(query, { minLength: 8, maxLength: 8 }), async (texts, queries) => {
        const world = await fill(texts);
        for (const wish of queries) await agreeOn(world, wish);
      }),
      settings(25),
    );
  });
});
