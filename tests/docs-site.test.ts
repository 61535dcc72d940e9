import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOnForge } from '../docs/.vitepress/forge.ts';
import { writeForModels } from '../docs/.vitepress/llms.ts';
import { NAVIGATION } from '../docs/.vitepress/navigation.ts';
import { createFolder } from './support/databases.ts';
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
const isNamed = (path: string) => [path, `${dirname(path)}/*`].some((one) => named.includes(one));

describe('the navigation of the site', () => {
  it('contains every page', () => {
    const listed = INDEXED.flatMap((folder) => linksOf(`${folder}/README.md`).map(({ path }) => path));
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

describe('the files for language models', () => {
  const { path: folder, remove } = createFolder();
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const shown = pages.filter(isNamed);

  beforeAll(() => writeForModels(folder, { title: 'Baobab', description: 'A backend' }));
  afterAll(remove);

  it('list the sections of the navigation, and each of its pages with its title and first sentence', () => {
    const [head = '', ...lines] = read('llms.txt').split(/(?<=\n)(?=- )/);
    expect(head).toBe('# Baobab\n\n> A backend\n\n## Start\n\n');
    const sections = Array.from(read('llms.txt').matchAll(/^## (.+)$/gm), ([, text]) => text);
    expect(sections).toEqual(NAVIGATION.map(({ text }) => text));
    const listed = lines.map((line) => /^- \[[^\]]+\]\(([^)]+)\)(?:: .+[.!?])?$/m.exec(line)?.[1]);
    expect(listed.toSorted()).toEqual(shown.toSorted());
    for (const line of [
      '- [Documents](docs/documents.md): A document is a JSON object in a collection.',
      '- [Examples](docs/examples.md): Complete programs in the folder examples of the repository, and on pages of this guide.',
    ]) {
      expect(read('llms.txt')).toContain(`${line}\n`);
    }
  });

  it('contain the Markdown of these pages, alone and together', () => {
    const all = read('llms-full.txt');
    for (const page of shown) {
      expect([page, read(page)]).toEqual([page, readDocument(page)]);
      expect([page, all.includes(`<!-- ${page} -->\n\n${readDocument(page)}`)]).toEqual([page, true]);
    }
  });
});
