import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtConsole } from '../support/console.ts';

/** Compressed bytes that the page may need before it shows something. */
const MOST_BYTES = 250_000;

let site: string;

beforeAll(() => {
  site = builtConsole();
});

/** A script with those that it imports at once. */
function withImports(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const script = readFileSync(join(site, 'assets', name), 'utf8');
  for (const [, imported = ''] of script.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g))
    withImports(imported, known);
  return known;
}

/** The scripts that the page itself names. */
const firstScripts = (): string[] => {
  const page = readFileSync(join(site, 'index.html'), 'utf8');
  const named = Array.from(page.matchAll(/assets\/([\w.-]+\.js)/g), ([, name = '']) => name);
  return [...new Set(named.flatMap((name) => [...withImports(name)]))];
};

describe('the scripts of the console', () => {
  it('that are loaded first are small', () => {
    const sizes = firstScripts().map((name) => statSync(join(site, 'assets', `${name}.gz`)).size);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });

  it('that are loaded first have no language, no live queries and no view in them', () => {
    const texts = (names: readonly string[]) =>
      names.map((name) => readFileSync(join(site, 'assets', name), 'utf8')).join('\n');
    const all = texts(readdirSync(join(site, 'assets')).filter((name) => name.endsWith('.js')));
    const first = texts(firstScripts());
    for (const text of [
      'Sign in to the console',
      'An der Konsole anmelden',
      'has whole documents as its rows',
      '.ndjson',
    ]) {
      expect([text, all.includes(text), first.includes(text)]).toEqual([text, true, false]);
    }
  });
});
