import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { builtConsole, createHands } from '../support/console.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';

const APP_CODE = 'code-of-the-app';
const PASSWORDS = { old: 'the-password-of-the-old-server', fresh: 'the-password-of-the-new-server' };

describe('a backup on S3 of a server on Postgres', () => {
  const folder = createFolder();
  const databases: Awaited<ReturnType<typeof createDatabase>>[] = [];
  const programs: Program[] = [];
  let browser: SharedBrowser;
  let archive: string;

  /** Starts a server with an empty database. */
  async function start(name: keyof typeof PASSWORDS): Promise<string> {
    const s3 = inject('s3');
    const database = await createDatabase({ empty: true });
    databases.push(database);
    const program = startProgram({
      DATABASE_URL: database.url,
      DATA_DIR: `${folder.path}/${name}`,
      BACKUP_URL: s3.url.replace(/^(s3:\/\/[^?/]+)/, `$1/console-${name}`),
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      SECRET_KEY: 'a-key-of-more-than-thirty-two-characters',
      ADMIN_PASSWORD: PASSWORDS[name],
      APP_CODE,
      RATE_LIMIT: 'off',
    });
    programs.push(program);
    return program.ready();
  }

  /** Opens the page of backups as the administrator. */
  async function openBackups(base: string, password: string): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-US', acceptDownloads: true });
    const page = await context.newPage();
    await page.goto(`${base}/console/#/settings/backups`);
    const hands = createHands(page, base);
    await hands.field('Application code').fill(APP_CODE);
    await hands.signIn('admin', password);
    await hands.heading('Backups');
    return page;
  }

  beforeAll(async () => {
    builtConsole();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const program of programs) await program.dispose();
    for (const database of databases) await database.drop();
    folder.remove();
  });

  it('is made and downloaded on the page', async () => {
    const base = await start('old');
    const page = await openBackups(base, PASSWORDS.old);
    const hands = createHands(page, base);
    await hands.goTo('collections?new=on');
    await hands.field('Name').fill('notes');
    await hands.button('Create').click();
    await hands.heading('notes');
    await hands.goTo('settings/backups');
    await hands.button('Back up now').click();
    await page.getByRole('button', { name: /^Actions for the backup/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download', exact: true }).click(),
    ]);
    archive = await download.path();
    expect(readFileSync(archive).subarray(0, 13).toString()).toBe('manifest.json');
  });

  it('is restored on the page of a new server, which asks to sign in again', async () => {
    const base = await start('fresh');
    const page = await openBackups(base, PASSWORDS.fresh);
    const hands = createHands(page, base);
    await hands.field('Archive (.tar)').setInputFiles(archive);
    await hands.button('Restore').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await hands.told('Your session has expired.');
    await hands.field('Password').fill(PASSWORDS.old);
    await hands.button('Sign in').click();
    await hands.told('Restored from an archive on');
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'notes' }).waitFor();
  });
});
