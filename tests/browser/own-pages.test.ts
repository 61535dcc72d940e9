import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { overflow, seriousProblems } from '../support/accessibility.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { PREFIX, startPrefixProxy } from '../support/prefix-proxy.ts';
import { openSocket } from '../support/sockets.ts';

const NARROW = { width: 360, height: 740 };

let backend: TestBackend;
let browser: SharedBrowser;
let direct: string;
let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;
let page: Page;
let problems: string[];

beforeAll(async () => {
  backend = await createTestBackend();
  const port = await openSocket(backend.app);
  direct = `http://127.0.0.1:${port}`;
  proxy = await startPrefixProxy(port);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  proxy?.server.close();
  await backend?.close();
});

beforeEach(async () => {
  problems = [];
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('requestfailed', (failed) => problems.push(failed.url()));
  page.on('request', (asked) => {
    const url = asked.url();
    if (!url.startsWith(direct) && !url.startsWith(proxy.origin) && !url.startsWith('data:')) problems.push(url);
  });
});
afterEach(async () => {
  expect(problems).toEqual([]);
  await page.close();
});

const places = [
  ['directly', () => direct],
  ['below a path prefix of a proxy', () => proxy.origin + PREFIX],
] as const;

describe.each(places)('the first page, %s', (_name, place) => {
  it('says what runs here, and links to what there is', async () => {
    await page.goto(`${place()}/`);
    expect(await page.textContent('h1')).toMatch(/^Baobab \d+\.\d+\.\d+$/);
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(links).toEqual(['docs', 'openapi.json', 'health/ready'].map((path) => `${place()}/${path}`));
    for (const link of links) expect((await fetch(link)).status).toBe(200);
  });
});

describe.each(['light', 'dark'] as const)('the first page, in %s colors', (colorScheme) => {
  it('is accessible, and fits a narrow screen', async () => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(NARROW);
    await page.goto(`${direct}/`);
    expect(await seriousProblems(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });
});

it('the reference has our name, takes the credentials it needs, keeps them, and is accessible on a narrow screen', async () => {
  const base = proxy.origin + PREFIX;
  const me = '#operations-users-readMe';
  const open = async () => {
    await page.goto(`${base}/docs`);
    await page.waitForSelector('.opblock-tag-section');
  };
  const fits = async () => {
    expect(await seriousProblems(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  };
  const callAsAdmin = async () => {
    await page.click('[data-tag="users"]');
    await page.click(`${me} .opblock-summary-control`);
    await page.click(`${me} .execute`);
    await page.waitForSelector(`${me} .live-responses-table`);
    expect(await page.textContent(`${me} .live-responses-table`)).toContain('"administrator"');
  };
  await page.setViewportSize(NARROW);
  await open();
  expect(await page.title()).toBe('Baobab API reference');
  expect(await page.textContent('header a')).toMatch(/^Baobab \d/);
  expect(await page.getAttribute('link[rel=icon]', 'href')).toMatch(/baobab\.svg$/);
  expect(await page.innerText('body')).not.toMatch(/swagger|smartbear|fastify/i);
  await fits();

  await page.click('button.authorize');
  await page.waitForSelector('.modal-ux');
  // No ways to send secrets in the query.
  expect(await page.locator('.auth-container h4 code').allTextContents()).toEqual([
    'appCode',
    'session',
    'apiKey',
    'basic',
  ]);
  expect(await page.locator('.auth-container h6').allTextContents()).toEqual(['Authorized']);
  await fits();
  await page.fill('#auth-basic-username', 'admin');
  await page.fill('#auth-basic-password', backend.adminPassword);
  await page.locator('.auth-container', { hasText: 'basic' }).locator('button.authorize').click();
  await page.click('.modal-ux .btn-done');
  await callAsAdmin();
  await fits();

  await open();
  await callAsAdmin();
  await page.click('header a');
  expect(page.url()).toBe(`${base}/`);
});
