import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';

let started: StartedConsole;
let page: Page;
let hands: Hands;

beforeAll(async () => {
  started = await startConsole();
  const { admin } = started;
  await admin('POST', '/admin/collection/notes');
  await admin('POST', '/admin/role/editors');
  await admin('POST', '/document/notes', { title: 'Milk', litres: 2 });
  await admin('POST', '/document/notes', { title: 7, litres: 'many' });
  page = await started.open();
  hands = await started.enter(page);
  await hands.goTo('collections/notes');
  await page.getByRole('link', { name: 'Access rules' }).click();
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const rules = async (name: string) => (await started.admin('GET', `/admin/collection/${name}/rules`)).data;

describe('the rules of a collection', () => {
  it('are changed role by role', async () => {
    expect(await hands.field('update: anonymous').isDisabled()).toBe(true);
    await hands.field('read: anonymous').check();
    await hands.field('update: editors').check();
    await hands.button('Save rules').click();
    await hands.saved();
    expect(await rules('notes')).toMatchObject({
      create: ['registereduser'],
      read: ['anonymous'],
      update: ['editors'],
      delete: [],
    });
    expect(await hands.button('Save rules').isDisabled()).toBe(true);
  });
});

describe('the schema of a collection', () => {
  const schema = (type: string) => JSON.stringify({ type: 'object', properties: { title: { type } } });

  it('is refused with the reason when it is none', async () => {
    await page.getByRole('link', { name: 'Schema', exact: true }).click();
    await hands.told('This collection has no schema.');
    await page.getByRole('tab', { name: 'JSON Schema' }).click();
    await hands.fillJson('JSON Schema', '{ "type": ');
    await hands.told('Invalid JSON');
    expect(await hands.button('Save schema').isDisabled()).toBe(true);
    await hands.fillJson('JSON Schema', schema('words'));
    await hands.button('Save schema').click();
    await page.getByRole('alert').waitFor();
    expect((await started.admin('GET', '/admin/collection/notes/schema')).status).toBe(404);
  });

  it('is tried on the stored documents without being stored', async () => {
    await hands.fillJson('JSON Schema', schema('string'));
    await hands.button('Validate existing documents').click();
    await hands.told('Nothing was saved.');
    await hands.told('Existing documents that do not match it: 1.');
    await page.getByText('/title').waitFor();
    expect((await started.admin('GET', '/admin/collection/notes/schema')).status).toBe(404);
  });

  it('is stored, and removed', async () => {
    await hands.button('Save schema').click();
    await hands.told('The schema is saved.');
    expect((await started.admin('GET', '/admin/collection/notes/schema')).data).toEqual(JSON.parse(schema('string')));
    await hands.button('Remove schema').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove schema' }).click();
    await hands.told('This collection has no schema.');
    expect((await started.admin('GET', '/admin/collection/notes/schema')).status).toBe(404);
  });
});

describe('the indexes of a collection', () => {
  it('are added, listed and deleted', async () => {
    await page.getByRole('link', { name: 'Indexes', exact: true }).click();
    await hands.told('No indexes yet.');
    await hands.field('Path, such as author.name').fill('author..name');
    await hands.button('Add index').click();
    await page.getByRole('alert').waitFor();
    await hands.field('Path, such as author.name').fill('author.name');
    await page.keyboard.press('Enter');
    await hands.button('Delete index on author.name').waitFor();
    const indexes = async () => (await started.admin('GET', '/admin/collection/notes/index')).data;
    expect(await indexes()).toEqual([{ path: 'author.name', state: 'ready', unique: false }]);
    await hands.button('Delete index on author.name').click();
    await hands.told('No indexes yet.');
    expect(await indexes()).toEqual([]);
    await hands.field('Path, such as author.name').fill('isbn');
    await page.getByLabel('No two documents may have the same value').check();
    await hands.button('Add index').click();
    await page.getByText('Unique', { exact: true }).waitFor();
    expect(await indexes()).toEqual([{ path: 'isbn', state: 'ready', unique: true }]);
    await hands.button('Delete index on isbn').click();
    await hands.told('No indexes yet.');
  });
});

describe('a new collection', () => {
  it('is created with its rules, by the keyboard alone', async () => {
    await hands.goTo('collections');
    await hands.heading('Collections');
    await page.locator('main').getByRole('button', { name: 'New collection' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').focus();
    await page.keyboard.type('news');
    await dialog.getByText('Access rules').focus();
    await page.keyboard.press('Enter');
    await hands.field('read: anonymous').focus();
    await page.keyboard.press('Space');
    await dialog.getByLabel('Name').focus();
    await page.keyboard.press('Enter');
    await hands.heading('news');
    expect(await rules('news')).toMatchObject({ create: ['registereduser'], read: ['anonymous'] });
  });
});

describe('the views of a collection', () => {
  it.each(LOOKS)('are accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const part of ['schema', 'rules', 'indexes', 'api', 'danger']) {
      await hands.goTo(`collections/notes/${part}`);
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      if (part === 'schema') {
        await hands.button('Validate existing documents').click();
        await hands.told('Nothing was saved.');
      }
      expect([part, await seriousProblems(page), await overflow(page)]).toEqual([part, [], 0]);
    }
    await hands.goTo('collections');
    await page.locator('main').getByRole('button', { name: 'New collection' }).click();
    await page.getByRole('dialog').getByText('Access rules', { exact: true }).click();
    await hands.field('read: anonymous').waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
  });
});
