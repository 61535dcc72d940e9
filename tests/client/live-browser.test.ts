import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { type ClientService, openClientService, PASSWORD } from '../support/client-service.ts';
import { type LivePage, pageOf, QUERIES, serveManyQueries } from '../support/live/many-queries.ts';
import type { Pages } from '../support/pages.ts';

const TABS = 10;

describe('a page with many live queries', () => {
  let service: ClientService;
  let pages: Pages;
  let browser: SharedBrowser;
  let context: BrowserContext;

  beforeAll(async () => {
    pages = await serveManyQueries();
    service = await openClientService();
    browser = await openBrowser();
    context = await browser.newContext();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await service?.close();
  });

  const inPage = <T>(page: Page, read: (app: LivePage) => T) => page.evaluate(`(${read})(globalThis)`) as Promise<T>;
  const becomes = (page: Page, test: (app: LivePage) => boolean) => page.waitForFunction(`(${test})(globalThis)`);

  it('answers calls while all of them are live, in many tabs, over HTTP/1.1', async () => {
    const collection = await service.collection();
    const tabs: Page[] = [];
    for (let at = 0; at < TABS; at++) {
      const page = await context.newPage();
      await page.goto(pageOf(pages, { url: service.url, appCode: service.backend.appCode }, collection));
      await becomes(page, ({ begin }) => typeof begin === 'function');
      if (at === 0) {
        const credentials = { username: 'ann', password: PASSWORD };
        await page.evaluate((user) => (globalThis as unknown as LivePage).baobab.auth.signUp(user), credentials);
      }
      await becomes(page, ({ baobab }) => baobab.auth.session !== null);
      await inPage(page, ({ begin }) => begin());
      await page.waitForFunction(
        (count) => (globalThis as unknown as LivePage).states.filter((state) => state === 'live').length === count,
        QUERIES,
      );
      tabs.push(page);
    }
    const [first] = tabs;
    if (first === undefined) throw new Error('there is no page');
    // With a stream for each query the connections of the browser would be used up, and no call would be answered.
    const made = await first.evaluate(async (name) => {
      const notes = (globalThis as unknown as LivePage).baobab.collection(name);
      for (let n = 0; n < 20; n++) await notes.create({ n });
      return (await notes.query().list()).length;
    }, collection);
    expect(made).toBe(20);
    for (const page of tabs) {
      await becomes(page, ({ counts }) => counts.every((count, at) => count === Math.max(0, 20 - at)));
      expect(await inPage(page, ({ states }) => [...new Set(states)])).toEqual(['live']);
    }
  });
});
