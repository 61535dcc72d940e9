import { readFileSync } from 'node:fs';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { multipart, type Part, SAMPLES } from '../support/files.ts';
import { servePages } from '../support/pages.ts';
import { openSocket } from '../support/sockets.ts';

/** Files of a fraction of a second, made with ffmpeg: H.264 with AAC, VP9, Opus in WebM, and MP3; and a PDF of a page. */
const media = (file: string) => readFileSync(new URL(`../fixtures/media/${file}`, import.meta.url));

const MEDIA = [
  ['video.mp4', 'video/mp4'],
  ['video.webm', 'video/webm'],
  ['voice.webm', 'audio/webm'],
  ['tone.mp3', 'audio/mpeg'],
] as const;

/** Calls the origin of the page if it runs. */
const SCRIPT = "fetch('/attack');document.title='attack';alert(1)";
const HTML = Buffer.from(
  `<!doctype html><title>x</title><script>${SCRIPT}</script><img src=/attack onerror="${SCRIPT}">`,
);
const SVG = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script><image href="/attack"/></svg>`,
);

let backend: TestBackend;
let browser: SharedBrowser;
let origin: string;
let page: Page;
let attacks: string[];
let token: string;
let count = 0;

async function post(path: string, credentials: Record<string, string>, ...parts: readonly Part[]) {
  const { type, payload } = multipart(...parts);
  const headers = { 'x-service-appcode': backend.appCode, 'content-type': type, ...credentials };
  const response = await fetch(origin + path, { method: 'POST', headers, body: Uint8Array.from(payload as Buffer) });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { id: string } }).data.id;
}

const part = (content: Buffer, type: string): Part => ({ name: 'file', fileName: 'x', content, type });

/** The addresses of a file and of an asset with this content. */
async function addresses(content: Buffer, type: string): Promise<string[]> {
  const name = `asset-${++count}`;
  const id = await post('/file', { 'x-bb-session': token }, part(content, type));
  const admin = `Basic ${Buffer.from(`admin:${backend.adminPassword}`).toString('base64')}`;
  await post('/admin/asset', { authorization: admin }, { name: 'name', content: name }, part(content, type));
  return [`${origin}/file/${id}?X-BB-SESSION=${token}&X-SERVICE-APPCODE=${backend.appCode}`, `${origin}/asset/${name}`];
}

beforeAll(async () => {
  backend = await createTestBackend();
  origin = `http://127.0.0.1:${await openSocket(backend.app)}`;
  browser = await openBrowser();
  const headers = { 'x-service-appcode': backend.appCode, 'content-type': 'application/json' };
  const body = JSON.stringify({ username: 'ann', password: 'secret' });
  const signedUp = await fetch(`${origin}/user`, { method: 'POST', headers, body });
  token = ((await signedUp.json()) as { data: Record<string, string> }).data['X-BB-SESSION'] ?? '';
});
afterAll(async () => {
  await browser?.close();
  await backend?.close();
});

beforeEach(async () => {
  attacks = [];
  page = await browser.newPage();
  // Not requests: those that the policy blocked are reported, too.
  page.on('response', (response) => {
    if (response.url().endsWith('/attack')) attacks.push(response.url());
  });
  page.on('dialog', async (dialog) => {
    attacks.push(dialog.message());
    await dialog.dismiss();
  });
});
afterEach(async () => {
  await page.close();
});

describe('a stored file that is opened by its address', () => {
  it.each(MEDIA)('plays: %s', async (file, type) => {
    for (const url of await addresses(media(file), type)) {
      await page.goto(url);
      const state = () =>
        page.evaluate(() => {
          const player = document.querySelector('video, audio') as HTMLMediaElement | null;
          return player === null ? null : [player.readyState >= 2, player.error?.message ?? null];
        });
      await expect.poll(state).toEqual([true, null]);
    }
  });

  it('is shown by the PDF viewer as one of a server without any policy', async () => {
    const plain = await servePages({ '/page.pdf': media('page.pdf') });
    /** True if a viewer shows it. Without one, browsers save the file, which `goto` rejects. */
    async function isShown(url: string): Promise<boolean> {
      const tab = await browser.newPage();
      const isSaved = await tab.goto(url, { waitUntil: 'commit' }).then(
        () => false,
        () => true,
      );
      // The frames of the viewer, and of the page in it.
      if (!isSaved) await expect.poll(() => tab.frames().length).toBeGreaterThan(1);
      await tab.close();
      return !isSaved;
    }
    const expected = await isShown(`${plain.origin}/page.pdf`);
    for (const url of await addresses(media('page.pdf'), 'application/pdf')) expect(await isShown(url)).toBe(expected);
    await plain.close();
  });

  it.each([
    ['HTML', HTML, 'text/html'],
    ['HTML declared as a video', HTML, 'video/mp4'],
    ['HTML declared as XHTML', HTML, 'application/xhtml+xml'],
    ['HTML behind the head of a video', Buffer.concat([SAMPLES.mp4, HTML]), 'video/mp4'],
    ['HTML declared as a PDF', Buffer.concat([Buffer.from('%PDF-1.4\n'), HTML]), 'application/pdf'],
    ['SVG', SVG, 'image/svg+xml'],
    ['SVG declared as XML', SVG, 'text/xml'],
  ])('runs nothing: %s', async (_what, content, type) => {
    for (const url of await addresses(content, type)) {
      await page.goto(url).catch(() => undefined); // rejects for what is saved
      await page.goto(`${origin}/health/live`); // whatever the page requested has been seen by then
      expect(attacks).toEqual([]);
    }
  });
});
