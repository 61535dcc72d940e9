import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addressOnForge } from '../docs/.vitepress/forge.ts';
import { NAVIGATION } from '../docs/.vitepress/navigation.ts';
import { linksOf, sectionOf } from './support/links.ts';
import { allDocuments, readDocument } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const MOST_LINES = 400;

/** The front page, and the example, which its tutorial shows. */
const OUTSIDE = /^(?:README\.md|examples\/.*)$/;
/** Folders whose index is in the navigation and lists their other pages. */
const INDEXED = ['bench', 'docs/adr'];

const named = NAVIGATION.flatMap(({ pages }) => pages);
const pages = [...allDocuments(), ...readdirSync(join(ROOT, 'bench')).map((name) => `bench/${name}`)].filter(
  (path) => path.endsWith('.md') && !OUTSIDE.test(path),
);

describe('the navigation of the site', () => {
  it('contains every page', () => {
    const listed = INDEXED.flatMap((folder) => linksOf(`${folder}/README.md`).map(({ path }) => path));
    const isNamed = (path: string) => [path, `${dirname(path)}/*`].some((one) => named.includes(one));
    expect(pages.filter((path) => !isNamed(path) && !listed.includes(path))).toEqual([]);
  });

  it('names pages that exist, once', () => {
    expect(named.filter((path) => !existsSync(join(ROOT, path.replace('/*', ''))))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });
});

describe('the pages of the site', () => {
  it('link to sections that exist', () => {
    const links = [...pages, 'README.md'].flatMap(linksOf).filter(({ anchor }) => anchor !== '');
    expect(links.length).toBeGreaterThan(300);
    expect(links.filter((link) => sectionOf(link) === null)).toEqual([]);
  });

  it(`have at most ${MOST_LINES} lines`, () => {
    const long = pages.filter((path) => readDocument(path).split('\n').length > MOST_LINES);
    expect(long).toEqual([]);
  });

  it('begin with their subject', () => {
    expect(pages.filter((path) => /After this page/.test(readDocument(path)))).toEqual([]);
  });
});

describe('links to files that are not pages of the site', () => {
  it('lead to the repository that package.json names', () => {
    const address = 'https://forge.example/a/b/blob/HEAD/tests/x.test.ts';
    expect(addressOnForge({ url: 'git+https://forge.example/a/b.git' }, 'tests/x.test.ts')).toBe(address);
    expect(addressOnForge('https://forge.example/a/b', 'tests/x.test.ts')).toBe(address);
  });

  it('are removed if it names none', () => {
    expect(addressOnForge(undefined, 'tests/x.test.ts')).toBeNull();
  });
});
