import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { useConsole } from '../support/console-page.ts';
import { useTasks } from '../support/console-tasks.ts';

const current = useConsole();
const { addUser, begin, addDocument } = useTasks(current);
let document = '';

beforeAll(async () => {
  await addDocument('Momo');
  document = 'Momo';
});

/** Actions of a user with the keyboard alone. */
function keyboard() {
  const { page } = current();
  const { press, type } = { press: (keys: string) => page.keyboard.press(keys), type: page.keyboard.type };
  return {
    press,
    type: type.bind(page.keyboard),
    /** Moves the focus, and checks that it can be seen. */
    async tabTo(to: Locator): Promise<void> {
      await to.waitFor();
      for (let steps = 0; steps < 80; steps++) {
        await press('Tab');
        const style = await to.evaluate((element) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          return element === globalThis.document.activeElement ? `${outlineStyle} ${outlineWidth}` : null;
        });
        if (style === null) continue;
        expect(style).toMatch(/^(?!none)\w+ [1-9]/);
        return;
      }
      throw new Error('the keyboard does not reach it');
    },
    /** Opens what the search finds. */
    async search(text: string, option: string, heading: string): Promise<void> {
      await press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { name: option, exact: true }).waitFor();
      await press('Enter');
      if (heading !== '') await current().hands.heading(heading);
    },
  };
}

type Keyboard = ReturnType<typeof keyboard>;

