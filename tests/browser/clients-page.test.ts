import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { createFolder } from '../support/databases.ts';
import { readDocument } from '../support/markdown.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { openSocket } from '../support/sockets.ts';

const ADDRESS = 'http://localhost:9000';

/** The page of the document, unchanged but for the address of the service. */
function pageOf(markdown: string, endPoint: string): string {
  const html = /```html\n(.*?)```/s.exec(markdown)?.[1] ?? '';
  expect(html.split(ADDRESS)).toHaveLength(2);
  return html.replace(ADDRESS, endPoint);
}

describe('the page in docs/clients.md', () => {
  let backend: TestBackend;
  let pages: Pages;
  let browser: SharedBrowser;
  let page: Page;
  let html: string;
  const problems: string[] = [];

  beforeAll(async () => {
    backend = await createTestBackend();
    const { admin, call } = createWorld(backend);
    expect((await call('POST', '/admin/collection/todos', { token: await admin() })).status).toBe(201);
    const endPoint = `http://127.0.0.1:${await openSocket(backend.app)}`;
    html = pageOf(readDocument('docs/clients.md'), endPoint);
    pages = await servePages({ '/notes.html': html });
    browser = await openBrowser();
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${pages.origin}/notes.html`);
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await backend?.close();
  });

  async function enter(name: string, password: string, how: 'in' | 'up'): Promise<void> {
    await page.fill('input[name=username]', name);
    await page.fill('input[name=password]', password);
    await page.click(`button[value=${how}]`);
  }
  const rows = (count: number) =>
    page.waitForFunction((wanted) => document.querySelectorAll('li').length === wanted, count);

  it('shows why a log-in failed', async () => {
    await enter('ann', 'wrong', 'in');
    await page.waitForFunction(() => document.getElementById('message')?.textContent !== '');
    expect(await page.textContent('#message')).toBe('Invalid username or password');
  });

  it('signs up, adds notes, lists them in their order, and crosses them out', async () => {
    await enter('ann', 'secret', 'up');
    await page.waitForSelector('#add:not([hidden])');
    for (const [at, title] of ['Oat milk', '<b>Bread</b>'].entries()) {
      await page.fill('input[name=title]', title);
      await page.click('#add button');
      await rows(at + 1);
    }
    expect(await page.locator('li').allTextContents()).toEqual(['<b>Bread</b> Done', 'Oat milk Done']);
    await page.click('li:first-child button');
    await rows(1);
    expect(await page.locator('li').allTextContents()).toEqual(['Oat milk Done']);
    expect(problems).toEqual([]);
  });

  it('works from a local file too', async () => {
    const folder = createFolder();
    try {
      const file = join(folder.path, 'notes.html');
      writeFileSync(file, html);
      page = await browser.newPage();
      await page.goto(pathToFileURL(file).href);
      await enter('ann', 'secret', 'in');
      await rows(1);
      expect(await page.locator('li').allTextContents()).toEqual(['Oat milk Done']);
    } finally {
      folder.remove();
    }
  });
});
