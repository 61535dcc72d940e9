import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { readDocument } from '../support/markdown.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { openSocket } from '../support/sockets.ts';

const PICTURE = join(import.meta.dirname, '../../docs/images/guestbook.png');
const ADDRESS = 'http://localhost:9000';

let backend: TestBackend;
let browser: SharedBrowser;
let pages: Pages;
let endPoint: string;

beforeAll(async () => {
  backend = await createTestBackend();
  endPoint = `http://127.0.0.1:${await openSocket(backend.app)}`;
  const html = /```html\n(.*?)```/s.exec(readDocument('docs/tutorial.md'))?.[1] ?? '';
  expect(html.split(ADDRESS)).toHaveLength(2);
  pages = await servePages({ '/guestbook.html': html.replace(ADDRESS, endPoint) });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await backend?.close();
});

it('the page of the tutorial stores an entry that another visitor sees', async () => {
  const { admin, call } = createWorld(backend);
  expect((await call('POST', '/admin/collection/guestbook', { token: await admin() })).status).toBe(201);
  const problems: string[] = [];
  const visit = async () => {
    const context = await browser.newContext({ viewport: { width: 480, height: 360 } });
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${pages.origin}/guestbook.html`);
    return page;
  };
  const ann = await visit();
  await ann.fill('input[name=name]', 'ann');
  await ann.fill('input[name=text]', 'Greetings from <b>Turin</b>');
  await ann.click('button');
  await ann.waitForSelector('li');
  expect(await ann.locator('li').allTextContents()).toEqual(['Greetings from <b>Turin</b> (ann)']);
  // The picture in the document is what this test sees; set SCREENSHOTS=write to take it again.
  if (process.env.SCREENSHOTS === 'write') await ann.screenshot({ path: PICTURE });
  expect(existsSync(PICTURE)).toBe(true);

  const bob = await visit();
  await bob.waitForSelector('li');
  expect(await bob.locator('li').allTextContents()).toEqual(['Greetings from <b>Turin</b> (ann)']);
  await bob.fill('input[name=name]', 'ann');
  await bob.fill('input[name=text]', 'I am not Ann');
  await bob.click('button');
  await bob.waitForFunction(() => document.querySelector('[role=status]')?.textContent !== '');
  expect(await bob.locator('li').count()).toBe(1);
  expect(problems).toEqual([]);
});
