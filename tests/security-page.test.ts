import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocument } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const STATES = ['met', 'setting', 'you', 'part', 'no', 'none'];

describe('docs/security.md', () => {
  const rows = readDocument('docs/security.md')
    .split('\n')
    .flatMap((line) => {
      const [, item = '', state = '', how = '', tests = ''] =
        /^\| (\d+\.\d+\.\d+) \| (\w+) \| ([^|]+) \| ([^|]*)\|$/.exec(line) ?? [];
      return item === '' ? [] : [{ item, state, how, tests: tests.match(/`[^`]+`/g) ?? [] }];
    });

  it('names each requirement once, in their order', () => {
    const items = rows.map(({ item }) => item);
    expect(items.length).toBeGreaterThan(70);
    const order = (item: string) => item.split('.').reduce((total, part) => total * 1000 + Number(part), 0);
    expect(items).toEqual([...new Set(items)].toSorted((a, b) => order(a) - order(b)));
  });

  it('says of each whether it is met, in words that it explains', () => {
    expect(rows.filter(({ state }) => !STATES.includes(state))).toEqual([]);
  });

  it('names tests that exist', () => {
    const named = Array.from(readDocument('docs/security.md').matchAll(/`(tests\/[^`]+)`/g), ([, path = '']) => path);
    expect(named.length).toBeGreaterThan(rows.filter(({ tests }) => tests.length > 0).length);
    expect(named.filter((path) => !path.endsWith('.test.ts') || !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('lists at the top what is not met', () => {
    const page = readDocument('docs/security.md');
    const summary = page.slice(page.indexOf('## Not met'), page.indexOf('## V6'));
    const missing = rows.filter(({ item, state }) => state === 'no' && !summary.includes(item));
    expect(missing.map(({ item }) => item)).toEqual([]);
  });
});
