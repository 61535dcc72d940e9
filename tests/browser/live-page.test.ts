import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
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

describe('the page in docs/live.md, open twice', () => {
  let backend: TestBackend;
  let pages: Pages;
  let browser: SharedBrowser;
  let both: readonly [Page, Page];
  const problems: string[] = [];

  async function open(): Promise<Page> {
    const page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${pages.origin}/groceries.html`);
    await isLive(page);
    return page;
  }

  const isLive = (page: Page) =>
    page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'Live');
  /** Waits until both pages show these entries. */
  async function shows(...titles: string[]): Promise<void> {
    const wanted = titles.map((title) => `${title} Done`).join('|');
    for (const page of both) {
      await page.waitForFunction(
        (text) => [...document.querySelectorAll('li')].map((item) => item.textContent).join('|') === text,
        wanted,
      );
    }
  }
  async function add(page: Page, title: string): Promise<void> {
    await page.fill('input[name=title]', title);
    await page.click('form button');
  }

  beforeAll(async () => {
    backend = await createTestBackend();
    const { admin, call } = createWorld(backend);
    expect((await call('POST', '/admin/collection/groceries', { token: await admin() })).status).toBe(201);
    const endPoint = `http://127.0.0.1:${await openSocket(backend.app)}`;
    pages = await servePages({ '/groceries.html': pageOf(readDocument('docs/live.md'), endPoint) });
    browser = await openBrowser();
    both = [await open(), await open()];
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await backend?.close();
  });

  it('shows in each what the other adds and removes, without reloading', async () => {
    await add(both[0], 'Milk');
    await shows('Milk');
    await add(both[1], '<b>Bread</b>');
    await shows('<b>Bread</b>', 'Milk');
    await both[1].click('li:last-child button');
    await shows('<b>Bread</b>');
    expect(problems).toEqual([]);
  });

  it('is complete again after its connections were cut', async () => {
    backend.app.server.closeAllConnections();
    await add(both[0], 'Salt');
    await shows('<b>Bread</b>', 'Salt');
    await both[0].click('li:first-child button');
    await shows('Salt');
    expect(problems).toEqual([]);
  });
});
