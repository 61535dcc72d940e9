import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overflow } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(40);
/** Values that a careless table would show in tall rows. */
const HOSTILE = [
  { title: LONG, body: 'one\ntwo\nthree', tags: ['a', { b: LONG }], empty: null },
  {
    title: '<img src=x onerror="ran=1">',
    body: { deep: { deeper: [1, 2, 3] } },
    tags: [],
    when: '2026-01-01T00:00:00Z',
  },
  { title: '', body: 1e300, tags: true },
];

let started: StartedConsole;
let page: Page;
let hands: Hands;

beforeAll(async () => {
  started = await startConsole();
  await started.admin('POST', '/admin/collection/notes');
  for (let n = 0; n < 60; n++)
    await started.admin('POST', '/document/notes', { ...HOSTILE[n % HOSTILE.length], number: n });
  page = await started.open();
  hands = await started.enter(page);
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const settled = () => page.waitForFunction(() => document.querySelector('[aria-busy=true], .skeleton') === null);
const asked = () => page.getByRole('dialog', { name: 'Unsaved changes' });

async function openNotes(width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await hands.goTo('collections/notes');
  await page.locator('main tbody tr').first().waitFor();
  await settled();
}

describe('an empty list', () => {
  it.each([
    ['collections/empty', 'Create the first one', 'New document'],
    ['assets', 'Create the first one', 'New asset'],
    ['groups', 'Create the first one', 'New group'],
    ['keys', 'Create the first one', 'New API key'],
    ['webhooks', 'Create the first one', 'New webhook'],
    ['users', 'Create the first one', 'New user'],
  ])('offers to create the first entry: %s', async (place, action, dialog) => {
    await started.admin('POST', '/admin/collection/empty');
    await hands.goTo(place);
    await hands.button(action).click();
    await page.getByRole('dialog', { name: dialog }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('offers to upload the first file', async () => {
    await hands.goTo('files');
    await hands.button('Upload the first one').waitFor();
  });

  it.each(['files', 'assets', 'users'])('offers to clear a filter without matches: %s', async (place) => {
    await hands.goTo(`${place}?find=nothing`);
    await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).last().click();
    await page.waitForURL((url) => url.hash === `#/${place}`);
  });
});

describe('the table of documents', () => {
  it.each([
    [1440, 900, 220],
    [1024, 768, 220],
    [390, 844, 260],
  ])('has its first row near the top, %i × %i', async (width, height, most) => {
    await openNotes(width, height);
    const top = await page
      .locator('main tbody tr')
      .first()
      .evaluate((row) => row.getBoundingClientRect().top);
    expect(top).toBeLessThanOrEqual(most);
    expect(await overflow(page)).toBe(0);
  });

  it('has at least 16 rows on a laptop, all of the same height, whatever is in them', async () => {
    await openNotes(1440, 900);
    const rows = await page.locator('main tbody tr').evaluateAll((all) =>
      all.map((row) => {
        const { height, bottom } = row.getBoundingClientRect();
        return { height, bottom };
      }),
    );
    expect(rows.filter(({ height }) => Math.abs(height - 36) > 2)).toEqual([]);
    expect(rows.filter(({ bottom }) => bottom <= 900).length).toBeGreaterThanOrEqual(16);
  });

  it('is reached with at most eight presses of Tab, and moves with j and k', async () => {
    await page.reload();
    await page.locator('main tbody tr').first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    let presses = 1;
    const isInRow = () => page.evaluate(() => document.activeElement?.closest('tbody tr') !== null);
    for (; presses < 20 && !(await isInRow()); presses++) await page.keyboard.press('Tab');
    expect(presses).toBeLessThanOrEqual(8);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const row = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('tbody tr')].findIndex((one) => one.contains(document.activeElement)),
      );
    expect(await row()).toBe(2);
    await page.keyboard.press('k');
    expect(await row()).toBe(1);
    await page.keyboard.press('/');
    expect(await hands.field('Filter').evaluate((input) => input === document.activeElement)).toBe(true);
  });

  it('remembers columns, widths and the theme', async () => {
    await openNotes(1440, 900);
    await hands.button('Columns').click();
    await hands.field('empty').uncheck();
    await page.keyboard.press('Escape');
    const head = page.getByRole('columnheader', { name: 'title' });
    const grip = await head.locator('.grip').boundingBox();
    if (grip === null) throw new Error('the column has no grip');
    await page.mouse.move(grip.x + 2, grip.y + 10);
    await page.mouse.down();
    await page.mouse.move(grip.x + 122, grip.y + 10, { steps: 4 });
    await page.mouse.up();
    const width = await head.evaluate((one) => (one as HTMLElement).offsetWidth);
    await hands.button('Account: admin').click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await page.reload();
    await page.locator('main tbody tr').first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'empty' }).count()).toBe(0);
    expect(await head.evaluate((one) => (one as HTMLElement).offsetWidth)).toBe(width);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(20, 22, 20)');
    await hands.button('Account: admin').click();
    await page.getByRole('menuitem', { name: 'System' }).click();
  });
});

