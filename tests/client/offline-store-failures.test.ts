import type { BaobabError } from '@baobab/client';
import type { indexedDbStore } from '@baobab/client/offline';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { bundleClient } from '../support/bundle.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { until } from '../support/patience.ts';

const PAGE = `<!doctype html><title>Store</title><script type="module">
  import { indexedDbStore } from './store.js';
  const open = IDBFactory.prototype.open;
  const { transaction } = IDBDatabase.prototype;
  const fault = (name) => { throw new DOMException('Connection to Indexed Database server lost', name); };
  const store = indexedDbStore('store');
  // The connections of the store, and the attempts to begin a transaction.
  window.tab = {
    connections: [],
    opens: 0,
    begun: 0,
    // Each failure is one of the next attempts; the last one lasts.
    openings: [],
    beginnings: [],
    store,
    increment: () => store.update(['n'], ([n = 0]) => [['n', n + 1]]),
    entries: () => store.list(''),
    settled: (call) => call.then(() => 'stored', ({ name, code, cause }) => ({ name, code, cause: cause?.name })),
  };
  const next = (failures) => failures.length > 1 ? failures.shift() : failures[0];
  IDBFactory.prototype.open = function (...request) {
    tab.opens++;
    const failure = next(tab.openings);
    if (failure === 'silent') return new EventTarget();
    if (failure !== undefined && failure !== 'none') fault(failure);
    const opening = open.apply(this, request);
    opening.addEventListener('success', () => tab.connections.push(opening.result));
    return opening;
  };
  IDBDatabase.prototype.transaction = function (...request) {
    tab.begun++;
    const failure = next(tab.beginnings);
    if (failure !== undefined && failure !== 'none' && failure !== 'abort') fault(failure);
    const begun = transaction.apply(this, request);
    if (failure === 'abort') queueMicrotask(() => begun.abort());
    return begun;
  };
</script>`;

interface Tab {
  readonly tab: {
    readonly connections: IDBDatabase[];
    opens: number;
    begun: number;
    openings: string[];
    beginnings: string[];
    readonly store: ReturnType<typeof indexedDbStore>;
    increment(): Promise<void>;
    entries(): Promise<readonly (readonly [string, unknown])[]>;
    settled(call: Promise<unknown>): Promise<'stored' | Pick<BaobabError, 'name' | 'code'>>;
  };
}

declare const tab: Tab['tab'];

const UNAVAILABLE = { name: 'BaobabError', code: 'client.store_unavailable' };
/** Longer than what an attempt to open has, and an attempt of a transaction. */
const LIMITS_MS = { opens: 1_500, begun: 31_000 };

