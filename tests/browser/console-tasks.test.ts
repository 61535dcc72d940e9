import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { settled, useConsole } from '../support/console-page.ts';
import { useTasks } from '../support/console-tasks.ts';

/** What an administrator may need for a task, from the overview on: clicks, keys and inputs. */
const MOST_ACTIONS = 5;
const PICTURES = join(import.meta.dirname, '../../docs/images');
/** Bytes of a picture, so that the documents load fast. */
const MAX_PICTURE = 150_000;
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Buy milk') };

const current = useConsole();
const { addUser, begin, addDocument } = useTasks(current);
let document = '';

beforeAll(async () => {
  document = await addDocument('Momo');
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
  await act.view('Collections');
  await act.link('books');
  await act.link(document);
  await current().hands.heading(document);
}

const TASKS: readonly Task[] = [
  ['find a user', (act) => findUser(act, 'zoe1')],
  [
    'reset a password',
    async (act) => {
      await findUser(act, 'zoe2');
      await act.fill('New password', 'another-password-1');
      await act.button('Set the password');
      await current().hands.told('Password changed.');
    },
  ],
  [
    'suspend a user',
    async (act) => {
      await findUser(act, 'zoe3');
      await act.button('Suspend');
      await current().hands.button('Activate').waitFor();
    },
  ],
  [
    'edit a role',
    async (act) => {
      await findUser(act, 'zoe4');
      await act.pick('Role', 'BackOffice');
      await act.button('Save the role');
      const user = async () => (await current().admin('GET', '/admin/user/zoe4')).data.user;
      await expect.poll(async () => (await user()).roles[0].name).toBe('BackOffice');
    },
  ],
  [
    'edit a profile',
    async (act) => {
      await findUser(act, 'zoe5');
      await act.fill('Visible to the user', '{"town":"Ulm"}');
      await act.button('Save the profile');
      await current().hands.told('Saved');
    },
  ],
  [
    'delete a user',
    async (act) => {
      await addUser('aaron');
      await act.view('Users');
      await act.link('aaron');
      await act.button('Delete the user');
      await act.fill('Name', 'aaron');
      await act.confirm('Delete the user');
      await current().hands.heading('Users');
      expect((await current().admin('GET', '/admin/user/aaron')).status).toBe(404);
    },
  ],
  [
    'end the sessions of a user',
    async (act) => {
      await findUser(act, 'zoe6');
      await act.button('End all sessions');
      await current().hands.told('No active sessions.');
    },
  ],
  [
    'browse and filter documents',
    async (act) => {
      await act.view('Collections');
      await act.link('books');
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
      await act.fill('Content (JSON)', '{"title":"Momo 2"}');
      await act.button('Save');
      await current().hands.told('Saved');
    },
  ],
  [
    'change the grants of a document',
    async (act) => {
      await openDocument(act);
      await act.fill('Name, or group id', 'admin');
      await act.button('Share');
      await current().hands.button('Revoke read of user admin').waitFor();
    },
  ],
  [
    'delete a document',
    async (act) => {
      await openDocument(act);
      await act.button('Delete the document');
      await act.confirm('Delete the document');
      await current().hands.heading('books');
      document = await addDocument('Dune');
    },
  ],
  [
    'create a collection',
    async (act) => {
      await act.search('create a coll', 'Create a collection', '');
      await act.fill('Name', 'films');
      await act.confirm('Create');
      await current().hands.heading('films');
    },
  ],
  [
    'add an index',
    async (act) => {
      await act.view('Collections');
      await act.link('books');
      await act.link('Rules, schema and indexes');
      await act.fill('Path, such as author.name', 'title');
      await act.button('Add the index');
      await current().hands.button('Delete the index on title').waitFor();
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
      await act.button('Create an asset');
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
      await act.link('PasswordRecovery');
      await act.fill('E-mail address', 'admin@example.com');
      await act.button('Send a test mail');
      await current().hands.told('The mail server accepted it');
    },
  ],
  [
    'send a notification and see its fate',
    async (act) => {
      await act.view('Push');
      await act.fill('Text', 'Hello');
      await act.button('Send');
      await current().hands.heading('Notification');
      await current().hands.told('No devices.');
    },
  ],
  [
    'see statistics, and how to back up',
    async () => {
      await current().page.getByRole('region', { name: 'Stored' }).waitFor();
      await current().hands.told('Run this command on the server');
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
    const places = ['users/admin', 'collections/books', 'collections/books/configuration'];
    places.push(`collections/books/${document}`, `webhooks/${webhook}`, 'assets/colors', 'settings/Application');
    await page.reload();
    for (const place of [...views, ...places]) {
      await hands.goTo(place);
      await page.locator('main h1').waitFor();
      await settled(opened);
    }
    await hands.goTo('collections/books');
    await hands.button('Create a document').click();
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
    const titles = ['Apple pie', 'Goulash', 'Lentil soup', 'Pancakes', 'Ratatouille', 'Sourdough bread'];
    let recipe = '';
    for (const [at, title] of titles.entries()) {
      const content = { title, minutes: 20 + 15 * at, vegetarian: title !== 'Goulash' };
      recipe = (await admin('POST', '/document/recipes', content)).data.id;
    }
    for (const { name, place, heading, dark = false, width = 1440 } of [
      { name: 'overview', place: 'overview', heading: 'Overview' },
      { name: 'documents', place: 'collections/recipes', heading: 'recipes' },
      { name: 'document-dark', place: `collections/recipes/${recipe}`, heading: recipe, dark: true },
      { name: 'audit-dark', place: 'audit', heading: 'Audit', dark: true },
      { name: 'documents-phone', place: 'collections/recipes', heading: 'recipes', width: 390 },
    ]) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await page.setViewportSize({ width, height: 844 });
      await hands.goTo(place);
      await hands.heading(heading);
      await settled(opened);
      const path = join(PICTURES, `console-${name}.png`);
      if (process.env.SCREENSHOTS === 'write') await page.screenshot({ path });
      expect([name, statSync(path).size > MAX_PICTURE]).toEqual([name, false]);
    }
  });
});
