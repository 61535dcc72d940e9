import type { Baobab } from '@baobab/client';
import type { Offline } from '@baobab/client/offline';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { bundleClient } from '../support/bundle.ts';
import { type ClientService, openClientService, PASSWORD } from '../support/client-service.ts';
import { type Pages, servePages } from '../support/pages.ts';

const PAGE = `<!doctype html><title>App</title><script type="module">
  import { createClient, createOffline, indexedDbStore } from './client.js';
  const { url, code, collection, locks } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const open = IDBFactory.prototype.open;
  window.connections = [];
  IDBFactory.prototype.open = function (...request) {
    const opening = open.apply(this, request);
    opening.addEventListener('success', () => connections.push(opening.result));
    return opening;
  };
  if (locks === 'off') Object.defineProperty(navigator, 'locks', { value: undefined });
  const reach = (...request) => localStorage.network === 'off' ? Promise.reject(new TypeError('off')) : fetch(...request);
  window.baobab = createClient({ url, appCode: code, storage: 'localStorage', retries: 0, fetch: reach });
  window.offline = createOffline(baobab, { store: indexedDbStore('app-' + collection), collections: [collection] });
  window.items = offline.collection(collection);
  window.titles = [];
  items.query().orderBy('title').live((rows) => { titles = rows.map(({ title, done }) => title + (done ? '!' : '')); });
</script>`;

/** In a sandboxed frame, a page has no storage: every access throws. */
const FRAME = `<!doctype html><title>App in a frame</title><script>
  document.write('<iframe sandbox="allow-scripts" src="inside.html' + location.hash + '"></iframe>');
</script>`;

const INSIDE = `
  import { createClient } from '@baobab/client';
  import { createOffline, indexedDbStore } from '@baobab/client/offline';
  const { url, code, collection } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  window.errors = [];
  window.baobab = createClient({ url, appCode: code, storage: 'localStorage' });
  const onError = ({ code }) => errors.push(code);
  window.offline = createOffline(baobab, { store: indexedDbStore('app'), collections: [collection], onError });
  window.items = offline.collection(collection);
`;

const BUNDLE = "export * from '@baobab/client'; export * from '@baobab/client/offline';";

/** Globals of the page. */
interface App {
  readonly baobab: Baobab;
  readonly offline: Offline<never>;
  readonly items: ReturnType<Offline<{ collections: { items: { title: string; done?: boolean } } }>['collection']>;
  readonly titles: readonly string[];
  readonly connections: readonly IDBDatabase[];
  readonly errors: readonly string[];
}

