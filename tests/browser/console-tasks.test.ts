import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settled, useConsole } from '../support/console-page.ts';
import { useTasks } from '../support/console-tasks.ts';
import { createFolder } from '../support/databases.ts';

/** Maximum effort of an administrator for a task, starting at the overview: clicks, keys and inputs. */
const MOST_ACTIONS = 6;
const PICTURES = join(import.meta.dirname, '../../docs/images');
const MAX_PICTURE = 150_000; // bytes, so that the documents load fast
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Buy milk') };

const folder = createFolder();
const current = useConsole(() => ({ databaseUrl: `sqlite:${folder.path}/a.db` }));
const { addUser, begin, addDocument } = useTasks(current);
/** Title of the document. */
let document = '';

afterAll(() => folder.remove());
beforeAll(async () => {
  await addDocument('Momo');
  document = 'Momo';
});

/** Counts what a user does with mouse and keyboard. */
function countedHands() {
  const { page, hands } = current();
  let actions = 0;
  const counted = async (act: Promise<unknown>) => {
    actions++;
    await act;
  };
  const choose = (option: string) => page.getByRole('option', { name: option, exact: true }).waitFor();
  return {
    count: () => actions,
    click: (one: Locator) => counted(one.click()),
    press: (keys: string) => counted(page.keyboard.press(keys)),
    fill: (label: string, text: string) => counted(hands.field(label).fill(text)),
    pick: (label: string, option: string) => counted(hands.field(label).selectOption(option)),
    json: (label: string, text: string) => counted(hands.fillJson(label, text)),
    tab: (name: string) => counted(page.getByRole('tab', { name }).click()),
    /** Two clicks: the menu and its entry. */
    more: async (action: string) => {
      actions++;
      await counted(hands.more(action));
    },
    upload: (label: string) => counted(hands.field(label).setInputFiles([NOTE])),
    view: (name: string) =>
      counted(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click()),
    link: (name: string) => counted(page.locator('main').getByRole('link', { name, exact: true }).first().click()),
    button: (name: string) => counted(hands.button(name).first().click()),
    confirm: (name: string) => counted(current().inDialog(name).click()),
    /** Opens what the search finds. */
    async search(text: string, option: string, heading: string): Promise<void> {
      actions += 3;
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(text);
      await choose(option);
      await page.keyboard.press('Enter');
      if (heading !== '') await hands.heading(heading);
    },
  };
}

type CountedHands = ReturnType<typeof countedHands>;
type Task = readonly [name: string, act: (act: CountedHands) => Promise<void>];

const findUser = async (act: CountedHands, name: string) => {
  await addUser(name);
  await act.search(name, `User: ${name}`, name);
};

async function openDocument(act: CountedHands): Promise<void> {
  await act.view('books');
  await act.link(document);
  await current().hands.drawer(document);
}

const TASKS: readonly Task[] = [
  ['find a user', (act) => findUser(act, 'zoe1')],
  [
    'reset a password',
    async (act) => {
      await findUser(act, 'zoe2');
      await act.link('Security');
      await act.fill('New password', 'another-password-1');
      await act.button('Set password');
      await current().hands.told('Password changed.');
    },
  ],
  [
    'suspend a user',
    async (act) => {
      await findUser(act, 'zoe3');
      await act.link('Security');
      await act.button('Suspend');
      await current().hands.button('Activate').waitFor();
    },
  ],
  [
    'edit a role',
    async (act) => {
      await findUser(act, 'zoe4');
      await act.link('Security');
      await act.pick('Role', 'BackOffice');
      await act.button('Save role');
      const user = async () => (await current().admin('GET', '/admin/user/zoe4')).data.user;
      await expect.poll(async () => (await user()).roles[0].name).toBe('BackOffice');
    },
  ],
  [
    'edit a profile',
    async (act) => {
      await findUser(act, 'zoe5');
      await act.fill('Visible to the user', '{"town":"Ulm"}');
      await act.button('Save profile');
      await current().hands.saved();
    },
  ],
  [
    'delete a user',
    async (act) => {
      await addUser('aaron');
      await act.view('Users');
      await act.link('aaron');
      await act.more('Delete user');
      await act.fill('Name', 'aaron');
      await act.confirm('Delete user');
      await current().hands.heading('Users');
      expect((await current().admin('GET', '/admin/user/aaron')).status).toBe(404);
    },
  ],
  [
    'end the sessions of a user',
    async (act) => {
      await findUser(act, 'zoe6');
      await act.link('Sessions & devices');
      await act.button('Revoke all sessions');
      await current().hands.told('No active sessions.');
    },
  ],
  [
    'lock a thief out of an account',
    async (act) => {
      await findUser(act, 'zoe6');
      await act.link('Security');
      await act.button('Secure account');
      await act.confirm('Secure account');
      await current().page.getByText('There is no address for a link: set a new password.').waitFor();
    },
  ],
  [
    'browse and filter documents',
    async (act) => {
      await act.view('books');
      await act.fill('Filter', "title = 'Momo'");
      await act.press('Enter');
      await expect.poll(() => current().page.url()).toContain('where=');
      await expect.poll(() => current().hands.rows('Documents')).toHaveLength(1);
    },
  ],
  [
    'edit a document',
    async (act) => {
      await openDocument(act);
      await act.json('Content (JSON)', '{"title":"Momo 2"}');
      await act.button('Save');
      await current().hands.saved();
      document = 'Momo 2';
    },
  ],
  [
    'change the grants of a document',
    async (act) => {
      await openDocument(act);
      await act.tab('Permissions');
      await act.fill('User, role or group', 'admin');
      await act.button('Share');
      await current().hands.button('Revoke read of user admin').waitFor();
    },
  ],
  [
    'delete a document',
    async (act) => {
      await openDocument(act);
      await act.more('Delete document');
      await act.confirm('Delete document');
      await current().hands.heading('books');
      await addDocument('Dune');
      document = 'Dune';
    },
  ],
  [
    'create a collection',
    async (act) => {
      await act.search('new coll', 'New collection', '');
      await act.fill('Name', 'films');
      await act.confirm('Create');
      await current().hands.heading('films');
    },
  ],
  [
    'add an index',
    async (act) => {
      await act.view('books');
      await act.link('Indexes');
      await act.fill('Path, such as author.name', 'title');
      await act.button('Add index');
      await current().hands.button('Delete index on title').waitFor();
    },
  ],
  [
    'store a file and look at it',
    async (act) => {
      await act.view('Files');
      await act.upload('Upload files');
      await act.link('note.txt');
      await current().hands.told('Buy milk');
    },
  ],
  [
    'create an asset',
    async (act) => {
      await act.view('Assets');
      await act.button('New asset');
      await act.fill('Name', 'terms');
      await act.upload('File');
      await act.confirm('Create');
      await current().hands.heading('terms');
    },
  ],
  [
    'send a test mail',
    async (act) => {
      await act.view('Settings');
      await act.link('Email');
      await act.fill('Email address', 'admin@example.com');
      await act.button('Send test email');
      await current().hands.told('Test email sent.');
    },
  ],
  [
    'send a notification and see its fate',
    async (act) => {
      await act.view('Notifications');
      await act.button('New notification');
      await act.fill('Text', 'Hello');
      await act.button('Send');
      await current().hands.heading('Notification');
      await current().hands.told('No devices.');
    },
  ],
  [
    'see statistics, and back up',
    async (act) => {
      await current().page.getByRole('region', { name: 'Usage' }).waitFor();
      await act.view('Settings');
      await act.link('Backups');
      const [download] = await Promise.all([current().page.waitForEvent('download'), act.button('Download backup')]);
      expect(download.suggestedFilename()).toMatch(/^baobab-.*\.tar$/);
    },
  ],
];

