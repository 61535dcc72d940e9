import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';

const PICTURE = readFileSync(join(import.meta.dirname, '../../docs/images/guestbook.png'));

let started: StartedConsole;
let page: Page;
let hands: Hands;
let author: string;

beforeAll(async () => {
  started = await startConsole();
  const { admin } = started;
  for (const name of ['authors', 'books']) await admin('POST', `/admin/collection/${name}`);
  const ids: string[] = [];
  for (const name of ['Smith', 'Jones']) ids.push((await admin('POST', '/document/authors', { name })).data.id);
  author = ids[0] ?? '';
  const other = '01a2180a-8aaf-7255-a255-d78a1e4fb03c';
  await admin('POST', '/document/books', { title: 'Momo', by: author, all: ids, other });
  page = await started.open();
  hands = await started.enter(page);
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const row = () => page.locator('main tbody tr').first();

describe('a reference to another document', () => {
  it('is a link with its title, to the document', async () => {
    await hands.goTo('collections/books');
    const link = row().getByRole('link', { name: 'Smith', exact: true });
    await link.click();
    await hands.drawer('Smith');
    expect(page.url()).toContain(`collections/authors/${author}`);
  });

  it('is one of several in a popover, and an id of nothing stays text', async () => {
    await hands.goTo('collections/books');
    await row().getByRole('link', { name: 'Smith', exact: true }).waitFor();
    await row().getByRole('button', { name: 'all [2]' }).click();
    const links = page.getByRole('dialog', { name: 'all' }).getByRole('link');
    await expect.poll(() => links.allInnerTexts()).toEqual(['Smith', 'Jones']);
    expect(await row().getByText('01a2180a-8aaf').first().innerText()).toContain('01a2180a-8aaf');
    await page.keyboard.press('Escape');
  });
});

describe('the tables of files and assets', () => {
  it('show thumbnails that the server has resized', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const form = (fields: Readonly<Record<string, string>>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      body.set('file', new Blob([PICTURE], { type: 'image/png' }), 'picture.png');
      return body;
    };
    const headers = { 'X-SERVICE-APPCODE': started.backend.appCode, 'X-BB-SESSION': started.token };
    await fetch(`${started.base}/file`, { method: 'POST', headers, body: form({}) });
    await fetch(`${started.base}/admin/asset`, { method: 'POST', headers, body: form({ name: 'logo' }) });
    for (const [place, resized] of [
      ['files', '?resize='],
      ['assets', '/resize/48/48'],
    ] as const) {
      await hands.goTo(place);
      const image = row().locator('.thumbnail img');
      await image.waitFor();
      await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
      const width = await image.evaluate((one) => (one as HTMLImageElement).naturalWidth);
      expect([place, width <= 48]).toEqual([place, true]);
      expect(asked.some((url) => url.includes(resized))).toBe(true);
      expect(await row().evaluate((one) => Math.abs(one.getBoundingClientRect().height - 36) <= 2)).toBe(true);
    }
  });
});
