import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';

let started: StartedConsole;
let page: Page;
let hands: Hands;

beforeAll(async () => {
  started = await startConsole();
  await started.admin('POST', '/admin/collection/recipes');
  for (const name of ['anna_1', 'annaX1', 'bert']) await started.world.user(name);
  page = await started.open();
  hands = await started.enter(page);
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const options = () => page.getByRole('listbox').getByRole('option').allInnerTexts();
/** The option that Enter picks, as screen readers know it. */
const active = () =>
  page.evaluate(() => {
    const id = document.querySelector('[role=dialog] [role=combobox]')?.getAttribute('aria-activedescendant') ?? '';
    return document.getElementById(id)?.textContent;
  });

describe('the command palette', () => {
  it('leads to a view, by the keyboard alone', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    expect(await options()).toEqual(expect.arrayContaining(['Users', 'Collections', 'Settings', 'Sign out']));
    await page.keyboard.type('sett');
    await expect.poll(options).toEqual(['Settings']);
    expect(await active()).toBe('Settings');
    await page.keyboard.press('Enter');
    await hands.heading('General');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('finds collections and users', async () => {
    await page.keyboard.press('Meta+k');
    await page.keyboard.type('cip');
    await expect.poll(options).toEqual(['Collection: recipes']);
    await page.keyboard.press('Enter');
    await hands.heading('recipes');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('anna');
    await expect.poll(options).toEqual(['User: anna_1', 'User: annaX1']);
    await page.keyboard.type('_');
    await expect.poll(options).toEqual(['User: anna_1']);
    await page.keyboard.press('Enter');
    await hands.heading('anna_1');
  });

  it('shows only users who contain the text before the server has responded', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('anna');
    await expect.poll(options).toEqual(['User: anna_1', 'User: annaX1']);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/admin/user**', async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.type('x');
    await expect.poll(options).toEqual(['User: annaX1']);
    await page.keyboard.press('Enter');
    release();
    await hands.heading('annaX1');
    await page.unroute('**/admin/user**');
  });

  it('does what is asked for', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new coll');
    await expect.poll(options).toEqual(['New collection']);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New collection' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('moves through its options with the arrow keys, and closes with Escape', async () => {
    await hands.button('Search').click();
    const all = await options();
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toBe(all.at(-1));
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toBe(all[0]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Search');
  });

  it.each(LOOKS)('is accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.keyboard.press('Control+k');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
  });
});