describe('the offline store in a browser', () => {
  let service: ClientService;
  let pages: Pages;
  let browser: SharedBrowser;
  let context: BrowserContext;
  const problems: string[] = [];

  async function openTab(collection: string, more = ''): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    const { appCode } = service.backend;
    await page.goto(`${pages.origin}/app.html#url=${service.url}&code=${appCode}&collection=${collection}${more}`);
    await page.waitForFunction(() => 'titles' in globalThis);
    return page;
  }

  const shows = (page: Page, ...titles: string[]) =>
    page.waitForFunction((wanted) => String((globalThis as unknown as App).titles) === wanted, String(titles));
  const isIdle = (page: Page) =>
    page.waitForFunction(() => {
      const { status, waiting } = (globalThis as unknown as App).offline;
      return status === 'idle' && waiting === 0;
    });
  const add = (page: Page, title: string) =>
    page.evaluate((of) => (globalThis as unknown as App).items.create({ title: of }), title);
  const finish = (page: Page, id: string) =>
    page.evaluate((of) => (globalThis as unknown as App).items.update(of, { done: true }), id);
  const signUp = (page: Page, username: string) =>
    page.evaluate((user) => (globalThis as unknown as App).baobab.auth.signUp(user), { username, password: PASSWORD });

  /**
   * Allows or blocks new requests of all tabs. Not by interception: a page that is closed lets go the requests
   * that are held up.
   */
  const network = (page: Page, state: 'on' | 'off') =>
    page.evaluate((now) => localStorage.setItem('network', now), state);

  const stored = async (collection: string) =>
    (await (await service.admin()).collection(collection).query().orderBy('title').list()).map(({ title, done }) => ({
      title,
      done,
    }));

  beforeAll(async () => {
    service = await openClientService();
    pages = await servePages({
      '/app.html': PAGE,
      '/client.js': await bundleClient(BUNDLE),
      '/frame.html': FRAME,
      '/inside.html': `<!doctype html><title>Inside</title><script type="module">${await bundleClient(INSIDE)}</script>`,
    });
    browser = await openBrowser();
    context = await browser.newContext();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await service?.close();
  });

  it.each([
    ['locks of the browser', ''],
    ['a lease in the store', '&locks=off'],
  ])('survives closed tabs, shares data between tabs, and lets one of them send: by %s', async (_by, more) => {
    const collection = await service.collection();
    const name = service.unique('ann');
    const first = await openTab(collection, more);
    await signUp(first, name);
    await isIdle(first);
    const second = await openTab(collection, more);

    await network(first, 'off');
    const { id } = await add(first, 'Milk');
    await shows(second, 'Milk');
    await finish(second, id);
    await shows(first, 'Milk!');
    await first.close();
    await second.close();

    const third = await openTab(collection, more);
    await shows(third, 'Milk!');
    expect(await third.evaluate(() => (globalThis as unknown as App).offline.waiting)).toBe(2);
    expect(await stored(collection)).toEqual([]);
    const fourth = await openTab(collection, more);
    await shows(fourth, 'Milk!');
    await network(third, 'on');
    // The page hears of a network when the browser does.
    for (const page of [third, fourth]) await page.evaluate(() => dispatchEvent(new Event('online')));
    await isIdle(third);
    await isIdle(fourth);
    expect(await stored(collection)).toEqual([{ title: 'Milk', done: true }]);

    // Writes of others arrive by the stream, and when the sending tab is closed, the other one sends.
    const admin = await service.admin();
    await add(fourth, 'Bread');
    await shows(third, 'Bread', 'Milk!');
    await third.close();
    await add(fourth, 'Eggs');
    await isIdle(fourth);
    const eggs = await admin.collection(collection).query().where('title = ?', 'Eggs').list();
    await admin.collection(collection).update(eggs[0]?.id ?? '', { title: 'Ham' });
    await shows(fourth, 'Bread', 'Ham', 'Milk!');
    await fourth.evaluate(() => (globalThis as unknown as App).baobab.auth.logout());
    await shows(fourth);
    await fourth.close();
  });

  it('hides the data of a user from the next one, in all tabs', async () => {
    const collection = await service.collection();
    const [first, second] = [await openTab(collection), await openTab(collection)];
    const [ann, bob] = [service.unique('ann'), service.unique('bob')];
    await signUp(first, ann);
    await network(first, 'off');
    await add(first, 'Diary');
    await shows(second, 'Diary');
    await network(first, 'on');
    await first.evaluate(() => (globalThis as unknown as App).baobab.auth.logout());
    await shows(first);
    await shows(second);
    await signUp(second, bob);
    await isIdle(second);
    await add(second, 'Ball');
    await isIdle(second);
    await shows(first, 'Ball');
    await second.evaluate(async () => {
      const { baobab, offline } = globalThis as unknown as App;
      await baobab.auth.logout();
      await offline.clear();
    });
    await first.evaluate((user) => (globalThis as unknown as App).baobab.auth.login(user), {
      username: ann,
      password: PASSWORD,
    });
    await shows(second, 'Diary');
    await isIdle(first);
    expect(await stored(collection)).toEqual([{ title: 'Ball' }, { title: 'Diary' }]);
    for (const page of [first, second]) await page.close();
  });

  it('loses nothing when the browser closes or deletes the database of an open page', async () => {
    const collection = await service.collection();
    const page = await openTab(collection);
    await signUp(page, service.unique('ann'));
    await isIdle(page);
    await network(page, 'off');
    await add(page, 'Milk');
    await page.evaluate(() => (globalThis as unknown as App).connections.at(-1)?.close());
    await add(page, 'Bread');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin: pages.origin, storageTypes: 'indexeddb' });
    await add(page, 'Eggs');
    await shows(page, 'Bread', 'Eggs', 'Milk');
    await page.reload();
    await shows(page, 'Bread', 'Eggs', 'Milk');
    expect(await page.evaluate(() => (globalThis as unknown as App).offline.waiting)).toBe(3);
    await network(page, 'on');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await isIdle(page);
    expect(await stored(collection)).toEqual([{ title: 'Bread' }, { title: 'Eggs' }, { title: 'Milk' }]);
    await page.close();
  });

  it('keeps data in memory, and says so, in a page that has no storage', async () => {
    const collection = await service.collection();
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    const { appCode } = service.backend;
    await page.goto(`${pages.origin}/frame.html#url=${service.url}&code=${appCode}&collection=${collection}`);
    const frame = page.frames().find((one) => one.url().includes('inside.html')) ?? page.mainFrame();
    await frame.waitForFunction(() => 'items' in globalThis);
    const user = { username: service.unique('ann'), password: PASSWORD };
    const found = await frame.evaluate(async (of) => {
      const { baobab, items, errors } = globalThis as unknown as App;
      await baobab.auth.signUp(of);
      await items.create({ title: 'Milk' });
      return { titles: (await items.query().list()).map(({ title }) => title), errors };
    }, user);
    expect(found).toEqual({ titles: ['Milk'], errors: ['client.store_unavailable'] });
    await frame.waitForFunction(() => (globalThis as unknown as App).offline.waiting === 0);
    expect(await stored(collection)).toEqual([{ title: 'Milk' }]);
    await page.close();
  });

  it('runs without a fault', () => {
    expect(problems).toEqual([]);
  });
});