describe('the tasks of an administrator', () => {
  it.each(TASKS)('%s', async (_name, act) => {
    await begin();
    const counted = countedHands();
    await act(counted);
    expect(counted.count()).toBeLessThanOrEqual(MOST_ACTIONS);
  });
});

describe('the views', () => {
  it('cause no errors and warnings in the console of the browser', async () => {
    const opened = current();
    const { page, hands, admin } = opened;
    const said: string[] = [];
    page.on('console', (message) => {
      const { url } = message.location();
      if (['error', 'warning'].includes(message.type())) said.push(`${page.url()}: ${message.text()} ${url}`);
    });
    const url = 'https://receiver.example/';
    const webhook = (await admin('POST', '/admin/webhook', { url, collections: ['books'] })).data.id;
    await current().world.call('POST', '/admin/asset', {
      basic: ['admin', opened.backend.adminPassword],
      form: { name: 'colors', meta: '{"main":"green"}' },
    });
    const views = await page
      .getByRole('navigation', { name: 'Console' })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.slice(2) ?? ''));
    expect(views.length).toBeGreaterThan(10);
    const id = (await admin('GET', '/document/books?recordsPerPage=1&page=0')).data[0].id;
    const places = ['users/admin', 'collections/books', 'collections/books/schema', 'collections/books/rules'];
    places.push(`collections/books/${id}`, `webhooks/${webhook}`, 'assets/colors', 'settings/general');
    await page.reload();
    for (const place of [...views, ...places]) {
      await hands.goTo(place);
      await page.locator('main h1').waitFor();
      await settled(opened);
    }
    await hands.goTo('collections/books');
    await hands.button('New document').click();
    await hands
      .field('Filter')
      .focus()
      .catch(() => undefined);
    await page.getByRole('dialog').waitFor();
    await settled(opened);
    expect(said).toEqual([]);
  });

  // The pictures in docs/console.md are what this test sees; set SCREENSHOTS=write to take them again.
  it('look as in the documents', async () => {
    const opened = current();
    const { page, hands, admin } = opened;
    await admin('POST', '/admin/collection/recipes');
    await admin('PUT', '/admin/collection/recipes/schema', {
      type: 'object',
      required: ['title'],
      properties: { title: { type: 'string' }, minutes: { type: 'integer' }, vegetarian: { type: 'boolean' } },
    });
    const titles = ['Apple pie', 'Goulash', 'Lentil soup', 'Pancakes', 'Ratatouille', 'Sourdough bread'];
    let recipe = '';
    for (const [at, title] of titles.entries()) {
      const content = { title, minutes: 20 + 15 * at, vegetarian: title !== 'Goulash' };
      recipe = (await admin('POST', '/document/recipes', content)).data.id;
    }
    for (const { name, place, heading, dark = false, width = 1440 } of [
      { name: 'overview', place: 'overview', heading: 'Overview' },
      { name: 'documents', place: 'collections/recipes', heading: 'recipes' },
      { name: 'document-dark', place: `collections/recipes/${recipe}`, heading: '', dark: true },
      { name: 'settings', place: 'settings/email', heading: 'Email' },
      { name: 'logs-dark', place: 'logs?status=4xx', heading: 'Logs', dark: true },
      { name: 'documents-phone', place: 'collections/recipes', heading: 'recipes', width: 390 },
    ]) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await page.setViewportSize({ width, height: 844 });
      await hands.goTo(place);
      if (heading !== '') await hands.heading(heading);
      await settled(opened);
      const path = join(PICTURES, `console-${name}.png`);
      if (process.env.SCREENSHOTS === 'write') await page.screenshot({ path });
      expect([name, statSync(path).size > MAX_PICTURE]).toEqual([name, false]);
    }
  });
});
