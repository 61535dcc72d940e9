import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { collectionTypes } from '../../packages/server/src/types/collection-types.ts';
import { overflow, seriousProblems } from '../support/accessibility.ts';
import { createWorld, type World } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { builtExample, exampleFolder, setUpExample } from '../support/examples.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { createShopper, type Shopper } from '../support/shopping-lists.ts';
import { openSocket } from '../support/sockets.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
const PICTURE = join(import.meta.dirname, '../../packages/contracts/fixtures/images/baseline.jpg');
const THUMBNAIL_PX = 80;
/** The picture in the documents is what this test sees; set SCREENSHOTS=write to take it again. */
const SCREENSHOT = join(import.meta.dirname, '../../docs/images/shopping-lists.png');

let backend: TestBackend;
let world: World;
let pages: Pages;
let browser: SharedBrowser;
let contexts: BrowserContext[];
let ann: Shopper;
let bob: Shopper;
const problems: string[] = [];
let service: string;
let printed: string;

async function open(viewport: typeof PHONE): Promise<Shopper> {
  const context = await browser.newContext({ viewport });
  contexts.push(context);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.on('console', (message) => {
    // A refused call is shown to the user; the browser reports it as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  return createShopper(page, pages.origin);
}

/** The items that the service has, in the order of the app. */
async function stored() {
  const token = await world.admin();
  const { data } = await world.call('GET', '/document/items?orderBy=id', { token });
  return (data as Array<{ title: string; done: boolean; photo?: string }>).map(({ title, done, photo }) => ({
    title,
    done,
    photo: photo !== undefined,
  }));
}

/** Both screens show the same, and that is what the service has. */
async function allEqual(titles: readonly string[]): Promise<void> {
  for (const { shown } of [ann, bob])
    await expect.poll(async () => (await shown()).map(({ title }) => title)).toEqual(titles);
  await expect
    .poll(async () => [await ann.shown(), await bob.shown(), await stored()])
    .toSatisfy(([hers, his, known]) => isDeepStrictEqual(hers, known) && isDeepStrictEqual(his, known));
}

const endSessions = async (username: string) =>
  world.call('DELETE', `/admin/user/${username}/sessions`, { token: await world.admin() });

beforeAll(async () => {
  backend = await createTestBackend();
  world = createWorld(backend);
  service = `http://127.0.0.1:${await openSocket(backend.app)}`;
  printed = await setUpExample('shopping-lists', service, backend.adminPassword);
  pages = await servePages(builtExample('shopping-lists', service));
  browser = await openBrowser();
  contexts = [];
  ann = await open(PHONE);
  bob = await open(DESK);
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await backend?.close();
});
afterEach(() => {
  expect(problems.splice(0)).toEqual([]);
});

describe('the example of shared shopping lists', () => {
  it('is set up by its script, again and again, and has the types of its schemas', async () => {
    expect(printed).toBe('Collection lists is ready\nCollection items is ready\n');
    expect(await setUpExample('shopping-lists', service, backend.adminPassword)).toBe(printed);
    const token = await world.admin();
    const { data } = await world.call('GET', '/admin/collection', { token });
    const names = (data as Array<{ name: string }>).map(({ name }) => name).sort();
    const collections = [];
    for (const name of names) {
      const { data: schema } = await world.call('GET', `/admin/collection/${name}/schema`, { token });
      collections.push({ name, schema });
    }
    expect(readFileSync(join(exampleFolder('shopping-lists'), 'src/types.ts'), 'utf8')).toBe(
      collectionTypes(collections),
    );
  });

  it('says why a log-in is refused, and signs users up', async () => {
    await ann.page.goto(`${pages.origin}/index.html`);
    await ann.field('User name').fill('ann');
    await ann.field('Password').fill('wrong');
    await ann.button('Log in').click();
    await ann.told('Invalid username or password');
    expect(await ann.field('User name').inputValue()).toBe('ann');
    expect([await seriousProblems(ann.page), await overflow(ann.page)]).toEqual([[], 0]);
    await ann.signUp('ann');
    await bob.signUp('bob');
  });

  it('makes groups, to which users are invited by name', async () => {
    await ann.goTo('groups');
    await ann.field('New group').fill('Family');
    await ann.button('Create group').click();
    await ann.page.getByRole('heading', { name: 'Family' }).waitFor();
    await ann.field('New member of Family').fill('nobody-of-this-name');
    await ann.button('Invite to Family').click();
    await ann.page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await ann.field('New member of Family').fill('bob');
    await ann.button('Invite to Family').click();
    await ann.button('Remove bob').waitFor();
    expect([await seriousProblems(ann.page), await overflow(ann.page)]).toEqual([[], 0]);
    await bob.goTo('groups');
    await bob.button('Join Family').waitFor();
    expect([await seriousProblems(bob.page), await overflow(bob.page)]).toEqual([[], 0]);
    await bob.button('Join Family').click();
    await bob.button('Leave Family').waitFor();
  });

  it('shows a list to the group as soon as it is shared, with what is on it', async () => {
    await ann.goTo('lists');
    await ann.addList('Weekend');
    await ann.openList('Weekend');
    await ann.addItem('Milk');
    await ann.row('Milk').waitFor();
    expect(await bob.page.getByRole('link', { name: 'Weekend' }).count()).toBe(0);
    await ann.button('Share').click();
    await ann.told('Shared with Family by ann');
    await bob.openList('Weekend');
    await bob.row('Milk').waitFor();
    await bob.told('Shared with Family by ann');
    await bob.addItem('Bread');
    await bob.check('Milk');
    await allEqual(['Milk', 'Bread']);
  });

  it('shows photos to the group in a small size', async () => {
    await ann.field('Photo of Bread').setInputFiles(PICTURE);
    for (const { photoOf } of [ann, bob]) {
      await photoOf('Bread').waitFor();
      await expect
        .poll(() => photoOf('Bread').evaluate((image) => (image as HTMLImageElement).naturalWidth))
        .toSatisfy((width: number) => width > 0 && width <= THUMBNAIL_PX);
    }
    await allEqual(['Milk', 'Bread']);
  });

  it('goes on without a network, and then both screens show what the service has', async () => {
    await ann.addItem('Eggs');
    await allEqual(['Milk', 'Bread', 'Eggs']);
    await bob.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));

    await bob.page.context().setOffline(true);
    await bob.told('Offline');
    await bob.addItem('Tea');
    await bob.row('Tea').waitFor();
    await bob.check('Milk');
    await bob.check('Eggs');
    await bob.remove('Bread');
    // Everything is stored in the browser.
    await bob.told('Offline, 4 not sent yet');
    // The app itself opens without a network, too. This also ends what it had open to the service.
    await bob.page.reload();
    await bob.told('Offline, 4 not sent yet');

    await ann.addItem('Salt');
    await ann.field('Photo of Milk').setInputFiles(PICTURE);
    await ann.photoOf('Milk').waitFor();
    await ann.remove('Eggs');
    await expect.poll(async () => (await stored()).map(({ title }) => title)).toEqual(['Milk', 'Bread', 'Salt']);
    await bob.check('Tea');
    await expect.poll(bob.shown).toEqual([
      { title: 'Milk', done: false, photo: false },
      { title: 'Eggs', done: true, photo: false },
      { title: 'Tea', done: true, photo: false },
    ]);

    await bob.page.context().setOffline(false);
    // Documents keep the id, and so the place, that they got without a network.
    await allEqual(['Milk', 'Tea', 'Salt']);
    expect(await stored()).toEqual([
      { title: 'Milk', done: false, photo: true },
      { title: 'Tea', done: true, photo: false },
      { title: 'Salt', done: false, photo: false },
    ]);
    await expect.poll(() => bob.page.getByRole('status').innerText()).toBe('');
    if (process.env.SCREENSHOTS === 'write') {
      await bob.photoOf('Milk').waitFor();
      await bob.page.screenshot({ path: SCREENSHOT, clip: { x: 160, y: 56, width: 1120, height: 370 } });
    }
    expect(existsSync(SCREENSHOT)).toBe(true);
  });

  it('keeps a list open that was made without a network, and shares it afterwards', async () => {
    await bob.page.context().setOffline(true);
    await bob.addList('Party');
    await bob.openList('Party');
    await bob.addItem('Chips');
    await bob.row('Chips').waitFor();
    expect(await bob.button('Share').count()).toBe(0);
    await bob.page.context().setOffline(false);
    await bob.field('Photo of Chips').setInputFiles(PICTURE);
    await bob.photoOf('Chips').waitFor();
    await bob.button('Share').click();
    await bob.told('Shared with Family by bob');
    await bob.row('Chips').waitFor();
    await ann.goTo('lists');
    await ann.openList('Party');
    await ann.photoOf('Chips').waitFor();
    await ann.check('Chips');
    await expect.poll(bob.shown).toEqual([{ title: 'Chips', done: true, photo: true }]);
  });

  it('shows and changes lists after the session has expired, and sends the changes after a login', async () => {
    await endSessions('bob');
    await bob.told('Your session has expired');
    await bob.addItem('Dip');
    await bob.told('to sync (1 not sent yet)');
    await bob.page.reload();
    await bob.told('to sync (1 not sent yet)');
    await expect.poll(async () => (await bob.shown()).map(({ title }) => title)).toEqual(['Chips', 'Dip']);
    // This needs the server.
    expect(await bob.field('Photo of Chips').count()).toBe(0);
    await bob.page.setViewportSize(PHONE);
    expect([await seriousProblems(bob.page), await overflow(bob.page)]).toEqual([[], 0]);
    await bob.page.getByRole('link', { name: 'log in' }).click();
    await bob.logIn('bob');
    await bob.openList('Party');
    await ann.row('Dip').waitFor();
    await bob.photoOf('Chips').waitFor();
    await expect.poll(() => bob.page.getByRole('status').innerText()).toBe('');
  });

  it('hides the lists at a logout after the session has expired', async () => {
    await endSessions('bob');
    await bob.told('Your session has expired');
    await bob.button('Log out').click();
    await bob.field('Password').waitFor();
    await bob.page.reload();
    await bob.logIn('bob');
    await bob.row('Dip').waitFor();
  });

  it.each([
    ['light', PHONE],
    ['dark', PHONE],
    ['light', DESK],
    ['dark', DESK],
  ] as const)('is accessible in %s colors on every kind of screen', async (colorScheme, size) => {
    const { page } = bob;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await bob.goTo('groups');
    await bob.button('Leave Family').waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.goBack();
    await bob.row('Chips').waitFor();
  });

  it('deletes an account, which its owner can keep at the next log-in', async () => {
    const eve = await open(PHONE);
    await eve.signUp('eve');
    await eve.goTo('account');
    await eve.field('Password').fill('a password');
    expect([await seriousProblems(eve.page), await overflow(eve.page)]).toEqual([[], 0]);
    await eve.button('Delete my account').click();
    await eve.button('Sign up').waitFor();
    eve.page.once('dialog', (dialog) => void dialog.accept());
    await eve.field('User name').fill('eve');
    await eve.field('Password').fill('a password');
    await eve.button('Log in').click();
    await eve.page.getByRole('heading', { name: 'eve' }).waitFor();
  });

  it('deletes a list for everybody, and shows nothing of it to the next user of the device', async () => {
    await bob.button('Delete the list').click();
    await ann.page.getByRole('link', { name: 'Party' }).waitFor({ state: 'detached' });
    await bob.button('Log out').click();
    await bob.signUp('carol');
    expect(await bob.page.getByRole('link', { name: 'Weekend' }).count()).toBe(0);
  });
});
