import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seriousProblems } from '../support/accessibility.ts';
import { useConsole } from '../support/console-page.ts';
import { createFolder } from '../support/databases.ts';

const folder = createFolder();
const current = useConsole(() => ({
  databaseUrl: `sqlite:${folder.path}/a.db`,
  backupUrl: `file:${folder.path}/backups`,
}));

beforeAll(async () => {
  const { admin, hands } = current();
  await admin('POST', '/admin/collection/notes');
  await hands.goTo('settings/backups');
  await hands.heading('Backups');
});
afterAll(() => folder.remove());

const rows = () => current().page.locator('section.table[aria-label="Stored backups"] tbody tr');

describe('the backups page', () => {
  it('downloads an archive', async () => {
    const { page, hands } = current();
    const [download] = await Promise.all([page.waitForEvent('download'), hands.button('Download backup').click()]);
    expect(download.suggestedFilename()).toMatch(/^baobab-\d{8}-\d{6}\.tar$/);
    const tar = readFileSync(await download.path());
    expect(tar.subarray(0, 13).toString()).toBe('manifest.json');
    expect(tar.includes('checksums.json')).toBe(true);
  });

  it('makes, downloads and deletes stored backups', async () => {
    const { page, hands } = current();
    await hands.told('No backups yet.');
    await hands.button('Back up now').click();
    await rows().waitFor();
    await hands.button('Back up now').waitFor();
    const actions = () => page.getByRole('button', { name: /^Actions for the backup/ }).click();
    const choose = (action: string) => page.getByRole('menuitem', { name: action, exact: true }).click();
    await actions();
    const [download] = await Promise.all([page.waitForEvent('download'), choose('Download')]);
    expect(download.suggestedFilename()).toMatch(/^baobab-\d{8}-\d{6}-\d{3}\.tar$/);
    await actions();
    await choose('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await hands.told('No backups yet.');
  });

  it('edits the schedule', async () => {
    const { page, hands } = current();
    await hands.told('Next backup: ');
    await hands.field('Interval (hours)').fill('0');
    await hands.button('Save').click();
    await hands.saved();
    await page.reload();
    await hands.told('No schedule');
  });

  it('does not offer to restore into a server with data', async () => {
    const { page, hands } = current();
    await hands.told('This server has data.');
    expect(await page.locator('input[type=file]').count()).toBe(0);
    expect(await seriousProblems(page)).toEqual([]);
  });
});
