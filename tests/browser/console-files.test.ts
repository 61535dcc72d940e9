import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CANARY, itIsAccessible, settled, useConsole } from '../support/console-page.ts';
import { filePart, stored } from '../support/files.ts';

const IMAGES = join(import.meta.dirname, '../../packages/contracts/fixtures/images');
const PHOTO = readFileSync(join(IMAGES, 'baseline.jpg'));
const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.ran=1"><script>globalThis.ran=1</script></svg>`;
const HOSTILE_PAGE = `<!doctype html><title>${CANARY}</title>${CANARY}`;

/** A short silence. */
function sound(): Buffer {
  const samples = Buffer.alloc(800, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write(`WAVE${'fmt '}`, 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** A short video, 64 pixels wide. */
async function recorded(page: Page): Promise<Buffer> {
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 64;
    canvas.height = 48;
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
    const chunks: Blob[] = [];
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    const stopped = new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    recorder.start();
    for (let frame = 0; frame < 10; frame++) {
      context?.fillRect(frame, frame, 5, 5);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await stopped;
    return Array.from(new Uint8Array(await new Blob(chunks).arrayBuffer()));
  });
  return Buffer.from(bytes);
}

describe('files in the console', () => {
  const current = useConsole();

  /** A file of a new user. */
  async function add(fileName: string, type: string, content: string | Buffer) {
    const { world } = current();
    const { token, name } = await world.user();
    return { ...(await stored(world, token, filePart(content, { fileName, type }))), token, name };
  }

  it('are uploaded several at a time, and found by the beginning of their name', async () => {
    const { page, hands } = current();
    await page.getByRole('navigation').getByRole('link', { name: 'Files', exact: true }).click();
    await hands.told('No files');
    const names = ['plan.txt', 'photo.jpg', ...Array.from({ length: 6 }, (_, n) => `page ${n}.txt`)];
    await hands.field('Upload files').setInputFiles(
      names.map((name) => ({
        name,
        mimeType: name.endsWith('jpg') ? 'image/jpeg' : 'text/plain',
        buffer: name.endsWith('jpg') ? PHOTO : Buffer.from(name),
      })),
    );
    await hands.told('8 uploaded, 0 remaining');
    await expect.poll(() => hands.rows('Files')).toHaveLength(8);
    await hands.button('Hide uploads').click();
    await hands.field('Search files').fill('page');
    await page.keyboard.press('Enter');
    await expect.poll(() => hands.rows('Files')).toHaveLength(6);
    expect((await hands.rows('Files'))[0]).toContain('10 B');
  });

  it('tell why one could not be uploaded, and stop when they are aborted', async () => {
    const { page, hands, admin } = current();
    await hands.goTo('files');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const open = new Set<unknown>();
    page.on('requestfailed', (request) => open.delete(request));
    await page.route('**/file', async (route) => {
      if (route.request().method() === 'POST') {
        open.add(route.request());
        await held;
      }
      await route.continue().catch(() => undefined); // it was aborted meanwhile
    });
    const before = (await admin('GET', '/file/details?count=true')).data[0].count;
    await hands
      .field('Upload files')
      .setInputFiles(
        Array.from({ length: 5 }, (_, n) => ({ name: `held ${n}`, mimeType: 'text/plain', buffer: Buffer.from('x') })),
      );
    await hands.told('0 uploaded, 5 remaining');
    await hands.button('Cancel held 0').click();
    await hands.told('0 uploaded, 4 remaining');
    await hands.button('Cancel all').click();
    await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
    // The browser ends an aborted request a little later.
    await expect.poll(() => open.size).toBe(0);
    release();
    await page.unroute('**/file');
    expect((await admin('GET', '/file/details?count=true')).data[0].count).toBe(before);
    await page.route('**/file', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 413,
            json: { result: 'error', code: 'file.too_large', message: 'The file is too large', http_code: 413 },
          })
        : route.continue(),
    );
    await hands
      .field('Upload files')
      .setInputFiles([{ name: 'big', mimeType: 'text/plain', buffer: Buffer.from('x') }]);
    await hands.told('big: The file is too large');
    await page.unroute('**/file');
    await hands.button('Hide uploads').click();
  });

  it('show images in sizes, save files, and copy an address without the session', async () => {
    const { page, hands, base } = current();
    const { id } = await add('photo.jpg', 'image/jpeg', PHOTO);
    await hands.goTo(`files/${id}`);
    await hands.heading('photo.jpg');
    const image = page.getByRole('img', { name: 'photo.jpg' });
    await page.getByText(/\d+ × \d+ pixels/).waitFor();
    expect(await image.getAttribute('src')).toMatch(/^blob:/);
    expect(await hands.field('Size').locator('option:checked').innerText()).toBe('Fit');
    await page.getByText('96 × 64 pixels').waitFor();
    await hands.field('Size').selectOption('50%');
    await page.getByText('48 × 32 pixels').waitFor();
    await hands.field('Size').selectOption('Original');
    await page.getByText('96 × 64 pixels, 984 B').waitFor();
    expect(await hands.field('URL').inputValue()).toBe(`${base}/file/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await hands.button('Copy URL').click();
    await hands.told('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${base}/file/${id}`);
    const saving = page.waitForEvent('download');
    await hands.button('Download').click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('photo.jpg');
    expect(readFileSync(await saved.path())).toEqual(PHOTO);
  });

  it('show the beginning of texts, and play sounds and videos', async () => {
    const { page, hands } = current();
    const long = await add('long.txt', 'text/plain', 'abc '.repeat(100_000));
    await hands.goTo(`files/${long.id}`);
    await hands.told('The first 65.5 kB:');
    expect((await page.locator('pre').first().innerText()).length).toBeLessThanOrEqual(65_536);
    const silence = await add('silence.wav', 'audio/wav', sound());
    await hands.goTo(`files/${silence.id}`);
    await hands.button('Play').click();
    await page.waitForFunction(() => (document.querySelector('audio')?.duration ?? 0) > 0);
    const clip = await add('clip.webm', 'video/webm', await recorded(page));
    await hands.goTo(`files/${clip.id}`);
    await hands.button('Play video').click();
    await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) === 64);
    const other = await add('x.bin', 'application/octet-stream', Buffer.from([1, 2, 3]));
    await hands.goTo(`files/${other.id}`);
    await hands.told('No preview for this file type');
  });

  it.each([
    ['bad.svg', 'image/svg+xml', HOSTILE_SVG],
    ['bad.html', 'text/html', HOSTILE_PAGE],
    ['bad.xhtml', 'application/xhtml+xml', HOSTILE_PAGE],
    [`${CANARY.replaceAll('/', '')}.txt`, 'text/plain', CANARY],
    ['not a picture.png', 'image/png', HOSTILE_PAGE],
  ])('run nothing that is in %s', async (name, type, content) => {
    const opened = current();
    const { page, hands } = opened;
    const { id } = await add(name, type, content);
    for (const place of [`files/${id}`, 'files', 'files?look=grid']) {
      await hands.goTo(place);
      await page.locator('h1').waitFor();
      await settled(opened);
      expect(
        await page.locator('main svg:not(.lucide), main script, main iframe, main object, main embed').count(),
      ).toBe(0);
      expect(await page.locator('main img[src=x]').count()).toBe(0);
    }
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  it('are granted, also to groups, and revoked', async () => {
    const { world, hands, admin } = current();
    const { id } = await add('shared.txt', 'text/plain', 'shared');
    const reader = await world.user();
    const { data: group } = await admin('POST', '/group', { name: 'Readers' });
    await hands.goTo(`files/${id}`);
    await hands.told('Not shared. The owner');
    await hands.field('User, role or group').fill(reader.name);
    await hands.button('Share').click();
    await hands.button(`Revoke read of user ${reader.name}`).waitFor();
    expect((await world.call('GET', `/file/${id}`, { token: reader.token })).status).toBe(200);
    await hands.field('Share with').selectOption('Group');
    await hands.field('User, role or group').fill(group.id);
    await hands.button('Share').click();
    await hands.button(`Revoke read of group ${group.id}`).waitFor();
    await hands.button(`Revoke read of user ${reader.name}`).click();
    await hands.button(`Revoke read of user ${reader.name}`).waitFor({ state: 'detached' });
    expect((await world.call('GET', `/file/${id}`, { token: reader.token })).status).toBe(404);
  });

  it('are deleted one by one, and those that are selected at once', async () => {
    const { page, hands, admin, inDialog } = current();
    const { id } = await add('last.txt', 'text/plain', 'x');
    await hands.goTo(`files/${id}`);
    await hands.more('Delete file');
    await inDialog('Delete file').click();
    await hands.heading('Files');
    expect((await admin('GET', `/file/details/${id}`)).status).toBe(404);

    const many = await Promise.all(['a', 'b', 'c'].map((name) => add(`bulk ${name}.txt`, 'text/plain', name)));
    await hands.goTo('files?find=bulk');
    await expect.poll(() => hands.rows('Files')).toHaveLength(3);
    await hands.field('Select bulk b.txt').focus();
    await page.keyboard.press('Space');
    await hands.button('Delete selected (1)').waitFor();
    await hands.field('Select page').check();
    // Somebody else deletes one of them meanwhile.
    await admin('DELETE', `/file/${many[0]?.id}`);
    await hands.button('Delete selected (3)').click();
    await inDialog('Delete selected (3)').click();
    await hands.told('No files');
    expect(await page.getByRole('dialog').count()).toBe(0);
    for (const file of many) expect((await admin('GET', `/file/details/${file.id}`)).status).toBe(404);
  });

  it('are listed page by page without being counted, also as a grid of small images', async () => {
    const opened = current();
    const { page, hands, world, asked } = opened;
    const { token } = await world.user();
    for (let n = 0; n < 51; n++)
      await stored(world, token, filePart(PHOTO, { fileName: `many ${n}`, type: 'image/jpeg' }));
    await hands.goTo('files?find=many&look=grid');
    await expect.poll(() => page.locator('.grid li').count()).toBe(50);
    await page.locator('.grid img').first().waitFor();
    await hands.button('Next page').click();
    await hands.told('51–51 of 51');
    await expect.poll(() => page.locator('.grid li').count()).toBe(1);
    // Addresses of the images before are revoked.
    expect(await page.locator('.grid img').count()).toBeLessThanOrEqual(1);
    expect(asked().filter((request) => request.url().includes('count=true'))).toEqual([]);
    await hands.button('List').click();
    await expect.poll(() => hands.rows('Files')).toHaveLength(1);
    await hands.button('Previous page').click();
    await expect.poll(() => hands.rows('Files')).toHaveLength(50);
  });

  it('leave nothing in the tab once they are no longer shown', async () => {
    const opened = current();
    const { page, hands } = opened;
    const { id } = await add('kept.jpg', 'image/jpeg', PHOTO);
    await hands.goTo('keys');
    await hands.heading('API keys');
    await page.evaluate(() => {
      const live = new Set<string>();
      const { createObjectURL, revokeObjectURL } = URL;
      URL.createObjectURL = (object) => {
        const url = createObjectURL.call(URL, object);
        live.add(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        live.delete(url);
        revokeObjectURL.call(URL, url);
      };
      Object.assign(globalThis, { shownNow: () => live.size });
    });
    const shownNow = () => page.evaluate<number>('shownNow()');
    for (let n = 0; n < 3; n++) {
      await hands.goTo(`files/${id}`);
      await page.getByText(/\d+ × \d+ pixels/).waitFor();
      await expect.poll(shownNow).toBe(1);
      await hands.field('Size').selectOption('25%');
      await page.getByText('24 × 16 pixels').waitFor();
      await expect.poll(shownNow).toBe(1);
      await hands.goTo('files?look=grid');
      await page.locator('.grid img').first().waitFor();
      await hands.goTo('keys');
      await hands.heading('API keys');
      await expect.poll(shownNow).toBe(0);
    }
  });

  it('of an address that cannot be are not found, and leave the console working', async () => {
    const { page, hands } = current();
    for (const place of ['files/..', 'users/..', 'assets/.', 'constructor', 'groups/..%2F..']) {
      await hands.goTo(place);
      await page.getByRole('alert').or(page.getByText('There is no page at this address.')).first().waitFor();
    }
    await hands.goTo('files');
    await hands.heading('Files');
  });

  itIsAccessible(current, async () => {
    const photo = await add('seen.jpg', 'image/jpeg', PHOTO);
    const text = await add('seen.txt', 'text/plain', 'Seen');
    return [
      ['files', 'Files'],
      ['files?look=grid', 'Files'],
      [`files/${photo.id}`, 'seen.jpg', '⋯ Delete file'],
      [`files/${text.id}`, 'seen.txt'],
    ];
  });
});
