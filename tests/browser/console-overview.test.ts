import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';
import { loginAs } from '../support/people.ts';

const ANDROID = { 'push.android.project': 'my-app', 'push.android.service_account': '{"client_email":"a"}' };
const VALIDITY = 'Password reset link validity (minutes)';
/** Markup that runs a script if stored content is not escaped. */
const CANARY = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>';

let service: StartedConsole;
let page: Page;
let hands: Hands;

/** The set-up changes the password, which ends the other sessions. */
let password: string;
const admin = (method: string, url: string, body?: unknown) =>
  service.world.call(method, url, { basic: ['admin', password], ...(body === undefined ? {} : { body }) });
const region = (name: string) => page.getByRole('region', { name, exact: true });
const loaded = () => page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);

beforeAll(async () => {
  service = await startConsole();
  password = service.backend.adminPassword;
  page = await service.open();
  const { world } = service;
  for (const username of ['ann', 'bob', 'eve']) {
    await admin('POST', '/admin/user', {
      username,
      password: 'secret',
      visibleByTheUser: { email: `${username}@example.org`, nick: CANARY },
    });
  }
  await admin('POST', '/admin/collection/notes');
  const ann = await loginAs(world, 'ann', 'secret', { os: 'android', deviceId: 'phone-of-ann' });
  await world.call('POST', '/document/notes', { token: ann, body: { title: 'Milk' } });
  await world.call('POST', '/group', { token: ann, body: { name: 'Readers' } });
  await world.call('POST', '/follow/ann', { token: await loginAs(world, 'bob') });
  hands = await service.enter(page);
});
afterAll(() => service?.close());
afterEach(() => {
  expect(service.problems()).toEqual([]);
});

describe('the overview of the console', () => {
  it('opens first, with what is stored, the health, and charts that are tables as well', async () => {
    await hands.heading('Overview');
    await region('Health').getByText('The database answers').waitFor();
    await region('Usage').getByText('Users').waitFor();
    await expect.poll(() => hands.rows('Largest collections')).toContainEqual(expect.stringContaining('notes'));
    const created = region('Created in the last 30 days');
    expect(await created.getByRole('img').getAttribute('aria-label')).toContain('Users: 3');
    await created.getByText('View data').click();
    const rows = await created.locator('tbody tr').allInnerTexts();
    expect(rows).toHaveLength(30);
    expect(rows.at(-1)).toMatch(/\b3\b/);
    expect(await region('Requests in the last hour').getByRole('img').getAttribute('aria-label')).toMatch(
      /Requests: [1-9]/,
    );
    expect(await region('Latency').locator('path').count()).toBe(2);
  });

  it('asks a new server whether followers can read documents, until the setting was seen or turned off', async () => {
    const step = region('Get started').getByText('Choose what followers can read');
    const isOpen = () => step.evaluate((element) => element.tagName === 'A');
    const setting = '/admin/configuration/Application/followers.read.documents';
    await expect.poll(isOpen).toBe(true);
    await admin('PUT', setting, { value: 'false' });
    await page.reload();
    await expect.poll(isOpen).toBe(false);
    await admin('PUT', setting, { value: 'true' });
    await page.reload();
    await expect.poll(isOpen).toBe(true);
    await step.click();
    await page.getByLabel('Followers read documents').waitFor();
    await page.goBack();
    await expect.poll(isOpen).toBe(false);
  });

  it('names what needs fixing, and links to it', async () => {
    const toMend = page.getByRole('region', { name: /issues need attention/ });
    await toMend.getByText('APP_CODE has its well-known default').waitFor();
    await toMend.getByRole('link', { name: 'View all' }).click();
    await hands.heading('Health');
  });
});

