import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { useConsole } from '../support/console-page.ts';
import { useTasks } from '../support/console-tasks.ts';

const current = useConsole();
const { addUser, begin, addDocument } = useTasks(current);
let document = '';

beforeAll(async () => {
  document = await addDocument('Momo');
});

/** What a user does with the keyboard alone. */
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
      await current().hands.heading(heading);
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
      await tabTo(current().hands.field('Role'));
      await type('Back');
      await tabTo(current().hands.button('Save the role'));
      await press('Enter');
      const user = async () => (await current().admin('GET', '/admin/user/kim3')).data.user;
      await expect.poll(async () => (await user()).roles[0].name).toBe('BackOffice');
    },
  ],
  [
    'create a user',
    async ({ search, tabTo, type, press }) => {
      await search('create a user', 'Create a user', 'Users');
      const { page, hands } = current();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('User name', { exact: true }).focus();
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
      await tabTo(current().hands.button('End all sessions'));
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
      await hands.heading(document);
      await tabTo(hands.field('Content (JSON)'));
      await press('Control+a');
      await type('{"title":"Jim"}');
      await tabTo(hands.button('Save'));
      await press('Enter');
      await hands.told('Saved');
    },
  ],
  [
    'create a collection',
    async ({ search, type, press }) => {
      await search('create a coll', 'Create a collection', 'Collections');
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
      await search('settings', 'Settings', 'Settings');
      await tabTo(page.locator('main').getByRole('link', { name: 'PasswordRecovery', exact: true }));
      await press('Enter');
      await tabTo(hands.field('E-mail address'));
      await type('admin@example.com');
      await press('Enter');
      await hands.told('The mail server accepted it');
    },
  ],
  [
    'send a notification',
    async ({ search, tabTo, type, press }) => {
      await search('push', 'Push', 'Push');
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
});
