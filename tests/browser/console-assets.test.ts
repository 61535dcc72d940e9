import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY, itIsAccessible, settled, useConsole } from '../support/console-page.ts';
import { filePart, multipart } from '../support/files.ts';

const PHOTO = readFileSync(join(import.meta.dirname, '../../packages/contracts/fixtures/images/opaque.png'));

describe('assets in the console', () => {
  const current = useConsole();

  const add = async (name: string, fileName: string, type: string, content: string | Buffer) => {
    const { world, backend } = current();
    const { status, text } = await world.call('POST', '/admin/asset', {
      basic: ['admin', backend.adminPassword],
      bytes: multipart({ name: 'name', content: name }, filePart(content, { fileName, type })),
    });
    expect([status, text]).toEqual([201, text]);
  };

  it('are created as an object and as a file, with the keyboard alone', async () => {
    const { page, hands, admin } = current();
    await page.getByRole('navigation').getByRole('link', { name: 'Assets', exact: true }).focus();
    await page.keyboard.press('Enter');
    await hands.told('No assets');
    await hands.button('New asset').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('welcome');
    await hands.field('Metadata (JSON)').fill('{"text": ');
    await hands.told('Invalid JSON');
    await hands.field('Metadata (JSON)').fill(JSON.stringify({ text: CANARY }));
    await hands.field('Name').press('Enter');
    await hands.heading('welcome');
    expect((await admin('GET', '/asset/welcome/data')).data).toMatchObject({ meta: { text: CANARY } });
    expect(await page.locator('main img').count()).toBe(0);

    await page.goBack();
    await hands.heading('Assets');
    await hands.button('New asset').click();
    await hands.field('Name').fill('logo');
    await hands.field('File').setInputFiles([{ name: 'opaque.png', mimeType: 'image/png', buffer: PHOTO }]);
    await hands.button('Create').click();
    await hands.heading('logo');
  });

  it('are shown in sizes, with an address that everybody can read', async () => {
    const { page, hands, base } = current();
    await hands.goTo('assets/logo');
    const shown = page.getByText(/\d+ × \d+ pixels/);
    await shown.waitFor();
    const original = await shown.innerText();
    await hands.field('Size').selectOption('25%');
    await expect.poll(() => shown.innerText()).not.toBe(original);
    const address = await hands.field('Public URL').inputValue();
    expect(address).toBe(`${base}/asset/logo`);
    expect((await fetch(address)).status).toBe(200);
    const saving = page.waitForEvent('download');
    await hands.button('Download').click();
    expect((await saving).suggestedFilename()).toBe('opaque.png');
  });

  it('have no names that lead elsewhere', async () => {
    const { page, hands, asked } = current();
    await hands.goTo('assets');
    await hands.button('New asset').click();
    for (const name of ['../../admin/user', '..', 'a/b', '%2e%2e', 'a\\b', CANARY]) {
      await hands.field('Name').fill(name);
      await hands.button('Create').click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
    }
    await hands.button('Cancel').click();
    await hands.button('Discard changes').click();
    asked();
    for (const place of ['..', '.', '..%2F..%2Fadmin%2Fuser', '%2e%2e', '%252e%252e%252fme', '..%5C..%5Cme']) {
      await hands.goTo(`assets/${place}`);
      await page.getByRole('alert').waitFor();
    }
    const paths = asked().map((request) => new URL(request.url()).pathname.replace('/some/prefix', ''));
    expect(paths.filter((path) => !/^\/(?:asset\/[^/]+\/data|console\/.*|health\/live)$/.test(path))).toEqual([]);
  });

  it('run nothing, whatever is in them', async () => {
    const opened = current();
    const { page, hands } = opened;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.ran=1"><script>globalThis.ran=1</script></svg>`;
    await add('bad-svg', 'bad.svg', 'image/svg+xml', svg);
    await add('bad-page', 'bad.html', 'text/html', `<!doctype html>${CANARY}`);
    for (const name of ['bad-svg', 'bad-page']) {
      await hands.goTo(`assets/${name}`);
      await hands.heading(name);
      await settled(opened);
      expect(await page.getByRole('region', { name: 'Preview' }).locator('pre').innerText()).toContain(
        'globalThis.ran',
      );
      expect(await page.locator('main svg:not(.lucide), main img, main script, main iframe').count()).toBe(0);
    }
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  it('are found by the beginning of their name, and deleted', async () => {
    const { page, hands, admin } = current();
    await hands.goTo('assets');
    await expect.poll(() => hands.rows('Assets')).toHaveLength(4);
    await hands.field('Search assets').fill('bad-');
    await page.keyboard.press('Enter');
    await expect.poll(() => hands.rows('Assets')).toHaveLength(2);
    await page.getByRole('link', { name: 'bad-svg' }).click();
    await hands.more('Delete asset');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('bad-svg');
    await dialog.getByRole('button', { name: 'Delete asset' }).click();
    await hands.heading('Assets');
    expect((await admin('GET', '/asset/bad-svg/data')).status).toBe(404);
  });

  itIsAccessible(current, async () => [
    ['assets', 'Assets', 'New asset'],
    ['assets/logo', 'logo', '⋯ Delete asset'],
    ['assets/welcome', 'welcome'],
  ]);
});
