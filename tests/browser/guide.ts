import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { overflow, seriousProblems } from '../support/accessibility.ts';
import { startBrowser } from '../support/browser.ts';
import { createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'docs/.vitepress/dist');

let program: Program;
let browser: Browser;
let page: Page;
let origin: string;
let problems: string[];
const folder = createFolder();

beforeAll(async () => {
  program = startProgram({ DATA_DIR: folder.path, DATABASE_URL: 'memory:', BLOB_URL: 'memory:' });
  origin = await program.ready();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await program?.dispose();
  folder.remove();
});

beforeEach(async () => {
  problems = [];
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (asked) => {
    if (!asked.url().startsWith(origin) && !asked.url().startsWith('data:')) problems.push(asked.url());
  });
});
afterEach(async () => {
  await page.close();
  expect(problems).toEqual([]);
});

it('leads from /guide to the first page, and from the page at / to the guide', async () => {
  await page.goto(`${origin}/guide`);
  expect(await page.textContent('h1')).toContain('Baobab');
  await page.goto(`${origin}/`);
  await page.click('a[href="./guide/"]');
  expect(page.url()).toBe(`${origin}/guide/`);
});

it('shows requests in three languages, and diagrams as pictures', async () => {
  await page.goto(`${origin}/guide/docs/users.html`);
  const group = page.locator('.vp-code-group').first();
  expect(await group.locator('label').allTextContents()).toEqual(['curl', 'JavaScript', 'Python']);
  await group.locator('label', { hasText: 'Python' }).click();
  expect(await group.locator('.active').textContent()).toContain('requests.post(');
  await page.goto(`${origin}/guide/docs/social.html`);
  await page.waitForSelector('.diagram svg');
});

it('finds a page by its words', async () => {
  await page.goto(`${origin}/guide/`);
  await page.waitForSelector('.VPNavBarSearch button');
  await page.click('.VPNavBarSearch button');
  await page.fill('.VPLocalSearchBox input', 'thumbnail');
  await page.click('.VPLocalSearchBox .results a');
  // The heading follows the address.
  await page.waitForSelector('h1:has-text("Photos")');
  expect(page.url()).toMatch(/recipes\/photos/);
});

describe.each(['light', 'dark'] as const)('in %s colors', (colorScheme) => {
  it.each([
    '',
    'docs/tutorial.html',
    'docs/comparison.html',
    'docs/recipes/share-a-list.html',
    'docs/limits.html',
    'docs/reference/http/documents.html',
    'docs/reference/client/documents.html',
  ])('is accessible, and fits narrow and wide screens: /guide/%s', async (path) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${origin}/guide/${path}`);
    await page.waitForSelector('main h1');
    expect(await seriousProblems(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await overflow(page)).toBe(0);
  });
});

it('has the list of its pages, and their Markdown, for language models', async () => {
  const list = await (await fetch(`${origin}/guide/llms.txt`)).text();
  const [, page = ''] = /^- \[Documents\]\((.+?)\)/m.exec(list) ?? [];
  const { headers, status } = await fetch(new URL(page, `${origin}/guide/`));
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/markdown')]);
});

it('is not found for other paths, and gives away no other file', async () => {
  for (const path of ['nothing.html', '..%2f..%2f..%2fpackage.json', '.vitepress/config.ts', '%2e%2e/config.ts']) {
    const { status } = await fetch(`${origin}/guide/${path}`);
    expect([path, status]).toEqual([path, expect.toBeOneOf([403, 404])]);
  }
  expect(existsSync(join(BUILT, 'index.html'))).toBe(true);
});
