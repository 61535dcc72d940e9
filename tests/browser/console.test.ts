import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from '../support/accessibility.ts';
import { createWorld, type World } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { builtConsole, createHands } from '../support/console.ts';
import { PREFIX, startPrefixProxy } from '../support/prefix-proxy.ts';
import { protectedUser } from '../support/second-factor.ts';
import { openSocket } from '../support/sockets.ts';

/** Markup that runs a script if stored content is not escaped. */
const CANARY =
  '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script><a href="javascript:ran=1">x</a>';

let backend: TestBackend;
let world: World;
let browser: SharedBrowser;
let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;
let base: string;
let page: Page;
let hands: ReturnType<typeof createHands>;
let problems: string[] = [];
let token: string;

async function open(): Promise<Page> {
  const opened = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  opened.on('console', (message) => {
    // A refused call is shown to the user; the browser reports it as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  opened.on('pageerror', (error) => problems.push(error.message));
  opened.on('dialog', (dialog) => problems.push(dialog.message()));
  opened.on('request', (asked) => {
    if (!asked.url().startsWith(`${base}/`)) problems.push(asked.url());
  });
  return opened;
}

const admin = (method: string, url: string, body?: unknown) => world.call(method, url, { token, body });

beforeAll(async () => {
  backend = await createTestBackend({ consoleFolder: builtConsole() });
  world = createWorld(backend);
  token = await world.admin();
  proxy = await startPrefixProxy(await openSocket(backend.app));
  base = proxy.origin + PREFIX;
  browser = await openBrowser();
  page = await open();
  hands = createHands(page, base);
  await admin('POST', '/admin/collection/notes');
  for (let n = 1; n <= 55; n++) {
    const title = `Note ${String(n).padStart(2, '0')}`;
    await admin('POST', '/document/notes', { title, litres: n, tags: ['a'] });
  }
  await page.goto(`${base}/console`);
});
afterAll(async () => {
  await browser?.close();
  proxy?.server.close();
  await backend?.close();
});
afterEach(() => {
  expect(problems).toEqual([]);
  problems = [];
});

describe('the sign-in page of the console', () => {
  it('is all that other users get', async () => {
    const ann = await world.user();
    await hands.signIn(ann.name, 'wrong');
    await hands.told('Invalid username or password');
    await hands.signIn(ann.name, 'secret');
    await hands.told('This user is not an administrator.');
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.evaluate(() => sessionStorage.getItem('baobab-console'))).toBeNull();
    await page.reload();
    await hands.heading('Sign in to the console');
  });

  it('asks for the second factor', async () => {
    const eve = await protectedUser(world, Date.now);
    await admin('PUT', `/admin/user/${eve.name}`, { role: 'administrator' });
    await hands.signIn(eve.name, 'secret');
    await hands.field('Code from your authenticator app, or a recovery code').fill('not a code');
    await hands.button('Sign in').click();
    await page.getByRole('alert').waitFor();
    await hands.field('Code from your authenticator app, or a recovery code').fill(eve.recoveryCodes[0] ?? '');
    await hands.button('Sign in').click();
    await hands.heading('Overview');
    await hands.button(`Account: ${eve.name}`).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await hands.heading('Sign in to the console');
  });

  it('works with the keyboard alone, and keeps the token in this tab', async () => {
    await hands.field('Username').focus();
    await page.keyboard.type('admin');
    await page.keyboard.press('Tab');
    await page.keyboard.type(backend.adminPassword);
    await page.keyboard.press('Enter');
    await hands.heading('Overview');
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, '']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
  });
});