describe('every page', () => {
  it('has the same top bar of at most 56 pixels', async () => {
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      for (const place of ['overview', 'collections/notes', 'users/admin', 'settings/email', 'logs', 'health']) {
        await hands.goTo(place);
        await page.locator('.top-bar h1').waitFor();
        const height = await page.locator('.top-bar').evaluate((bar) => bar.getBoundingClientRect().height);
        expect([place, width, height]).toEqual([place, width, 48]);
        expect([place, await overflow(page)]).toEqual([place, 0]);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe('a form with unsaved changes', () => {
  /** True once the page knows of unsaved changes: the browser would then ask before it closes the tab. */
  const isGuarded = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));

  it('is not left unasked: by a link, Back, Escape and its close button', async () => {
    await hands.goTo('overview');
    await hands.goTo('settings/general');
    await hands.field('Application name').fill('Other');
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Users' }).click();
    await asked().getByRole('button', { name: 'Cancel' }).click();
    expect(await hands.field('Application name').inputValue()).toBe('Other');
    await page.goBack();
    await asked().getByRole('button', { name: 'Cancel' }).click();
    expect(page.url()).toContain('settings/general');
    await page.goBack();
    await asked().getByRole('button', { name: 'Discard changes' }).click();
    await hands.heading('Overview');

    await openNotes(1440, 900);
    await hands.button('New document').click();
    await hands.fillJson('Content (JSON)', '{"kept":1}');
    await expect.poll(isGuarded).toBe(true);
    await page.keyboard.press('Escape');
    await asked().getByRole('button', { name: 'Cancel' }).click();
    expect(await hands.jsonText()).toBe('{"kept":1}');
    await hands.button('Close').first().click();
    await asked().getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('a server that does not answer', () => {
  const isOwn = /\/(?:health|document|admin)\//;

  it('is reported at once, and the page recovers', async () => {
    await openNotes(1440, 900);
    const warnings = page.getByText('Can’t reach the server.');
    await page.route(isOwn, (route) => route.abort());
    await warnings.waitFor();
    await hands.goTo('users');
    await hands.heading('Users');
    await page.locator('.skeleton').waitFor();
    expect(await warnings.count()).toBe(1);
    await page.unroute(isOwn);
    await warnings.waitFor({ state: 'detached' });
    await hands.heading('Users');
    await expect.poll(() => page.getByText('No users yet').count()).toBe(1);
  });

  it('never leaves a blank page when a part of the console is missing', async () => {
    const chunk = /assets\/roles-.*\.js/;
    await page.route(chunk, (route) => route.abort());
    await hands.goTo('roles');
    await hands.heading('This page could not be shown');
    await page.unroute(chunk);
    await hands.button('Retry').click();
    await hands.heading('Roles');
  });
});

describe('a second tab', () => {
  it('is signed in, and signs out with the first', async () => {
    const other = await page.context().newPage();
    await other.goto(`${started.base}/console/#/users`);
    await other.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await hands.button('Account: admin').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { level: 1, name: 'Sign in to the console' }).waitFor();
    await other.close();
  });
});