describe('the set-up in the console', () => {
  it('has the password changed in place', async () => {
    const check = region('Admin password');
    await check.getByText('still in use').waitFor();
    await check.getByLabel('New password').fill('a much longer password');
    await check.getByRole('button', { name: 'Set password' }).click();
    await region('Passed').getByText('The password of the user admin is neither generated nor well known').waitFor();
    password = 'a much longer password';
    expect((await admin('GET', '/admin/user/admin')).status).toBe(200);
  });

  it('has the public address set in place', async () => {
    const check = region('Public URL');
    await check.getByLabel('Public URL').fill('api.example.org');
    await check.getByText('Enter a URL such as').waitFor();
    expect(await check.getByRole('button', { name: 'Set public URL' }).isDisabled()).toBe(true);
    await check.getByLabel('Public URL').fill('https://api.example.org');
    await page.keyboard.press('Enter');
    await region('Passed').getByText('The public URL is set').waitFor();
    const { data } = await admin('GET', '/admin/configuration/Application');
    const values = new Map(data.map(({ key, value }: { key: string; value: string }) => [key, value]));
    expect(['network.http.url', 'network.http.port', 'network.http.ssl'].map((key) => values.get(key))).toEqual([
      'api.example.org',
      '443',
      'true',
    ]);
  });

  it('names the variable for what only the environment changes, and the settings of the rest', async () => {
    expect(await region('Application code').locator('code').innerText()).toMatch(/^APP_CODE=[0-9a-f]{32}$/);
    await region('Mail').getByRole('link', { name: 'Open settings: Email' }).click();
    await hands.heading('Email');
  });
});

describe('settings in the console', () => {
  it('say what they take, and go back to the default', async () => {
    await page.getByText('Password reset', { exact: true }).click();
    await hands.field(VALIDITY).fill('30');
    await hands.told('1 unsaved change');
    await hands.button('Save').click();
    await hands.saved();
    await page.getByText('1–10,080 · Default: 15').waitFor();
    await hands.button(`Reset to default: ${VALIDITY}`).click();
    expect(await hands.field(VALIDITY).inputValue()).toBe('15');
    await hands.button('Save').click();
    await expect
      .poll(async () => {
        const { data } = await admin('GET', '/admin/configuration/PasswordRecovery');
        return data.find(({ key }: { key: string }) => key === 'email.expiration.time').value;
      })
      .toBe('15');
  });

  it('are tried out beside them', async () => {
    const test = region('Test the saved settings');
    await test.getByRole('button', { name: 'Check now' }).click();
    await test.getByText('No mail server is set').waitFor();
    await test.getByLabel('Email address').fill('ops@example.org');
    await test.getByRole('button', { name: 'Send test email' }).click();
    await test.getByRole('alert').waitFor();
    await hands.field('SMTP host').fill('localhost');
    await hands.button('Save').click();
    await hands.saved();
    await test.getByRole('button', { name: 'Send test email' }).click();
    await test.getByText('Test email sent.').waitFor();
    expect(service.backend.mail.at(-1)?.to).toBe('ops@example.org');
    await hands.goTo('settings/social');
    await test.getByRole('button', { name: 'Check now' }).click();
    await test.getByText('No social login is enabled').waitFor();
  });

  it('show the environment without secrets', async () => {
    await page.getByRole('link', { name: 'Environment' }).click();
    await hands.heading('Environment');
    await expect.poll(() => hands.rows('Environment')).toContainEqual(expect.stringMatching(/^APP_CODE\s[^*]*\*\*\*/));
  });
});

describe('push in the console', () => {
  it('is composed with a preview, sent, and followed to its fate', async () => {
    for (const [key, value] of Object.entries(ANDROID))
      await admin('PUT', `/admin/configuration/Push/${key}`, { value });
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Notifications' }).click();
    await hands.heading('Notifications');
    await hands.button('New notification').click();
    await hands.field('Recipients').selectOption('users');
    await hands.field('Usernames, separated by commas').fill('ann, nobody-of-this-name');
    await hands.field('Text').fill(CANARY);
    expect(await region('Preview').locator('.notification').innerText()).toContain('<script>');
    await page.getByText('More options').click();
    await hands.field('Badge').fill('three');
    await hands.told('Enter an integer of 0');
    expect(await hands.button('Send').isDisabled()).toBe(true);
    await hands.field('Badge').fill('3');
    await hands.button('Send').click();
    await hands.button('Send to 2 users').click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await hands.field('Usernames, separated by commas').fill('ann');
    await hands.button('Send').click();
    await hands.button('Send to 1 user').click();
    await hands.heading('Notification');
    await expect.poll(async () => (await hands.rows('Deliveries'))[0]).toMatch(/ann\s+android\s+Waiting/);
    await service.backend.deliver();
    await hands.button('Refresh').click();
    await expect.poll(async () => (await hands.rows('Deliveries'))[0]).toContain('Sent');
    expect(service.backend.pushed.at(-1)).toMatchObject({ device: 'phone-of-ann', message: CANARY, badge: 3 });
  });

  it('goes to the own devices, and says when there are none', async () => {
    await hands.goTo('push/new');
    await hands.field('Text').fill('Hello');
    await hands.button('Send').click();
    await hands.heading('Notification');
    await page.getByText('No devices.').first().waitFor();
  });

  it('lists what was sent, newest first, and leads to its deliveries', async () => {
    await hands.goTo('push');
    await expect.poll(async () => (await hands.rows('Recent notifications'))[0]).toMatch(/Hello\s+admin/);
    expect((await hands.rows('Recent notifications'))[1]).toContain(CANARY);
    await page.locator('main').getByRole('link', { name: 'Hello' }).click();
    await hands.heading('Notification');
    await page.getByText('No devices.').first().waitFor();
  });
});

