import { fixture } from '@baobab/contracts/images';
import type { TestBackend } from '@baobab/server/testing';
import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { published, publishedImage } from '../support/assets.ts';
import { createWorld, type World } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { filePart, SAMPLES, stored } from '../support/files.ts';
import { openSocket } from '../support/sockets.ts';

/** Script of every page: it sets its title, calls the server, and navigates away. */
const SCRIPT = `document.title='ran';new Image().src='/asset/ran?by=script';fetch('/health/live?by=fetch');`;

/** A GIF by its first bytes that is a script as well, and a page. */
const POLYGLOT = Buffer.concat([
  Buffer.from('GIF89a/*'),
  Buffer.alloc(20),
  Buffer.from(`*/=1;${SCRIPT}//<html><script>${SCRIPT}</script><img src=x onerror="${SCRIPT}">`),
]);

interface Content {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Malicious content, each with the media type under which a browser would run it. */
const CONTENTS: readonly Content[] = [
  {
    name: 'page.html',
    type: 'text/html',
    bytes: Buffer.from(
      `<!doctype html><title>page</title><script>${SCRIPT}</script><img src=x onerror="${SCRIPT}"><body onload="${SCRIPT}">` +
        `<iframe srcdoc="<script>parent.document.title='ran'</script>"></iframe><a href="javascript:${SCRIPT}">x</a>` +
        `<meta http-equiv="refresh" content="0;url=/health/live?by=refresh"><form action="/health/live"><button id="go">go</button></form>`,
    ),
  },
  {
    name: 'picture.svg',
    type: 'image/svg+xml',
    bytes: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><title>picture</title><script>${SCRIPT}</script>` +
        `<image href="x" onerror="${SCRIPT}"/></svg>`,
    ),
  },
  {
    name: 'page.xhtml',
    type: 'application/xhtml+xml',
    bytes: Buffer.from(
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>page</title><script>${SCRIPT}</script></head><body/></html>`,
    ),
  },
  { name: 'both.html', type: 'text/html', bytes: POLYGLOT },
  { name: 'both.gif', type: 'image/gif', bytes: POLYGLOT },
  { name: 'both.bin', type: 'application/octet-stream', bytes: Buffer.from(`<html><script>${SCRIPT}</script>`) },
  { name: 'plain.txt', type: 'text/plain', bytes: Buffer.from(`<html><script>${SCRIPT}</script>`) },
  {
    name: 'real.png',
    type: 'image/png',
    bytes: Buffer.concat([SAMPLES.png, Buffer.from(`<script>${SCRIPT}</script>`)]),
  },
];

describe('stored content in a browser', () => {
  let backend: TestBackend;
  let browser: SharedBrowser;
  let world: World;
  let origin: string;

  beforeAll(async () => {
    backend = await createTestBackend();
    world = createWorld(backend);
    origin = `http://127.0.0.1:${await openSocket(backend.app)}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await backend.close();
  });

  /** Opens an address as a link does. Resolves to the outcome. */
  async function open(path: string) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const outcome = await page.goto(origin + path).catch((error: Error) => {
      if (!/ERR_ABORTED|Download is starting/.test(error.message)) throw error;
      return null; // the browser saves it instead
    });
    await page.waitForTimeout(300);
    const [title, url] = [await page.title(), page.url()];
    const own = await page.evaluate('self.origin').catch(() => null);
    await context.close();
    return { isShown: outcome !== null, title, url, origin: own, asked: asked.slice(1) };
  }

  it('would run in this browser without protection', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.setContent(`<title>page</title><script>document.title='ran'</script>`);
    expect(await page.title()).toBe('ran');
    await context.close();
  });

  async function expectHarmless(path: string): Promise<void> {
    const opened = await open(path);
    expect(opened.title).not.toBe('ran');
    if (opened.isShown) {
      expect(opened.url).toBe(origin + path);
      expect(opened.origin).toBe('null');
    }
    expect(opened.asked.filter((url) => url.includes('by='))).toEqual([]);
  }

  it.each(CONTENTS)('runs no script: $name as $type, from /file', async ({ name, type, bytes }) => {
    const { token } = await world.user();
    const { id } = await stored(world, token, filePart(bytes, { fileName: name, type }));
    const path = `/file/${id}?X-BB-SESSION=${token}`;
    await expectHarmless(path);
    expect((await open(`${path}&download=true`)).isShown).toBe(false);
  });

  it.each(CONTENTS)('runs no script: $name as $type, from /asset', async ({ name, type, bytes }) => {
    const asset = await published(world, bytes, { fileName: name, type });
    await expectHarmless(`/asset/${asset}`);
    expect((await open(`/asset/${asset}/download`)).isShown).toBe(false);
  });

  it('runs no script inside an image, in another size: the variant does not contain it', async () => {
    const png = Buffer.concat([fixture('opaque.png'), Buffer.from(`<script>${SCRIPT}</script>`)]);
    const asset = await published(world, png, { fileName: 'both.png', type: 'image/png' });
    const path = `/asset/${asset}/resize/50%`;
    const { status, bytes, headers } = await world.call('GET', path, { appCode: null });
    expect([status, bytes.includes('script'), headers['content-type']]).toEqual([200, false, 'image/png']);
    await expectHarmless(path);
  });

  it('is shown as an image by pages of other origins, without the application code', async () => {
    const asset = await publishedImage(world, 'baseline.jpg');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.setContent(
      `<img id="a" src="${origin}/asset/${asset}"><img id="b" src="${origin}/asset/${asset}/resize/25%">`,
    );
    await page.waitForFunction(() => Array.from(document.images).every(({ complete }) => complete));
    expect(await page.evaluate(() => Array.from(document.images, ({ naturalWidth }) => naturalWidth))).toEqual([
      96, 24,
    ]);
    await context.close();
  });

  it('is neither a script nor a style for pages of other origins', async () => {
    const { token } = await world.user();
    const { id } = await stored(world, token, filePart(POLYGLOT, { fileName: 'both.gif', type: 'image/gif' }));
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/health/live`);
    await page.setContent(`<title>page</title><script src="/file/${id}?X-BB-SESSION=${token}"></script>`);
    await page.waitForTimeout(300);
    expect(await page.title()).toBe('page');
    await context.close();
  });
});