const BY_KEYBOARD: readonly (readonly [name: string, act: (keys: Keyboard) => Promise<void>])[] = [
  [
    'find a user and reset the password',
    async ({ search, tabTo, type, press }) => {
      await addUser('kim1');
      await search('kim1', 'User: kim1', 'kim1');
      await current().hands.goTo('users/kim1/security');
      await tabTo(current().hands.field('New password'));
      await type('another-password-1');
      await press('Enter');
      await current().hands.told('Password changed.');
    },
  ],
  [
    'suspend a user',
    async ({ search, tabTo, press }) => {
      await addUser('kim2');
      await search('kim2', 'User: kim2', 'kim2');
      await current().hands.goTo('users/kim2/security');
      await tabTo(current().hands.button('Suspend'));
      await press('Enter');
      await current().hands.button('Activate').waitFor();
    },
  ],
  [
    'edit a role',
    async ({ search, tabTo, type, press }) => {
      await addUser('kim3');
      await search('kim3', 'User: kim3', 'kim3');
      await current().hands.goTo('users/kim3/security');
      await tabTo(current().hands.field('Role'));
      await type('Back');
      await tabTo(current().hands.button('Save role'));
      await press('Enter');
      const user = async () => (await current().admin('GET', '/admin/user/kim3')).data.user;
      await expect.poll(async () => (await user()).roles[0].name).toBe('BackOffice');
    },
  ],
  [
    'create a user',
    async ({ search, tabTo, type, press }) => {
      await search('new user', 'New user', '');
      const { page, hands } = current();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Username', { exact: true }).focus();
      await type('kim4');
      await tabTo(dialog.getByLabel('Password', { exact: true }));
      await type('secret-enough-1');
      await press('Enter');
      await hands.heading('kim4');
    },
  ],
  [
    'end the sessions of a user',
    async ({ search, tabTo, press }) => {
      await addUser('kim5');
      await search('kim5', 'User: kim5', 'kim5');
      await tabTo(current().page.getByRole('link', { name: 'Sessions & devices' }));
      await press('Enter');
      await tabTo(current().hands.button('Revoke all sessions'));
      await press('Enter');
      await current().hands.told('No active sessions.');
    },
  ],
  [
    'filter documents',
    async ({ search, tabTo, type, press }) => {
      await search('books', 'Collection: books', 'books');
      await tabTo(current().hands.field('Filter'));
      await type('title is not null');
      await press('Escape');
      await press('Enter');
      await expect.poll(() => current().page.url()).toContain('where=');
    },
  ],
  [
    'edit a document',
    async ({ search, tabTo, type, press }) => {
      const { page, hands } = current();
      await search('books', 'Collection: books', 'books');
      await tabTo(page.locator('main').getByRole('link', { name: document, exact: true }));
      await press('Enter');
      await hands.drawer(document);
      await hands.field('Content (JSON)').focus();
      await press('Control+a');
      await type('{"title":"Jim"}');
      await press('Control+s');
      await hands.saved();
    },
  ],
  [
    'create a document',
    async ({ search, tabTo, type, press }) => {
      const { hands, page } = current();
      await search('books', 'Collection: books', 'books');
      await tabTo(hands.button('New document'));
      await press('Enter');
      await hands.drawer('New document');
      // The browser reports the element around the shadow root of the editor as focused.
      await tabTo(page.getByRole('dialog').locator('.code-editor'));
      await press('Control+a');
      await type('{"title":"Emil"}');
      await press('Control+s');
      await hands.drawer('Emil');
    },
  ],
  [
    'delete three documents',
    async ({ search, tabTo, press }) => {
      const { page, hands } = current();
      for (const title of ['A', 'B', 'C']) await addDocument(title);
      const link = (title: string) => page.locator('main').getByRole('link', { name: title, exact: true });
      await search('books', 'Collection: books', 'books');
      await tabTo(link('A'));
      for (const key of [' ', 'j', ' ', 'j', ' ']) await press(key);
      await hands.told('3 selected');
      await press('Delete');
      await page.getByRole('dialog', { name: 'Delete 3 documents' }).waitFor();
      await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Delete 3 documents' }));
      await press('Enter');
      await hands.told('Deleted: 3');
      await link('A').waitFor({ state: 'detached' });
    },
  ],
  [
    'find a failed request',
    async ({ search, tabTo, press }) => {
      const { page, hands, admin } = current();
      await admin('GET', '/document/nothing');
      await search('logs', 'Logs', 'Logs');
      await tabTo(hands.field('Status'));
      await press('4');
      await tabTo(page.locator('main').getByRole('link', { name: 'GET /document/nothing' }).first());
      await press('Enter');
      await page.getByRole('dialog').getByText('404').first().waitFor();
      await press('Escape');
    },
  ],
  [
    'create a collection',
    async ({ search, type, press }) => {
      await search('new coll', 'New collection', '');
      await current().page.getByRole('dialog').getByLabel('Name').focus();
      await type('songs');
      await press('Enter');
      await current().hands.heading('songs');
    },
  ],
  [
    'send a test mail',
    async ({ search, tabTo, type, press }) => {
      const { page, hands } = current();
      await search('settings', 'Settings', 'General');
      await tabTo(page.locator('main').getByRole('link', { name: 'Email', exact: true }));
      await press('Enter');
      await tabTo(hands.field('Email address'));
      await type('admin@example.com');
      await press('Enter');
      await hands.told('Test email sent.');
    },
  ],
  [
    'send a notification',
    async ({ search, tabTo, type, press }) => {
      await search('notifications', 'Notifications', 'Notifications');
      await tabTo(current().hands.button('New notification'));
      await press('Enter');
      await tabTo(current().hands.field('Text'));
      await type('Hello');
      await press('Enter');
      await current().hands.heading('Notification');
    },
  ],
];

describe('by keyboard alone', () => {
  it.each(BY_KEYBOARD)('%s', async (_name, act) => {
    await begin();
    await act(keyboard());
  });

  it.each([
    ['collections', 'Collections', 'New collection', 'Name'],
    ['users', 'Users', 'New user', 'Username'],
    ['groups', 'Groups', 'New group', 'Name'],
    ['keys', 'API keys', 'New API key', 'Name'],
    ['assets', 'Assets', 'New asset', 'Name'],
  ])('%s: keys typed right after a dialog opens arrive in it', async (place, heading, opener, field) => {
    await begin();
    const { hands, page } = current();
    await hands.goTo(place);
    await hands.heading(heading);
    await hands.button(opener).last().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('abc');
    const input = page.getByRole('dialog').getByLabel(field, { exact: true });
    await expect.poll(() => input.inputValue()).toBe('abc');
    await page.keyboard.press('Escape');
    await hands.button('Discard changes').click();
  });
});
