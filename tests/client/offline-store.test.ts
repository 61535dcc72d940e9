import { type indexedDbStore, memoryStore } from '@baobab/client/offline';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { bundleClient } from '../support/bundle.ts';
import { STORE_CONTRACT } from '../support/offline/store-contract.ts';
import { type Pages, servePages } from '../support/pages.ts';

const SMALL = 2_000_000;

describe('the store in memory', () => {
  it.each(Object.entries(STORE_CONTRACT))('%s', async (_title, scenario) => {
    const store = memoryStore();
    await scenario({ store, again: () => ({ ...store }), small: async () => memoryStore({ maxLength: SMALL }) });
  });
});

const PAGE = `<!doctype html><title>Store</title><script type="module">
  import { indexedDbStore, STORE_CONTRACT } from './store.js';
  window.play = (title) => STORE_CONTRACT[title]({
    store: indexedDbStore('store'),
    again: () => indexedDbStore('store'),
    small: async () => indexedDbStore('small'),
  });
  window.indexedDbStore = indexedDbStore;
</script>`;

const BUNDLE = `
  export { indexedDbStore } from '@baobab/client/offline';
  export { STORE_CONTRACT } from ${JSON.stringify(`${import.meta.dirname}/../support/offline/store-contract.ts`)};
`;

interface StorePage {
  play(title: string): Promise<void>;
  readonly indexedDbStore: typeof indexedDbStore;
}

describe('the store in IndexedDB', () => {
  let pages: Pages;
  let browser: SharedBrowser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    pages = await servePages({ '/page.html': PAGE, '/store.js': await bundleClient(BUNDLE) });
    browser = await openBrowser();
  });
  // The browser asks for the room when a page first stores something, and remembers it for a while.
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: `${pages.origin}/`, quotaSize: SMALL });
    await page.goto(`${pages.origin}/page.html`);
    await page.waitForFunction(() => 'play' in globalThis);
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });

  it.each(Object.keys(STORE_CONTRACT))('%s', async (title) => {
    await page.evaluate((of) => (globalThis as unknown as StorePage).play(of), title);
  });

  it('lets another tab delete the database, and makes a new one then', async () => {
    const found = await page.evaluate(async () => {
      const store = (globalThis as unknown as StorePage).indexedDbStore('deleted');
      await store.update([], () => [['a', 1]]);
      await new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase('deleted');
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
        request.onblocked = () => reject(new Error('the store keeps the database open'));
      });
      return store.list('');
    });
    expect(found).toEqual([]);
  });
});
