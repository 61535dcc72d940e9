import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { defineConfig } from 'vitepress';
import { codeTabs } from './code-tabs.ts';
import { links } from './links.ts';

/** The project: the guide shows its pages where they are. */
const ROOT = join(import.meta.dirname, '../..');

/** The pages of the project that the guide shows, besides those in `docs`. */
const OTHERS = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...pagesIn('bench')];

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1]?.replaceAll('`', '') ?? basename(page, '.md');
}

const entry = (page: string) => ({
  text: titleOf(page),
  link: `/${page.replace(/README\.md$/, '').replace(/\.md$/, '')}`,
});
// Groups do not fold: the theme would nest a button in a button.
const group = (text: string, pages: readonly string[]) => ({
  text,
  items: pages.map(entry),
});
const docs = (...names: readonly string[]) => names.map((name) => `docs/${name}.md`);

const SIDEBAR = [
  group('Start', docs('README', 'tutorial', 'tutorial-shopping-lists', 'comparison')),
  group(
    'The tour',
    docs(
      'users',
      'secure-accounts',
      'documents',
      'query-language',
      'permissions',
      'files',
      'assets',
      'push',
      'webhooks',
      'social',
      'client',
      'client-offline',
      'clients',
    ),
  ),
  group('Recipes', pagesIn('docs/recipes')),
  group('Coming from', pagesIn('docs/coming-from')),
  group('Reference', docs('api', 'errors', 'settings', 'configuration', 'cli', 'glossary')),
  group('Operate', docs('console', 'secure-service', 'operations', 'citus', 'security')),
  group('Inside', [...docs('architecture', 'writing-an-adapter', 'decisions'), 'CONTRIBUTING.md', 'CHANGELOG.md']),
  group('Decision records', ['docs/adr/README.md']),
  group('Measurements', pagesIn('bench')),
  group('Proof', pagesIn('docs/proof')),
];

const SHOWN = new Set([...OTHERS, ...pagesIn('docs'), 'docs/README.md', 'docs/adr/README.md']);
const isShown = (page: string) => SHOWN.has(page) || /^docs\/(?:adr|recipes|coming-from|proof)\/[\w-]+\.md$/.test(page);

/** Where a link of a page leads in the guide; null when its target is only in the repository. */
function destination(page: string, link: string): string | null {
  if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return link; // reported by the build as a dead link
  if (!isShown(target)) return null;
  const place = `/${target.replace(/README\.md$/, '').replace(/\.md$/, '')}`;
  return anchor === undefined ? place : `${place}#${anchor}`;
}

/** How the languages of our own blocks are coloured. */
const LANGUAGES: Readonly<Record<string, string>> = { query: 'sql', ebnf: 'txt', haproxy: 'txt' };

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export default defineConfig({
  title: 'Baobab',
  description: 'A self-hosted backend for mobile and web apps',
  lang: 'en',
  base: '/guide/',
  srcDir: '..',
  outDir: '.vitepress/dist',
  cacheDir: '.vitepress/cache',
  srcExclude: ['**/node_modules/**', 'packages/**', 'tests/**', 'data/**', 'release/**', 'docker/**', 'scripts/**'],
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  // As it is: to bundle it would take longer than the rest of the guide.
  buildEnd: ({ outDir }) =>
    cpSync(join(import.meta.dirname, 'node_modules/mermaid/dist/mermaid.min.js'), join(outDir, 'assets/mermaid.js')),
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar: SIDEBAR.filter(({ items }) => items.length > 0),
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'API', link: '/docs/api' },
      { text: 'Operate', link: '/docs/operations' },
    ],
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.use(codeTabs);
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, at, options, env, self) => {
        const token = tokens[at];
        if (token?.info.trim() === 'mermaid') return `<Diagram text="${escapeAttribute(token.content)}" />`;
        // A block's first word is its language, for readers of the repository too.
        if (token !== undefined) token.info = LANGUAGES[token.info.split(' ')[0] ?? ''] ?? token.info;
        return fence?.(tokens, at, options, env, self) ?? '';
      };
      md.use(links, destination);
    },
  },
});
