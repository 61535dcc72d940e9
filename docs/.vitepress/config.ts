import { cpSync, existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { defineConfig } from 'vitepress';
import { codeTabs } from './code-tabs.ts';
import { addressOnForge } from './forge.ts';
import { links } from './links.ts';
import { writeForModels } from './llms.ts';
import { NAVIGATION } from './navigation.ts';
import { pagesIn, pagesOf, ROOT, textOf, titleOf } from './pages.ts';
import { REFERENCE } from './reference.ts';

/** Where the server serves the guide. */
const BASE = '/guide/';

const placeOf = (page: string) => `/${page.replace(/README\.md$/, '').replace(/\.md$/, '')}`;

/** The group of generated pages, which follows the references that are written by hand. */
const generated = (text: string, folder: keyof typeof REFERENCE) => ({
  text,
  items: REFERENCE[folder]().map(({ name, title }) => ({
    text: title.replace(/^\w+: /, ''),
    link: `/docs/reference/${folder}/${name}`,
  })),
});

// Groups do not fold: the theme would nest a button in a button.
const SIDEBAR = NAVIGATION.flatMap((group) => {
  const written = {
    text: group.text,
    items: pagesOf(group).map((page) => ({ text: titleOf(page), link: placeOf(page) })),
  };
  if (group.text !== 'Reference') return [written];
  return [written, generated('Reference: client', 'client'), generated('Reference: HTTP', 'http')];
});

/** The front page, decision records and benchmarks, which their indexes list, and the navigation. */
const SHOWN = new Set(['README.md', ...pagesIn('docs/adr'), ...pagesIn('bench'), ...NAVIGATION.flatMap(pagesOf)]);

const { repository } = JSON.parse(textOf('package.json'));

/** Returns the target of a link of a page; null if it is only in the repository, and package.json names no address. */
function destination(page: string, link: string): string | null {
  if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return link; // reported by the build as a dead link
  if (!SHOWN.has(target)) return addressOnForge(repository, target);
  const place = placeOf(target);
  return anchor === undefined ? place : `${place}#${anchor}`;
}

/** How the languages of our own blocks are coloured. */
const LANGUAGES: Readonly<Record<string, string>> = {
  query: 'sql',
  ebnf: 'txt',
  haproxy: 'txt',
  caddy: 'txt',
  pgbouncer: 'ini',
  'postgres-url': 'ini',
};

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const SITE = { title: 'Baobab', description: 'A self-hosted backend for mobile and web apps' };

export default defineConfig({
  ...SITE,
  lang: 'en',
  base: BASE,
  srcDir: '..',
  outDir: '.vitepress/dist',
  cacheDir: '.vitepress/cache',
  srcExclude: ['**/node_modules/**', 'packages/**', 'tests/**', 'data/**', 'release/**', 'docker/**', 'scripts/**'],
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  head: [['link', { rel: 'icon', href: `${BASE}baobab.svg`, type: 'image/svg+xml' }]],
  buildEnd({ outDir }) {
    // Copied, because bundling it would take longer than the rest of the guide.
    cpSync(join(import.meta.dirname, 'node_modules/mermaid/dist/mermaid.min.js'), join(outDir, 'assets/mermaid.js'));
    cpSync(join(ROOT, 'packages/console/src/baobab.svg'), join(outDir, 'baobab.svg'));
    writeForModels(outDir, SITE);
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar: SIDEBAR,
    nav: [
      { text: 'Start', link: '/docs/' },
      { text: 'Client', link: '/docs/client' },
      { text: 'Deploy', link: '/docs/deploy' },
      { text: 'Reference', link: '/docs/api' },
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