describe('the store in a browser whose database fails', () => {
  let pages: Pages;
  let browser: SharedBrowser;
  let context: BrowserContext;
  let page: Page;

  async function openTab(): Promise<Page> {
    const opened = await context.newPage();
    await opened.goto(`${pages.origin}/page.html`);
    await opened.waitForFunction(() => 'tab' in globalThis);
    return opened;
  }

  const increment = () => page.evaluate(() => tab.settled(tab.increment()));
  const entries = () => page.evaluate(() => tab.entries());
  /** Lets the time pass that an attempt has, each time that their number has grown to the next one of these. */
  async function pass(kind: 'opens' | 'begun', ...counts: number[]): Promise<void> {
    for (const count of counts) {
      await page.waitForFunction(([of, wanted]) => tab[of] === wanted, [kind, count] as const);
      await page.clock.fastForward(LIMITS_MS[kind]);
    }
  }
  /** Begins to count anew, with failures of the next attempts. */
  const next = (failures: { openings?: string[]; beginnings?: string[] }) =>
    page.evaluate(
      (given) => Object.assign(tab, { opens: 0, begun: 0, openings: [], beginnings: [], ...given }),
      failures,
    );
  const closeConnection = () => page.evaluate(() => tab.connections.at(-1)?.close());

  beforeAll(async () => {
    pages = await servePages({
      '/page.html': PAGE,
      '/store.js': await bundleClient("export { indexedDbStore } from '@baobab/client/offline';"),
    });
    browser = await openBrowser();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    await context.clock.install();
    page = await openTab();
    await page.evaluate(() => tab.increment());
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });

  it('opens it again after the connection has been closed without an event', async () => {
    await closeConnection();
    expect(await increment()).toBe('stored');
    expect(await entries()).toEqual([['n', 2]]);
    expect(await page.evaluate(() => tab.opens)).toBe(2);
  });

  it('goes on when the browser deletes the data of the page', async () => {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin: pages.origin, storageTypes: 'indexeddb' });
    expect(await increment()).toBe('stored');
    expect(await entries()).toEqual([['n', 1]]);
  });

  it('repeats what could not begin, once', async () => {
    await next({ beginnings: ['UnknownError', 'none'] });
    expect(await increment()).toBe('stored');
    expect(await entries()).toEqual([['n', 2]]);
    await next({ beginnings: ['InvalidStateError'] });
    expect(await increment()).toEqual({ ...UNAVAILABLE, cause: 'InvalidStateError' });
    expect(await page.evaluate(() => tab.begun)).toBe(2);
    await next({});
    expect(await increment()).toBe('stored');
    expect(await entries()).toEqual([['n', 3]]);
  });

  it('repeats what was aborted, and stores it once', async () => {
    await next({ beginnings: ['abort', 'none'] });
    expect(await increment()).toBe('stored');
    expect(await entries()).toEqual([['n', 2]]);
    await next({ beginnings: ['abort'] });
    expect(await increment()).toMatchObject(UNAVAILABLE);
    await next({});
    expect(await entries()).toEqual([['n', 2]]);
  });

  it('opens again what does not answer', async () => {
    await page.reload();
    await page.waitForFunction(() => 'tab' in globalThis);
    await next({ openings: ['silent', 'none'] });
    const repeated = increment();
    await pass('opens', 1);
    expect(await repeated).toBe('stored');
    await closeConnection();
    await next({ openings: ['silent'] });
    const refused = increment();
    await pass('opens', 1);
    expect(await refused).toMatchObject(UNAVAILABLE);
    await next({});
    expect(await increment()).toBe('stored');
    expect(await entries()).toEqual([['n', 3]]);
  });

  it('says that the database may not be used', async () => {
    await closeConnection();
    await next({ openings: ['SecurityError'] });
    expect(await increment()).toEqual({ ...UNAVAILABLE, cause: 'SecurityError' });
  });

  it('opens it once another tab lets the browser delete it', async () => {
    const other = await openTab();
    await other.evaluate(async () => {
      const request = indexedDB.open('store', 1);
      await new Promise((resolve) => {
        request.onsuccess = resolve;
      });
    });
    await page.evaluate(async () => {
      const request = indexedDB.deleteDatabase('store');
      await new Promise((resolve) => {
        request.onblocked = resolve;
      });
    });
    await next({});
    const refused = increment();
    await pass('opens', 1, 2);
    expect(await refused).toMatchObject(UNAVAILABLE);
    await next({});
    const waiting = increment();
    await page.waitForFunction(() => tab.opens === 1);
    await other.close();
    expect(await waiting).toBe('stored');
    expect(await entries()).toEqual([['n', 1]]);
    // An attempt that was given up must not keep the database open.
    await page.evaluate(async () => {
      const request = indexedDB.deleteDatabase('store');
      await new Promise((resolve, reject) => {
        request.onsuccess = resolve;
        request.onblocked = reject;
      });
    });
  });

  it('gives up a transaction that waits too long, and stores it once when it can', async () => {
    const other = await openTab();
    await other.evaluate(async () => {
      const request = indexedDB.open('store', 1);
      await new Promise((resolve) => {
        request.onsuccess = resolve;
      });
      const entriesOf = request.result.transaction('entries', 'readwrite').objectStore('entries');
      const holdUp = () => {
        entriesOf.get('n').onsuccess = holdUp;
      };
      holdUp();
    });
    await next({});
    const refused = increment();
    await pass('begun', 1, 2);
    expect(await refused).toMatchObject(UNAVAILABLE);
    await next({});
    const waiting = increment();
    await page.waitForFunction(() => tab.begun === 1);
    await other.close();
    expect(await waiting).toBe('stored');
    expect(await entries()).toEqual([['n', 2]]);
  });

  it('never repeats what may have been stored', async () => {
    await next({});
    await page.evaluate(() => {
      Object.defineProperty(IDBTransaction.prototype, 'oncomplete', { set: () => undefined, configurable: true });
    });
    const unknown = increment();
    const other = await openTab();
    await until(async () => String(await other.evaluate(() => tab.entries())) === 'n,2');
    await pass('begun', 1, 1);
    expect(await unknown).toMatchObject(UNAVAILABLE);
    expect(await page.evaluate(() => tab.begun)).toBe(1);
    expect(await other.evaluate(() => tab.entries())).toEqual([['n', 2]]);
  });
});
