import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overflow, seriousProblems } from '../support/accessibility.ts';
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
  await page.getByRole('link', { name: 'Rules, schema and indexes' }).click();
  await hands.heading('Rules, schema and indexes');
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const rules = async (name: string) => (await started.admin('GET', `/admin/collection/${name}/rules`)).data;

describe('the rules of a collection', () => {
  it('are changed role by role', async () => {
    expect(await hands.field('update: anonymous').isDisabled()).toBe(true);
    await hands.field('read: anonymous').check();
    await hands.field('update: editors').check();
    await hands.button('Save the rules').click();
    await hands.told('Saved');
    expect(await rules('notes')).toEqual({
      create: ['registereduser'],
      read: ['anonymous'],
      update: ['editors'],
      delete: [],
    });
    expect(await hands.button('Save the rules').isDisabled()).toBe(true);
  });
});

describe('the schema of a collection', () => {
  const schema = (type: string) => JSON.stringify({ type: 'object', properties: { title: { type } } });

  it('is refused with the reason when it is none', async () => {
    await hands.told('This collection has no schema.');
    await hands.field('JSON Schema').fill('{ "type": ');
    await hands.told('This is not valid JSON');
    expect(await hands.button('Save the schema').isDisabled()).toBe(true);
    await hands.field('JSON Schema').fill(schema('words'));
    await hands.button('Save the schema').click();
    await page.getByRole('alert').waitFor();
    expect((await started.admin('GET', '/admin/collection/notes/schema')).status).toBe(404);
  });

  it('is tried on the stored documents without being stored', async () => {
    await hands.field('JSON Schema').fill(schema('string'));
    await hands.button('Test with stored documents').click();
    await hands.told('Nothing was saved.');
    await hands.told('Stored documents that do not match it: 1.');
    await page.getByText('/title').waitFor();
    expect((await started.admin('GET', '/admin/collection/notes/schema')).status).toBe(404);
  });

  it('is stored, and removed', async () => {
    await hands.button('Save the schema').click();
    await hands.told('The schema is active.');
    expect((await started.admin('GET', '/admin/collection/notes/schema')).data).toEqual(JSON.parse(schema('string')));
    await hands.button('Remove the schema').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the schema' }).click();
    await hands.told('This collection has no schema.');
    expect((await started.admin('GET', '/admin/collection/notes/schema')).status).toBe(404);
  });
});

describe('the indexes of a collection', () => {
  it('are added, listed and deleted', async () => {
    await hands.told('No indexes yet.');
    await hands.field('Path, such as author.name').fill('author..name');
    await hands.button('Add the index').click();
    await page.getByRole('alert').waitFor();
    await hands.field('Path, such as author.name').fill('author.name');
    await page.keyboard.press('Enter');
    await hands.button('Delete the index on author.name').waitFor();
    const indexes = async () => (await started.admin('GET', '/admin/collection/notes/index')).data;
    expect(await indexes()).toEqual([{ path: 'author.name', state: 'ready' }]);
    await hands.button('Delete the index on author.name').click();
    await hands.told('No indexes yet.');
    expect(await indexes()).toEqual([]);
  });
});

describe('a new collection', () => {
  it('is created with its rules, by the keyboard alone', async () => {
    await hands.goTo('collections');
    await hands.heading('Collections');
    await hands.button('Create a collection').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').focus();
    await page.keyboard.type('news');
    await page.keyboard.press('Tab');
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
  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('are accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await hands.goTo('collections/notes/configuration');
    await hands
      .field('JSON Schema')
      .fill(JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } }));
    await hands.button('Test with stored documents').click();
    await hands.told('Nothing was saved.');
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await hands.goTo('collections');
    await hands.button('Create a collection').click();
    await page.getByRole('dialog').getByText('Rules', { exact: true }).click();
    await hands.field('read: anonymous').waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
  });
});
