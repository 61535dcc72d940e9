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
  pages = await servePages({ '/guestbook.html': html.replace(ADDRESS, endPoint), '/empty.html': '<img />' });
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

it('the script of the recipe shows a photo that needs a session', async () => {
  const { user } = createWorld(backend);
  const { token } = await user('paula');
  const [, script = ''] = /```js\n(.*?)```/s.exec(readDocument('docs/recipes/photos.md')) ?? [];
  const page = await browser.newPage();
  await page.goto(`${pages.origin}/empty.html`);
  const size = await page.evaluate(
    async ([text, BASE, CODE, session]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 6 });
      const form = new FormData();
      form.append('file', await new Promise<Blob>((resolve) => canvas.toBlob((blob) => resolve(blob as Blob))));
      const headers = { 'X-SERVICE-APPCODE': CODE as string, 'X-BB-SESSION': session as string };
      const answer = await (await fetch(`${BASE}/file`, { method: 'POST', headers, body: form })).json();
      const image = document.querySelector('img') as HTMLImageElement;
      const shown = new Promise((resolve) => image.addEventListener('load', resolve));
      const run = new Function('BASE', 'CODE', 'token', 'id', 'image', `return (async () => {${text}})()`);
      await run(BASE, CODE, session, answer.data.id, image);
      await shown;
      return [image.naturalWidth, image.naturalHeight];
    },
    [script, endPoint, backend.appCode, token] as const,
  );
  expect(size).toEqual([4, 3]);
});
