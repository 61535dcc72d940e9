import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { openSocket } from '../support/sockets.ts';

let backend: TestBackend;
let browser: SharedBrowser;

beforeAll(async () => {
  backend = await createTestBackend();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.close();
});

it('the reference page shows every operation, without other hosts and within its policy', async () => {
  const origin = `http://127.0.0.1:${await openSocket(backend.app)}`;
  const page = await browser.newPage();
  const requestedUrls: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => requestedUrls.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${origin}/docs`);
  await page.waitForSelector('.opblock-tag-section');
  const sections = await page.locator('.opblock-tag-section .opblock-tag').count();
  expect(sections).toBeGreaterThan(10);

  // A call from the page itself.
  await page.click('#operations-tag-health .opblock-tag, [data-tag="health"]');
  await page.click('#operations-health-ready .opblock-summary-control');
  await page.click('#operations-health-ready .execute');
  await page.waitForSelector('#operations-health-ready .live-responses-table');
  expect(await page.textContent('#operations-health-ready .live-responses-table')).toContain('"ready"');

  expect(requestedUrls.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
  expect(problems).toEqual([]);
});
