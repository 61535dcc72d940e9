import {
  ANYBODY,
  accessScopeOfUser,
  addUser,
  EVERYTHING,
  NOW,
  newFile,
  newUser,
  uuid,
} from '@baobab/contracts/storage';
import {
  type AccessScope,
  assetNames,
  fileNames,
  type NewAsset,
  type NewFile,
  type Path,
  RIGHTS,
  type Storage,
  storedSortValues,
} from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareStorages } from '../support/agreement.ts';
import { condition, content, path, type Shape, shape } from '../support/criteria-arbitraries.ts';
import { cycle, withPaths } from '../support/criteria-paths.ts';
import { randomRuns } from '../support/parts.ts';

const SEED = 20_260_706;
const [ann, bob] = [newUser('Ann'), newUser('Çid')];
const REACHES: readonly AccessScope[] = [EVERYTHING, ANYBODY, accessScopeOfUser(ann.id), accessScopeOfUser(bob.id)];
/** Declared in the first test, and removed in the second. */
const INDEXES: Readonly<Record<'files' | 'assets', readonly (readonly Path[])[]>> = {
  files: [[['attachedData', 'a']], [['contentType'], ['attachedData', 'n']], [['contentLength'], ['fileName']]],
  assets: [[['meta', 'a']], [['name']], [['fileName'], ['meta', 'n']], [['meta', 'b'], ['contentLength']]],
};
const LISTS = ['files', 'assets'] as const;
const NAMES = ['b.txt', 'A.png', 'é.pdf', '😀', '\ufffd', 'a'];

const { each, answers } = compareStorages(async (storage) => {
  for (const user of [ann, bob]) await addUser(storage, user.name, user);
});

const indexedPaths = Object.values(INDEXES).flat(2);
const storedPath: fc.Arbitrary<Path> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...indexedPaths) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('attachedData', 'meta'), path).map(([first, rest]): Path => [first, ...rest]),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'id',
        'name',
        'fileName',
        'contentType',
        'contentLength',
        '_author',
        '_creation_date',
        'meta',
        'attachedData',
        'x',
      )
      .map((name): Path => [name]),
  },
  { weight: 1, arbitrary: fc.constantFrom<Path>(['id', 'x'], ['fileName', 0], ['contentLength', 'x'], ['__proto__']) },
);

interface Things {
  readonly files: readonly NewFile[];
  readonly assets: readonly NewAsset[];
}

function thingsWith(contents: readonly string[]): Things {
  const made = NAMES.map((name, i) => {
    const created = NOW + Math.floor(i / 2);
    const data = contents[i % contents.length] ?? '{}';
    const author = i % 2 === 0 ? ann : bob;
    const grants = i % 3 === 0 ? [{ principal: 'r:anonymous', rights: RIGHTS.read }] : [];
    const contentType = i < 3 ? 'image/png' : 'text/plain';
    const of = { fileName: name, contentType, size: i * 1000 - (i % 2), sha256: '0'.repeat(64) };
    const file = newFile(author.id, { ...of, id: uuid(created), created, attachedData: data, grants });
    const about = { id: uuid(created), name, authorId: author.id, created, meta: data };
    return { file, asset: { ...about, file: i % 2 === 0 ? of : null } };
  });
  return { files: made.map(({ file }) => file), assets: made.map(({ asset }) => asset) };
}

/** Replaces the rows of a storage by these. */
async function put(storage: Storage, { files, assets }: Things): Promise<void> {
  const all = { where: null, order: [], after: null, skip: 0, limit: 100 };
  const old = await storage.files.list({ ...all, scope: EVERYTHING });
  for (const { id } of old) await storage.files.remove(id, EVERYTHING);
  for (const { name } of await storage.assets.list(all)) await storage.assets.remove(name);
  for (const file of files) await storage.files.add(file);
  for (const asset of assets) await storage.assets.add(asset);
}

/** The same files and assets in every storage adapter. */
async function fill(contents: readonly string[]): Promise<void> {
  const things = thingsWith(contents);
  await each((storage) => put(storage, things));
}

const query = fc.record({
  where: fc.option(condition, { freq: 5 }),
  order: fc.array(fc.record({ path: storedPath, descending: fc.boolean() }), { maxLength: 3 }),
  shape,
  paths: fc.array(storedPath, { minLength: 6, maxLength: 6 }),
  scope: fc.constantFrom(...REACHES),
  after: fc.nat(5),
  skip: fc.nat(2),
  limit: fc.integer({ min: 1, max: 5 }),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

async function agreeOn(wish: Query): Promise<void> {
  const { order, scope, skip, limit } = wish;
  const where = withPaths(wish.where, cycle(wish.paths));
  const summary: Shape = withPaths(wish.shape, cycle(wish.paths));
  const whole = { where, order, after: null, skip: 0, limit: 100 };
  const start = (length: number) => (wish.after < length ? wish.after + 1 : 0) + skip;

  const files = await answers((storage) => storage.files.list({ ...whole, scope }));
  expect(await answers((storage) => storage.files.count({ scope, where }))).toBe(files.length);
  const last = files[wish.after];
  const after = last === undefined ? null : { keys: storedSortValues(order, fileNames(last)), id: last.id };
  const page = await answers((storage) => storage.files.list({ where, order, scope, after, skip, limit }));
  expect(page).toEqual(files.slice(start(files.length), start(files.length) + limit));
  await answers((storage) => storage.files.summarize({ ...summary, where, scope, skip: 0, limit: 50 }));

  const assets = await answers((storage) => storage.assets.list(whole));
  expect(await answers((storage) => storage.assets.count(where))).toBe(assets.length);
  const lastAsset = assets[wish.after];
  const place =
    lastAsset === undefined ? null : { keys: storedSortValues(order, assetNames(lastAsset)), id: lastAsset.id };
  const some = await answers((storage) => storage.assets.list({ where, order, after: place, skip, limit }));
  expect(some).toEqual(assets.slice(start(assets.length), start(assets.length) + limit));
  await answers((storage) => storage.assets.summarize({ ...summary, where, skip: 1, limit: 2 }));
}

async function agree(runs: number): Promise<void> {
  const contents = fc.array(content, { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(contents, fc.array(query, { minLength: 8, maxLength: 8 }), async (texts, queries) => {
      await fill(texts);
      for (const wish of queries) await agreeOn(wish);
    }),
    { numRuns: Number(process.env.RUNS ?? randomRuns(runs)), seed: Number(process.env.SEED ?? SEED) },
  );
}

/** Does something with each index of each storage adapter, and lets them build or drop what follows. */
async function forIndexes(
  work: (indexes: Storage['indexes'], list: 'files' | 'assets', paths: readonly Path[]) => Promise<unknown>,
): Promise<void> {
  await each(async (storage) => {
    for (const list of LISTS) for (const paths of INDEXES[list]) await work(storage.indexes, list, paths);
    await storage.indexes.reconcile();
  });
}

describe('every storage adapter finds the same files and assets in the same order, and aggregates them to the same rows', () => {
  it('with indexes', async () => {
    await forIndexes((indexes, list, paths) =>
      indexes.declare({ list, paths, name: uuid().replaceAll('-', '_') }, INDEXES[list].length),
    );
    await agree(14);
  });

  it('without indexes', async () => {
    await forIndexes((indexes, list, paths) => indexes.remove({ list }, paths));
    await agree(10);
  });
});
