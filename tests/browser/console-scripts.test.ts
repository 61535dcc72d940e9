import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { builtConsole, createHands } from '../support/console.ts';
import { filePart, multipart } from '../support/files.ts';
import { PREFIX, startPrefixProxy } from '../support/prefix-proxy.ts';
import { openSocket } from '../support/sockets.ts';

const STORED = {
  script: ['text/javascript', 'globalThis.ran = true'],
  style: ['text/css', 'body { --stored: yes }'],
} as const;

let backend: TestBackend;
let browser: SharedBrowser;
let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;
let base: string;

beforeAll(async () => {
  backend = await createTestBackend({ consoleFolder: builtConsole() });
  const world = createWorld(backend);
  for (const [name, [type, content]] of Object.entries(STORED)) {
    const bytes = multipart({ name: 'name', content: name }, filePart(content, { fileName: name, type }));
    const basic = ['admin', backend.adminPassword] as const;
    expect((await world.call('POST', '/admin/asset', { basic: [...basic], bytes })).status).toBe(201);
  }
  proxy = await startPrefixProxy(await openSocket(backend.app));
  base = proxy.origin + PREFIX;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  proxy?.server.close();
  await backend?.close();
});

/** Opens the console with this markup in it, as if an attacker had found a way to write there. */
async function openWith(markup: string, { isProtected }: { isProtected: boolean }): Promise<Page> {
  const page = await browser.newPage();
  await page.route('**/console/', async (route) => {
    const answer = await route.fetch();
    const { 'content-security-policy': policy = '', ...others } = answer.headers();
    const headers = isProtected ? { ...others, 'content-security-policy': policy } : others;
    await route.fulfill({ response: answer, headers, body: (await answer.text()).replace('</body>', `${markup}$&`) });
  });
  await page.goto(`${base}/console/`);
  // Needs the scripts of the console, those that are loaded later included.
  await createHands(page, base).signIn('admin', backend.adminPassword);
  await createHands(page, base).heading('Overview');
  return page;
}

const SCRIPT = '<script src="../asset/script"></script>';
const MODULE = '<script type="module" src="../asset/script"></script>';
const STYLE = '<link rel="stylesheet" href="../asset/style">';

const hasRun = (page: Page) => page.evaluate(() => 'ran' in globalThis);
const isStyled = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--stored') !== '');

it.each([
  ['a script', SCRIPT, hasRun],
  ['a module', MODULE, hasRun],
  ['a style', STYLE, isStyled],
])('a stored asset is no part of the console: %s', async (_what, markup, isActive) => {
  const open = await openWith(markup, { isProtected: false });
  expect(await isActive(open)).toBe(true);
  await open.close();
  const page = await openWith(markup, { isProtected: true });
  expect(await isActive(page)).toBe(false);
  await page.close();
});

it('the console imports no stored asset, and has its own styles', async () => {
  const page = await openWith('', { isProtected: true });
  // As text: the test runner would rewrite the import.
  const outcome = await page.evaluate(`import('${base}/asset/script').then(() => 'imported', () => 'refused')`);
  expect([outcome, await hasRun(page)]).toEqual(['refused', false]);
  const loaded = await page.evaluate(() => [...document.styleSheets].map(({ cssRules }) => cssRules.length > 0));
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded).not.toContain(false);
  await page.close();
});