describe('users in the console', () => {
  it('are found by conditions, with columns of their profiles', async () => {
    await hands.goTo('users');
    await hands.field('Filter').fill('visibleByTheUser.email like');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await hands.field('Filter').fill("visibleByTheUser.email = 'bob@example.org'");
    await page.keyboard.press('Enter');
    await expect.poll(() => hands.rows('Users')).toHaveLength(1);
    await hands.button('Columns').click();
    await page.getByLabel('visibleByTheUser.email').check();
    await page.getByLabel('visibleByTheUser.nick').check();
    await page.keyboard.press('Escape');
    const [row] = await hands.rows('Users');
    expect(row).toContain('bob@example.org');
    expect(row).toContain('<script>');
    await hands.button('Clear filter').click();
    await expect.poll(() => hands.rows('Users')).toHaveLength(3);
  });

  it('have follows, groups and devices', async () => {
    await page.getByRole('link', { name: 'ann', exact: true }).click();
    await hands.heading('ann');
    await page.getByRole('link', { name: 'Groups & follows' }).click();
    const follows = region('Relationships');
    await follows.getByRole('link', { name: 'bob' }).waitFor();
    await follows.getByLabel('User to follow').fill('eve');
    await page.keyboard.press('Enter');
    await follows.getByRole('button', { name: 'Unfollow eve' }).click();
    await follows.getByText('Not following anyone.').waitFor();
    await expect.poll(async () => (await hands.rows('Groups'))[0]).toMatch(/Readers\s+Owner/);
    await page.getByRole('link', { name: 'Sessions & devices' }).click();
    await expect.poll(async () => (await hands.rows('Devices'))[0]).toMatch(/phone-of-ann\s+android/);
  });

  it('are deleted with what the dialog names', async () => {
    await hands.more('Delete user');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The following is deleted as well:').waitFor();
    const text = (await dialog.locator('dl').innerText()).replace(/\s+/g, ' ');
    expect(text).toContain('Documents 1');
    expect(text).toContain('Followers 1');
    expect(text).toContain('Devices 1');
    await dialog
      .getByText('These groups get a new owner, or are deleted if they have no other members: Readers')
      .waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('roles in the console', () => {
  it('are created, renamed and deleted with the keyboard', async () => {
    await hands.goTo('roles');
    await hands.button('New role').press('Enter');
    await hands.field('Name').fill('registereduser');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await hands.field('Name').fill('editor');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Edits');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Actions for editor' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    await hands.field('Name').fill('author');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Actions for author' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Delete role' }).press('Enter');
    expect((await admin('GET', '/admin/role/author')).data).toMatchObject({ description: 'Edits' });
    await page.getByRole('dialog').getByLabel('Name').fill('author');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(async () => (await hands.rows('Roles')).filter((row) => row.startsWith('author'))).toEqual([]);
    expect((await admin('GET', '/admin/role/author')).status).toBe(404);
  });
});

describe('these views', () => {
  it.each(LOOKS)(
    'are accessible in %s colors, %i pixels wide, and run nothing that is stored',
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const [place, title] of [
        ['overview', 'Overview'],
        ['health', 'Health'],
        ['push', 'Notifications'],
        ['push/new', 'New notification'],
        ['roles', 'Roles'],
        ['settings/email', 'Email'],
        ['settings/environment', 'Environment'],
        ['users', 'Users'],
        ['users/ann', 'ann'],
        ['users/ann/security', 'ann'],
        ['users/ann/groups', 'ann'],
      ] as const) {
        await hands.goTo(place);
        await hands.heading(title);
        await loaded();
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
        });
        expect([place, await seriousProblems(page), await overflow(page)]).toEqual([place, [], 0]);
      }
      expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    },
  );
});