describe('users in the console', () => {
  it('are created, found, changed, suspended and deleted', async () => {
    await hands.goTo('users');
    await hands.button('New user').click();
    await page.getByRole('dialog').getByLabel('Username').fill('carol');
    await hands.field('Password').fill('secret');
    await hands.button('Create').click();
    await hands.heading('carol');
    const { data: signedIn } = await world.call('POST', '/login', { body: { username: 'carol', password: 'secret' } });
    await page.reload();

    await hands.field('Visible to everyone').fill('{ "nick": ');
    await hands.told('Invalid JSON');
    await hands.field('Visible to everyone').fill(JSON.stringify({ nick: CANARY }));
    await hands.button('Save profile').click();
    await hands.saved();
    const tab = (name: string) => page.getByRole('navigation', { name: 'carol' }).getByRole('link', { name }).click();
    await tab('Security');
    await hands.field('Role').selectOption('BackOffice');
    await hands.button('Save role').click();
    await page.waitForFunction(
      () => document.querySelector<HTMLSelectElement>('main select')?.form?.querySelector('button')?.disabled,
    );
    await tab('Sessions & devices');
    await page
      .getByRole('button', { name: /^Revoke the session of/ })
      .first()
      .click();
    await hands.told('No active sessions.');
    expect((await world.call('GET', '/me', { token: signedIn['X-BB-SESSION'] })).status).toBe(401);
    await tab('Security');
    await hands.button('Suspend').click();
    await hands.button('Activate').waitFor();
    expect((await admin('GET', '/admin/user/carol')).data).toMatchObject({
      user: { status: 'SUSPENDED', roles: [{ name: 'BackOffice' }] },
      visibleByAnonymousUsers: { nick: CANARY },
    });
    await hands.button('Activate').click();
    await hands.button('Suspend').waitFor();
    await hands.field('New password').fill('other');
    await hands.button('Set password').click();
    await hands.told('Password changed.');
    await hands.button('Disable 2FA').click();
    await hands.told('Two-factor authentication is disabled');
    expect((await world.call('POST', '/login', { body: { username: 'carol', password: 'other' } })).status).toBe(200);

    await hands.goTo('users');
    await hands.field('Search usernames').fill('car');
    await page.keyboard.press('Enter');
    await expect.poll(() => hands.rows('Users')).toHaveLength(1);
    await page.getByRole('link', { name: 'carol' }).click();
    await hands.more('Delete user');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete user' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill('carol');
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await hands.heading('Users');
    expect((await admin('GET', '/admin/user/carol')).status).toBe(404);
  });
});

