import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';
import { EXAMPLE } from './support/shopping-lists.ts';

/** Blocks whose info names a language and a file of the example. */
const quotes = fences(readDocument('docs/tutorial-shopping-lists.md')).flatMap((fence) => {
  const [, path] = /^(?:tsx?|js) (\S+)$/.exec(fence.info) ?? [];
  return path === undefined ? [] : [{ ...fence, path }];
});

describe('the tutorial of the example', () => {
  it('quotes code', () => {
    expect(quotes.length).toBeGreaterThan(5);
    expect(quotes.filter(({ path }) => !existsSync(join(EXAMPLE, path)))).toEqual([]);
  });

  it.each(quotes)('quotes $path as it is, in line $line', ({ path, text }) => {
    expect(readFileSync(join(EXAMPLE, path), 'utf8')).toContain(text);
  });
});
