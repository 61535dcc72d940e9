import { createQueryParser, type QueryText } from '@baobab/core';
import { expect, it } from 'vitest';

const text = (parts: Partial<QueryText>): QueryText => ({
  where: null,
  orderBy: null,
  fields: null,
  groupBy: null,
  params: [],
  ...parts,
});

it('returns the same object for a query that comes again, and no other', () => {
  const parse = createQueryParser({ clock: { now: () => 0 } });
  const asked = text({ where: 'a = ?', params: ['1'] });
  const query = parse(asked);
  expect(parse(text({ where: 'a = ?', params: ['1'] }))).toBe(query);
  expect(parse(text({ where: 'a = ?', params: ['2'] }))).not.toEqual(query);
  expect(parse(text({ where: 'a = ?', params: ['1'], orderBy: 'a' }))).not.toEqual(query);
  expect(parse(text({ orderBy: 'a' })).where).toBeNull();
  expect(parse(text({ groupBy: 'a', fields: 'a' }))).not.toEqual(parse(text({ orderBy: 'a', fields: 'a' })));
});

it('does not keep the current time', () => {
  let now = 0;
  const parse = createQueryParser({ clock: { now: () => now } });
  const asked = text({ where: 'a < sysdate()' });
  const before = parse(asked);
  now = 86_400_000;
  expect(parse(asked)).not.toEqual(before);
});

it('refuses an invalid query each time', () => {
  const parse = createQueryParser({ clock: { now: () => 0 } });
  for (let i = 0; i < 2; i++) expect(() => parse(text({ where: 'a =' }))).toThrow('where');
});
