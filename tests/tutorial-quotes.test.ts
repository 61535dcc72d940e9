import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleFolder } from './support/examples.ts';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';

describe.each(['shopping-lists', 'task-board'] as const)('the tutorial of the example %s', (name) => {
  /** Blocks whose info names a language and a file of the example. */
  const quotes = fences(readDocument(`docs/tutorial-${name}.md`)).flatMap((fence) => {
    const [, path] = /^(?:tsx?|js) (\S+)$/.exec(fence.info) ?? [];
    return path === undefined ? [] : [{ ...fence, path: join(exampleFolder(name), path) }];
  });

  it('quotes code', () => {
    expect(quotes.length).toBeGreaterThan(4);
    expect(quotes.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  it.each(quotes)('quotes $path as it is, in line $line', ({ path, text }) => {
    expect(readFileSync(path, 'utf8')).toContain(text);
  });
});
