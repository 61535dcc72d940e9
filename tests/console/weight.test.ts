import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtConsole } from '../support/console.ts';

/** Compressed bytes of the first load with a session, without the font. */
const MOST_BYTES = 200_000;
/** Compressed bytes of the JSON editor, which is loaded on demand. */
const MOST_OF_EDITOR = 110_000;

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
  const sizeOf = (name: string) => statSync(join(site, 'assets', `${name}.br`)).size;
  const chunk = (view: string) => {
    const found = readdirSync(join(site, 'assets')).find((name) => name.startsWith(`${view}-`) && name.endsWith('.js'));
    if (found === undefined) throw new Error(`there is no chunk of ${view}`);
    return found;
  };

  it('that a signed-in user loads first are small, styles and texts included', () => {
    const views = ['en', 'overview'].flatMap((view) => [...withImports(chunk(view))]);
    const styles = readdirSync(join(site, 'assets')).filter((name) => name.endsWith('.css'));
    const all = [...new Set([...firstScripts(), ...views, ...styles])];
    expect(styles.length).toBeGreaterThan(0);
    expect(all.map(sizeOf).reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });

  it('that edit JSON are loaded on demand, and bounded', () => {
    expect(firstScripts()).not.toContain(chunk('code-editor'));
    expect(sizeOf(chunk('code-editor'))).toBeLessThan(MOST_OF_EDITOR);
  });

  it('that are loaded first have no language, no live queries and no view in them', () => {
    const texts = (names: readonly string[]) =>
      names.map((name) => readFileSync(join(site, 'assets', name), 'utf8')).join('\n');
    const all = texts(readdirSync(join(site, 'assets')).filter((name) => name.endsWith('.js')));
    const first = texts(firstScripts());
    for (const text of [
      'Sign in to the console',
      'Bei der Konsole anmelden',
      'has whole documents as its rows',
      '.ndjson',
    ]) {
      expect([text, all.includes(text), first.includes(text)]).toEqual([text, true, false]);
    }
  });
});
