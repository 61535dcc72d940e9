import { createQueryParser, createSearchCosts, pathIn } from '@baobab/core';
import { beforeEach, expect, it } from 'vitest';

const parse = createQueryParser({ clock: { now: () => 0 } });
let time = 0;
let costs = createSearchCosts({ now: () => 7, steady: () => time });

beforeEach(() => {
  time = 0;
  costs = createSearchCosts({ now: () => 7, steady: () => time });
});

/** A search that takes this many milliseconds. */
function search(
  where: string | null,
  milliseconds: number,
  { orderBy = null as string | null, collection = 'c' } = {},
) {
  const criteria = parse({ where, orderBy, fields: null, groupBy: null, params: [] });
  const work = async () => {
    time += milliseconds;
    return milliseconds;
  };
  return costs.measured(collection, criteria, work, () => 1);
}

it('puts first what took longest, by collection', async () => {
  await search('a = 1', 5);
  await search('b = 1', 3);
  await search("b = 'other'", 4);
  await search('c = 1', 100, { collection: 'other' });
  expect(costs.since).toBe(7);
  expect(
    costs.of('c').map(({ conditions, ...cost }) => [conditions[0]?.field, cost.milliseconds, cost.searches]),
  ).toEqual([
    ['b', 7, 2],
    ['a', 5, 1],
  ]);
});

it('counts searches that fail', async () => {
  const { where } = parse({ where: 'a = 1', orderBy: null, fields: null, groupBy: null, params: [] });
  const failing = async (): Promise<number> => {
    time += 10;
    throw new Error('it took too long');
  };
  await expect(costs.measured('c', { where, order: [] }, failing, () => 1)).rejects.toThrow('it took too long');
  expect(costs.of('c')).toMatchObject([{ milliseconds: 10, returned: 0, searches: 1 }]);
});

it('ranks equality before ranges and orders, and leaves out what no index helps', async () => {
  const candidates = async (where: string | null, orderBy: string | null = null) => {
    costs = createSearchCosts({ now: () => 0, steady: () => time });
    await search(where, 1, { orderBy });
    return costs.of('c').flatMap((cost) => cost.candidates.map(({ path }) => pathIn(path).join('.')));
  };
  expect(await candidates("a > 1 and 5 = b.c and d in [1, 2] and e like 'x%' and f is null", 'g desc, h')).toEqual([
    'b.c',
    'd',
    'a',
    'e',
    'f',
    'g',
  ]);
  expect(await candidates("a <> 1 and not b = 1 and c like '%x' and (d = 1 or e = 1) and f.length() = 2")).toEqual([]);
  expect(await candidates("_author = 'ann'", '_creation_date')).toEqual([]);
});

it('stays bounded, and keeps what took longest', async () => {
  await search('slow = 1', 1000);
  for (let i = 0; i < 1_000; i++) await search(`f${i} = 1`, 1);
  await search(`${'x'.repeat(1_000)} = 1`, 5_000);
  const kept = costs.of('c');
  expect(kept).toHaveLength(200);
  expect(kept[0]?.conditions).toEqual([{ field: 'slow', operator: '=' }]);
});
