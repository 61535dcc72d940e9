import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';

const DOCUMENTS = 130;
const SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string', title: 'Title', description: 'As on the cover.' },
    litres: { type: 'number' },
    open: { type: 'boolean' },
    size: { enum: ['small', 'large', 7] },
    day: { type: 'string', format: 'date' },
    author: { type: 'object', properties: { name: { type: 'string' } } },
  },
  required: ['title'],
};

let started: StartedConsole;
let page: Page;
let hands: Hands;

const admin = (method: string, url: string, body?: unknown) => started.admin(method, url, body);
const created = async (collection: string, content: object): Promise<string> =>
  (await admin('POST', `/document/${collection}`, content)).data.id;
const stored = async (collection: string, id: string) => (await admin('GET', `/document/${collection}/${id}`)).data;
const idInAddress = () => page.url().split('/').at(-1) ?? '';

beforeAll(async () => {
  started = await startConsole();
  for (const name of ['notes', 'plans', 'canaries']) await admin('POST', `/admin/collection/${name}`);
  await admin('PUT', '/admin/collection/plans/schema', SCHEMA);
  for (let n = 1; n <= DOCUMENTS; n++) {
    await created('notes', { title: `Note ${String(n).padStart(3, '0')}`, litres: n, author: { name: 'ann' } });
  }
  page = await started.open();
  hands = await started.enter(page);
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

describe('a condition', () => {
  const condition = () => hands.field('Filter');
  const options = () => page.getByRole('listbox').getByRole('option').allInnerTexts();

  it('is completed with the names in the documents, operators and connectives', async () => {
    await hands.goTo('collections/notes');
    await page.getByRole('region', { name: 'Documents', exact: true }).waitFor();
    await condition().focus();
    await page.keyboard.type('auth');
    await expect.poll(options).toEqual(['author', 'author.name']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await condition().inputValue()).toBe('author.name ');
    await expect.poll(options).toContain('is not null');
    await page.keyboard.type("= 'ann' ");
    await expect.poll(options).toEqual(['and', 'or']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('litres > 128');
    expect(await condition().inputValue()).toBe("author.name = 'ann' and litres > 128");
    await expect.poll(options).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => hands.rows('Documents')).toHaveLength(2);
    expect(await condition().inputValue()).toBe("author.name = 'ann' and litres > 128");
  });

  it('is completed with the names in the schema where there are no documents', async () => {
    await hands.goTo('collections/plans');
    await hands.told('No documents yet');
    await condition().focus();
    await page.keyboard.type('a');
    await expect.poll(options).toEqual(['author', 'author.name']);
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(options).toEqual([]);
  });
});

describe('a document of a collection with a schema', () => {
  it('is created and edited in a form', async () => {
    await hands.button('New document').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Trip');
    await dialog.getByLabel('litres').fill('two');
    await hands.told('Enter a number.');
    expect(await hands.button('Create').isDisabled()).toBe(true);
    await dialog.getByLabel('litres').fill('2.5');
    await dialog.getByLabel('open').selectOption('false');
    await dialog.getByLabel('size').selectOption({ label: '7' });
    await dialog.getByLabel('day').fill('2026-03-01');
    await dialog.getByRole('group', { name: 'author' }).getByLabel('name').fill('ann');
    await hands.button('Create').click();
    await page.waitForURL(/collections\/plans\/[\w-]{30,}$/);
    await page.getByText(/^1, /).waitFor();
    const content = { title: 'Trip', litres: 2.5, open: false, size: 7, day: '2026-03-01', author: { name: 'ann' } };
    expect(await stored('plans', idInAddress())).toMatchObject(content);

    await hands.field('open').selectOption('None');
    await hands.button('Save').click();
    await expect.poll(async () => (await stored('plans', idInAddress()))['@version']).toBe(2);
    expect(await stored('plans', idInAddress())).not.toHaveProperty('open');
    expect(await stored('plans', idInAddress())).toMatchObject({ title: 'Trip', '@version': 2 });
  });

  it('is refused with the reason, and edited as JSON as well', async () => {
    await hands.field('Title *').fill('');
    await hands.button('Save').click();
    await hands.told('Check the marked fields.');
    expect(await hands.field('Title *').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(JSON.parse(await hands.jsonText())).not.toHaveProperty('title');
    await hands.fillJson('Content (JSON)', '{"title":"As JSON","more":[1],"author":{"name":1}}');
    await hands.button('Save').click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('tab', { name: 'Form' }).click();
    const name = page.getByRole('group', { name: 'author' }).getByLabel('name');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('');
    await hands.button('Save').click();
    await expect.poll(async () => (await stored('plans', idInAddress())).title).toBe('As JSON');
    expect(await hands.field('Title *').inputValue()).toBe('As JSON');
    expect(await stored('plans', idInAddress())).toMatchObject({ title: 'As JSON', more: [1], '@version': 3 });
  });
});

describe('a new document', () => {
  it.each(['notes', 'plans'])('can be typed at once: %s', async (collection) => {
    await hands.goTo(`collections/${collection}`);
    await hands.button('New document').click();
    const hasFocus = () =>
      page.evaluate(() => {
        const { activeElement } = document;
        return activeElement?.matches('.code-editor, form textarea') ?? false;
      });
    await expect.poll(hasFocus).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('is not offered in a collection that does not exist', async () => {
    await hands.goTo('collections/nowhere');
    await page.getByRole('alert').waitFor();
    expect(await hands.button('New document').count()).toBe(0);
  });
});

describe('a document that somebody else has changed', () => {
  it('is compared line by line with what was written', async () => {
    const id = await created('canaries', { title: 'old', body: '<img src=x onerror="ran=1">', kept: 1 });
    await hands.goTo(`collections/canaries/${id}`);
    await page.getByText(/^1, /).waitFor();
    await admin('PUT', `/document/canaries/${id}`, { title: 'theirs', body: '<img src=x onerror="ran=1">', kept: 1 });
    const mine = { title: 'mine', body: '<img src=x onerror="ran=1">', kept: 1 };
    await hands.fillJson('Content (JSON)', JSON.stringify(mine, null, 2));
    await hands.button('Save').click();
    await hands.told('Changed by someone else');
    const differences = page.getByRole('region', { name: 'Differences' });
    expect((await differences.locator('del').allInnerTexts()).map((line) => line.trim())).toEqual([
      '-   "title": "theirs",',
    ]);
    expect((await differences.locator('ins').allInnerTexts()).map((line) => line.trim())).toEqual([
      '+   "title": "mine",',
    ]);
    expect(await differences.locator('img').count()).toBe(0);
    expect(await seriousProblems(page)).toEqual([]);
    // Escape as soon as the differences are gone.
    await page.evaluate(() => {
      const pressed = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
      const observer = new MutationObserver(() => {
        if (document.querySelector('del') !== null) return;
        observer.disconnect();
        document.body.dispatchEvent(pressed);
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    await hands.button('Discard my changes').click();
    await page.waitForURL((url) => url.hash === '#/collections/canaries');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });
});

describe('the table of documents', () => {
  it('is sorted by a click on the head of a column, and the other way round by another one', async () => {
    await page.goto(`${started.base}/console/#/collections/notes?where=litres+%3C+4`);
    await expect.poll(() => hands.rows('Documents')).toHaveLength(3);
    const head = page.getByRole('columnheader', { name: 'litres' });
    const titles = async () => (await hands.rows('Documents')).map((row) => /Note \d+/.exec(row)?.[0]);
    const ascending = ['Note 001', 'Note 002', 'Note 003'];
    const sorted = [];
    for (let click = 0; click < 2; click++) {
      const before = await head.getAttribute('aria-sort');
      await head.getByRole('button').click();
      await expect.poll(() => head.getAttribute('aria-sort')).not.toBe(before);
      const direction = await head.getAttribute('aria-sort');
      await expect.poll(titles).toEqual(direction === 'ascending' ? ascending : ascending.toReversed());
      sorted.push(direction);
    }
    expect(sorted.toSorted()).toEqual(['ascending', 'descending']);
  });
});

describe('the menu of a document', () => {
  it.each([390, 1440])('can be opened and is not cut off, %i pixels wide', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    const wide = { first: 'a', second: 'b', third: 'c', fourth: 'd', fifth: 'e', sixth: 'f' };
    const id = await created('plans', { title: 'With a menu', ...wide });
    await hands.goTo('collections/plans');
    const menu = page.getByRole('button', { name: 'Actions for With a menu' });
    await menu.waitFor();
    const box = await menu.boundingBox();
    expect(box === null ? Infinity : box.x + box.width).toBeLessThan(width);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    await admin('DELETE', `/document/plans/${id}`);
  });
});

describe('several documents', () => {
  /** Returns the file that the browser saves when a button is pressed. */
  async function savedBy(name: string): Promise<string[]> {
    const [download] = await Promise.all([page.waitForEvent('download'), hands.button(name).click()]);
    expect(download.suggestedFilename()).toBe('notes.ndjson');
    const text = await readFile(await download.path(), 'utf8');
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    return text.trimEnd().split('\n');
  }

  it('are exported, more than a page of them, in their order', async () => {
    await page.goto(`${started.base}/console/#/collections/notes?order=litres+asc`);
    await page.locator('th[aria-sort=ascending]').waitFor();
    const lines = await savedBy('Export');
    const documents = lines.map((line) => JSON.parse(line));
    expect(documents.map(({ litres }) => litres)).toEqual(Array.from({ length: DOCUMENTS }, (_, n) => n + 1));
    expect(documents[0]).toMatchObject({ title: 'Note 001', '@version': 1, _author: 'admin' });
  });

  it('are exported as far as a condition is true, and as far as they are selected', async () => {
    await page.goto(`${started.base}/console/#/collections/notes?where=litres+%3C+4&order=litres+asc`);
    await expect.poll(() => hands.rows('Documents')).toHaveLength(3);
    expect(await savedBy('Export')).toHaveLength(3);
    await page
      .getByRole('checkbox', { name: /^Select Note/ })
      .first()
      .check();
    await hands.told('1 selected');
    const selected = await savedBy('Export selected');
    expect(selected.map((line) => JSON.parse(line).title)).toEqual(['Note 001']);
  });

  it('are deleted, those of a page at once', async () => {
    await hands.field('Select page').check();
    await hands.told('3 selected');
    await hands.button('Delete').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delete 3 documents of notes?').waitFor();
    await dialog.getByRole('button', { name: 'Delete 3 documents' }).click();
    await hands.told('No documents match');
    const { data } = await admin('GET', '/document/notes/count');
    expect(data.count).toBe(DOCUMENTS - 3);
  });

  it('leave the page before them on screen after those of the last page are deleted', async () => {
    await hands.goTo('collections/notes?order=litres+asc');
    for (const range of ['51–100 of 127', '101–127 of 127']) {
      await hands.button('Next page').click();
      await hands.told(range);
    }
    await page.getByRole('link', { name: 'Note 130', exact: true }).waitFor();
    await hands.field('Select page').check();
    await hands.button('Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 27 documents' }).click();
    await hands.told('51–100 of 100');
    await expect.poll(() => hands.rows('Documents')).toHaveLength(50);
  });
});

describe('live documents', () => {
  it('appear, change and go without being asked for', async () => {
    await page.goto(`${started.base}/console/#/collections/canaries?where=kept+%3D+2&order=title+asc`);
    await hands.told('No documents match');
    await hands.button('Auto-refresh').click();
    await hands.told('Showing the first 50 documents in realtime.');
    const id = await created('canaries', { title: 'second', kept: 2 });
    await created('canaries', { title: 'not shown', kept: 3 });
    await expect.poll(() => hands.rows('Documents')).toHaveLength(1);
    await created('canaries', { title: 'first', kept: 2 });
    await expect.poll(() => hands.rows('Documents')).toHaveLength(2);
    expect((await hands.rows('Documents'))[0]).toContain('first');
    await admin('DELETE', `/document/canaries/${id}`);
    await expect.poll(() => hands.rows('Documents')).toHaveLength(1);
    await hands.button('Auto-refresh').click();
    await page.waitForURL((url) => !url.hash.includes('live'));
  });
});

describe('the views of documents', () => {
  it.each(LOOKS)('are accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const id = await created('plans', { title: 'Seen' });
    for (const place of ['collections/notes?live=on', `collections/plans/${id}`]) {
      await hands.goTo(place);
      await page.waitForFunction(() => document.querySelector('h1') !== null);
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      expect([place, await seriousProblems(page), await overflow(page)]).toEqual([place, [], 0]);
    }
    await hands.goTo('collections/notes');
    await hands.field('Select page').check();
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    await bar.waitFor();
    const [left = 0, right = 0] = await bar.evaluate((element) => {
      const controls = [element, ...element.querySelectorAll('button')].map((one) => one.getBoundingClientRect());
      return [Math.min(...controls.map((one) => one.left)), Math.max(...controls.map((one) => one.right))];
    });
    expect([left >= 0, right <= width]).toEqual([true, true]);
    expect(await seriousProblems(page)).toEqual([]);
    await hands.button('Delete').click();
    await page.getByRole('dialog').waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
  });
});