describe('documents in the console', () => {
  it('are listed page by page, in an order, by a condition whose problem is shown beside it', async () => {
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.locator('main').getByRole('link', { name: 'notes' }).click();
    await page.getByRole('button', { name: 'title', exact: true }).click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await expect.poll(async () => (await hands.rows('Documents'))[0]).toContain('Note 01');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('title');
    expect(await hands.rows('Documents')).toHaveLength(50);
    await hands.button('Next page').click();
    await hands.told('51–55 of 55');
    await expect.poll(() => hands.rows('Documents')).toHaveLength(5);
    await hands.field('Filter').fill('litres >');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await hands.field('Filter').getAttribute('aria-invalid')).toBe('true');
    await hands.field('Filter').fill('litres > 53');
    await page.keyboard.press('Enter');
    await expect.poll(() => hands.rows('Documents')).toHaveLength(2);
  });

  it('are created, edited without overwriting others, granted and deleted', async () => {
    await hands.button('New document').click();
    await hands.fillJson('Content (JSON)', JSON.stringify({ title: CANARY, litres: 99 }));
    await hands.button('Create').click();
    await page.waitForURL(/collections\/notes\/[\w-]{30,}$/);
    // The editor has to have read this version before somebody else writes the next one.
    await page.getByText(/^1, /).waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    const stored = async () => (await admin('GET', `/document/notes/${id}`)).data;
    await admin('PUT', `/document/notes/${id}`, { title: 'theirs' });
    await hands.fillJson('Content (JSON)', '{"title":"mine"}');
    await hands.button('Save').click();
    await hands.told('Changed by someone else');
    expect(await page.locator('pre').innerText()).toContain('theirs');
    expect(await page.locator('pre').innerText()).toContain('mine');
    expect(await stored()).toMatchObject({ title: 'theirs' });
    await hands.button('Apply to version 2').click();
    await hands.saved();
    expect(await stored()).toMatchObject({ title: 'mine', '@version': 3 });

    const bob = await world.user();
    await page.getByRole('tab', { name: 'Permissions' }).click();
    await hands.field('User, role or group').fill('nobody-of-this-name');
    await hands.button('Share').click();
    await page.getByRole('alert').waitFor();
    await hands.field('User, role or group').fill(bob.name);
    await hands.button('Share').click();
    await hands.button(`Revoke read of user ${bob.name}`).waitFor();
    expect((await world.call('GET', `/document/notes/${id}`, { token: bob.token })).status).toBe(200);
    await hands.button(`Revoke read of user ${bob.name}`).click();
    await hands.told('Not shared');
    expect((await world.call('GET', `/document/notes/${id}`, { token: bob.token })).status).not.toBe(200);

    await hands.more('Delete document');
    await page
      .getByRole('dialog', { name: 'Delete document' })
      .getByRole('button', { name: 'Delete document' })
      .click();
    await hands.heading('notes');
    expect((await admin('GET', `/document/notes/${id}`)).status).toBe(404);
  });

  it('are never markup', async () => {
    await admin('POST', '/admin/collection/canaries');
    const { data } = await admin('POST', '/document/canaries', { [CANARY]: CANARY, url: 'javascript:ran=1' });
    for (const place of ['collections', 'collections/canaries', `collections/canaries/${data.id}`]) {
      await hands.goTo(place);
      await page.locator('h1').waitFor();
      await page.waitForFunction(() => document.querySelector('table') !== null);
      expect(await page.locator('main img, main script, a[href^="javascript:"]').count()).toBe(0);
    }
    expect(await hands.jsonText()).toContain('<script>');
    expect(await page.locator('[role=dialog] img, [role=dialog] script').count()).toBe(0);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  it('go with their collection', async () => {
    await hands.goTo('collections');
    await page.locator('main').getByRole('button', { name: 'New collection' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('notes');
    await hands.button('Create').click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('passing');
    await hands.button('Create').click();
    await hands.heading('passing');
    await page.getByRole('link', { name: 'Danger zone' }).click();
    await hands.button('Delete collection').click();
    await page.getByRole('dialog').getByLabel('Name').fill('passing');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete collection' }).click();
    await hands.heading('Collections');
    await page.locator('main').getByRole('link', { name: 'notes' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'passing' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'passing' }).count()).toBe(0);
  });
});

describe('settings in the console', () => {
  it('are changed page by page, with the reason of a refusal', async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await hands.heading('General');
    await hands.field('Application name').fill('Recipes');
    await hands.button('Save').click();
    await hands.saved();
    await page.getByRole('link', { name: 'Sign-up & sessions' }).click();
    await hands.field('Idle timeout (minutes)').fill('soon');
    await hands.field('Open sign-up').uncheck();
    await hands.told('2 unsaved changes');
    await hands.button('Save').click();
    await hands.told('must be a whole number');
    expect(await hands.field('Idle timeout (minutes)').getAttribute('aria-invalid')).toBe('true');
    await hands.told('1 unsaved change');
    await hands.button('Discard changes').click();
    const { data } = await admin('GET', '/admin/configuration/Application');
    expect(data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'application.name', value: 'Recipes' }),
        expect.objectContaining({ key: 'registration.open', value: 'false' }),
      ]),
    );
  });
});

describe('every view of the console', () => {
  it.each(LOOKS)('is accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const places = [
      ['users', 'Users'],
      ['users/admin', 'admin'],
      ['collections', 'Collections'],
      ['collections/notes', 'notes'],
      ['settings', 'General'],
      ['settings/backups', 'Backups'],
      ['settings/environment', 'Environment'],
      ['overview', 'Overview'],
      ['health', 'Health'],
      ['push', 'Notifications'],
      ['logs', 'Logs'],
      ['roles', 'Roles'],
      ['nowhere', 'Page not found'],
    ];
    for (const [place, title] of places) {
      await hands.goTo(`${place}`);
      await hands.heading(`${title}`);
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      expect([place, await seriousProblems(page), await overflow(page)]).toEqual([place, [], 0]);
    }
    await hands.goTo('users');
    await hands.button('New user').click();
    await hands.field('Role').waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
  });
});

describe('a session that has ended', () => {
  it('leads to the sign-in page and back to where one was, with what one had typed', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await hands.goTo('collections/notes');
    await hands.button('New document').click();
    await hands.fillJson('Content (JSON)', '{"title":"typed before"}');
    await admin('DELETE', '/admin/user/admin/sessions');
    await hands.button('Create').click();
    await hands.told('Your session has expired');
    expect(await seriousProblems(page)).toEqual([]);
    expect(await hands.field('Username').inputValue()).toBe('admin');
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('password');
    await page.keyboard.type(backend.adminPassword);
    await page.keyboard.press('Enter');
    await page.waitForURL(/collections\/notes\/[\w-]{30,}$/);
    await hands.drawer('typed before');
  });
});
