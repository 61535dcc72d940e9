import { type BoundedCache, createBoundedCache } from '@baobab/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

type Cache = BoundedCache<number, number>;
type Step = (cache: Cache, model: Map<number, number>) => void;

const key = fc.integer({ min: 0, max: 20 });
const value = fc.integer({ min: 0, max: 3 });

/** The operations of a cache, applied to a map as well. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(key, value).map(
    ([at, given]): Step =>
      (cache, model) => {
        cache.set(at, given);
        model.set(at, given);
        expect(cache.get(at)).toBe(given);
      },
  ),
  key.map(
    (at): Step =>
      (cache, model) => {
        expect([undefined, model.get(at)]).toContain(cache.get(at));
      },
  ),
  key.map(
    (at): Step =>
      (cache, model) => {
        cache.delete(at);
        model.delete(at);
        expect(cache.get(at)).toBeUndefined();
      },
  ),
  value.map(
    (unwanted): Step =>
      (cache, model) => {
        cache.deleteWhere((held) => held === unwanted);
        for (const [at, held] of model) if (held === unwanted) model.delete(at);
      },
  ),
  fc.constant<Step>((cache, model) => {
    cache.clear();
    model.clear();
    expect(cache.size).toBe(0);
  }),
);

describe('a bounded cache', () => {
  it('never exceeds its capacity, and never returns a stale value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 }), fc.array(step, { maxLength: 100 }), (capacity, steps) => {
        const cache = createBoundedCache<number, number>(capacity);
        const model = new Map<number, number>();
        for (const take of steps) {
          take(cache, model);
          expect(cache.size).toBeLessThanOrEqual(capacity);
        }
        for (let at = 0; at <= 20; at++) expect([undefined, model.get(at)]).toContain(cache.get(at));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps entries that are used and evicts the others', () => {
    const cache = createBoundedCache<string, number>(10);
    cache.set('used', 1);
    for (let i = 0; i < 100; i++) {
      cache.set(`new${i}`, i);
      expect(cache.get('used')).toBe(1);
    }
    expect(cache.get('new0')).toBeUndefined();
    expect(cache.get('new99')).toBe(99);
  });

  it('keeps at least the latest half of its capacity', () => {
    const cache = createBoundedCache<number, number>(10);
    for (let i = 0; i < 50; i++) cache.set(i, i);
    for (let i = 45; i < 50; i++) expect(cache.get(i)).toBe(i);
  });
});
