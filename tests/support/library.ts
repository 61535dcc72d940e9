import type { Answer, World } from './backend.ts';
import { createShelf, type Shelf } from './documents.ts';
import { expectStatus } from './people.ts';

type Query = Record<string, string | number | readonly string[]>;

/** Returns a query string; arrays become repeated parameters. */
export const search = (query: Query) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  ).toString();

const BOOKS = [
  { title: 'Émile', year: 1762, tags: ['novel', 'education'], price: 9.5, author: { name: 'Rousseau', born: 1712 } },
  { title: 'émigré', year: 1990, tags: [], price: 12, author: { name: 'Nabokov' } },
  { title: 'zebra', year: '1990', price: 12.25 },
  { title: '😀 faces', year: 2021, tags: ['novel'], price: 30, author: { name: 'Ann', born: null } },
  {
    title: 'zoo',
    year: 2021,
    tags: [
      { kind: 'x', n: 1 },
      { kind: 'y', n: 2 },
    ],
    price: null,
  },
  { year: true, tags: 'novel', price: [1] },
];

/** A collection of books, and helpers that query it. */
export interface Library {
  readonly shelf: Shelf;
  readonly ids: readonly string[];
  get(query: Query, path?: string): Promise<Answer>;
  /** Returns the indexes of the books in the response, in its order. */
  found(query: Query): Promise<number[]>;
}

export async function createLibrary(world: World): Promise<Library> {
  const shelf = await createShelf(world);
  const ids: string[] = [];
  for (const book of BOOKS) ids.push((await shelf.create(book)).id);
  const get = (query: Query, path = '') =>
    world.call('GET', `/document/${shelf.collection}${path}?${search(query)}`, { token: shelf.owner.token });
  return {
    shelf,
    ids,
    get,
    async found(query) {
      const { data } = await expectStatus(get(query), 200);
      return data.map(({ id }: { id: string }) => ids.indexOf(id));
    },
  };
}
