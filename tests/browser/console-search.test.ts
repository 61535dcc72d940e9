import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';
import { pause } from '../support/patience.ts';

let started: StartedConsole;
let page: Page;
let hands: Hands;

beforeAll(async () => {
  started = await startConsole();
  await started.admin('POST', '/admin/collection/recipes');
  for (const [title, text] of [
    ['Bread', 'Flour, water and milk'],
    ['Milk soup', 'Warm it'],
    ['Tea', 'Hot water'],
  ])
    await started.admin('POST', '/document/recipes', { title, text });
  page = await started.open();
  hands = await started.enter(page);
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const declared = async () => (await started.admin('GET', '/admin/collection/recipes/search?optional=true')).data;
const titles = () => page.locator('tbody th').allInnerTexts();
const words = () => page.getByRole('searchbox');

describe('full-text search', () => {
  it('is enabled field by field, with weights', async () => {
    await hands.goTo('collections/recipes/indexes');
    await hands.told('Not enabled.');
    await hands.field('Field, such as title').fill('a..b');
    await hands.button('Add field').click();
    await page.getByRole('alert').waitFor();
    await hands.field('Field, such as title').fill('text');
    await hands.button('Add field').click();
    await hands.button('Delete text from the search').waitFor();
    await hands.field('Field, such as title').fill('title');
    await hands.field('Weight').fill('3');
    await page.keyboard.press('Enter');
    await hands.button('Delete title from the search').waitFor();
    expect(await declared()).toEqual({ fields: { text: 1, title: 3 }, state: 'ready' });
  });

  it.each(LOOKS)('is accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('lists the documents with the words, best first', async () => {
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await words().fill('milk');
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['Milk soup', 'Bread']);
    expect(await hands.button('Auto-refresh').isDisabled()).toBe(true);
    await words().fill('-milk');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await words().fill('coffee');
    await page.keyboard.press('Enter');
    await hands.told('No documents match');
    await hands.button('Clear search').click();
    await expect.poll(async () => (await titles()).length).toBe(3);
  });

  it('goes with its last field', async () => {
    await hands.goTo('collections/recipes/indexes');
    // The page is still loading the fields that are left when the second one is deleted.
    await page.route(/\/recipes\/search/, async (route) => {
      if (route.request().method() === 'GET') await pause(500);
      await route.continue();
    });
    await hands.button('Delete title from the search').click();
    await hands.button('Delete text from the search').click();
    await hands.told('Not enabled.');
    await page.unroute(/\/recipes\/search/);
    expect(await declared()).toBeNull();
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await hands.button('Auto-refresh').waitFor();
    await expect.poll(() => words().count()).toBe(0);
  });
});
