import { describe, expect, it } from 'vitest';
import { createVariantCache } from '../../packages/core/src/images/variant-cache.ts';

describe('the cache of image variants', () => {
  const bytes = (length: number) => new Uint8Array(length);

  it('returns what was put', () => {
    const cache = createVariantCache({ capacity: 100, largest: 50 });
    const image = bytes(10);
    cache.set('a', image);
    expect([cache.get('a'), cache.get('b')]).toEqual([image, undefined]);
  });

  it('does not keep variants that are too large', () => {
    const cache = createVariantCache({ capacity: 100, largest: 50 });
    cache.set('a', bytes(51));
    expect([cache.get('a'), cache.takes(50), cache.takes(51)]).toEqual([undefined, true, false]);
  });

  it('evicts the least recently used variants', () => {
    const cache = createVariantCache({ capacity: 100, largest: 50 });
    for (const key of ['a', 'b', 'c']) cache.set(key, bytes(30));
    cache.get('a');
    cache.set('d', bytes(30));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  it('counts a variant once when it is put again', () => {
    const cache = createVariantCache({ capacity: 100, largest: 50 });
    for (let i = 0; i < 10; i++) cache.set('a', bytes(40));
    cache.set('b', bytes(50));
    expect([cache.get('a')?.length, cache.get('b')?.length]).toEqual([40, 50]);
  });
});
