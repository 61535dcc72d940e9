import { beforeAll } from 'vitest';
import type { ConsolePage } from './console-page.ts';

/** Prepares the tasks of an administrator: mail, push, and a collection `books`. */
export function useTasks(current: () => ConsolePage) {
  beforeAll(async () => {
    const { admin } = current();
    await admin('PUT', '/admin/configuration/PasswordRecovery/network.smtp.host', { value: 'mail.example.com' });
    await admin('PUT', '/admin/configuration/Push/push.android.project', { value: 'my-app' });
    await admin('PUT', '/admin/configuration/Push/push.android.service_account', { value: '{"client_email":"a"}' });
    await admin('POST', '/admin/collection/books');
  });

  return {
    /** Adds a document. Resolves to its id. */
    async addDocument(title: string): Promise<string> {
      return (await current().admin('POST', '/document/books', { title })).data.id;
    },

    /** Adds a user with a session. */
    async addUser(name: string): Promise<void> {
      const { admin, world } = current();
      await admin('POST', '/admin/user', { username: name, password: 'secret', visibleByTheUser: {} });
      await world.call('POST', '/login', { body: { username: name, password: 'secret' } });
    },

    /** Begins a task on the overview. */
    async begin(): Promise<void> {
      const { hands, page } = current();
      // A failed earlier task may have left a dialog open.
      for (let level = 0; level < 3; level++) await page.keyboard.press('Escape');
      const discard = page.getByRole('button', { name: 'Discard changes' });
      if ((await page.getByRole('dialog', { name: 'Unsaved changes' }).count()) > 0) await discard.last().click();
      await hands.goTo('overview');
      await hands.heading('Overview');
      await page.locator('main').focus();
    },
  };
}
