import { describe, expect, it } from 'vitest';
import { createHands } from '../support/console.ts';
import { useConsole } from '../support/console-page.ts';
import { codeAt, protectedUser, STEP_MS } from '../support/second-factor.ts';

const current = useConsole();

const focusedType = () =>
  current().page.evaluate(() => (document.activeElement as Partial<HTMLInputElement> | null)?.type ?? null);

describe('a session that has ended', () => {
  it('is continued where it was, whatever keys were pressed on the sign-in page', async () => {
    const { backend, page, hands, admin } = current();
    await admin('POST', '/admin/collection/notes');
    const { id } = (await admin('POST', '/document/notes', { title: 'Kept' })).data;
    await hands.goTo(`collections/notes/${id}`);
    await hands.drawer('Kept');
    await admin('DELETE', '/admin/user/admin/sessions');
    await page.getByRole('tab', { name: 'Permissions' }).click();
    await hands.told('Your session has expired');
    for (const key of ['Escape', 'Escape', 'Control+k']) await page.keyboard.press(key);
    await hands.told('Your session has expired');
    await hands.field('Password').fill(backend.adminPassword);
    await hands.button('Sign in').click();
    await hands.told('Not shared.');
    await hands.drawer('Kept');
    expect(page.url()).toContain(id);
  });

  it('is continued in all tabs after signing in again in one of them', async () => {
    const { backend, page, base, hands, admin } = current();
    const other = await page.context().newPage();
    await other.goto(`${base}/console/#/users`);
    const inOther = createHands(other, base);
    await inOther.heading('Users');
    await admin('DELETE', '/admin/user/admin/sessions');
    await hands.goTo('roles');
    await hands.told('Your session has expired');
    await inOther.goTo('groups');
    await inOther.told('Your session has expired');
    await inOther.field('Password').fill(backend.adminPassword);
    await other.keyboard.press('Enter');
    await inOther.heading('Groups');
    await hands.heading('Roles');
    await page.getByRole('region', { name: 'Roles' }).waitFor();
    await other.close();
  });
});

describe('two-factor authentication', () => {
  it('takes a code as the app displays it, and has the focus', async () => {
    const { world, page, hands, admin } = current();
    const eve = await protectedUser(world, Date.now);
    await admin('PUT', `/admin/user/${eve.name}`, { role: 'administrator' });
    await hands.button('Account: admin').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await hands.signIn(eve.name, 'secret');
    await hands.field('Code from your authenticator app, or a recovery code').waitFor();
    await expect.poll(focusedType).toBe('text');
    const code = codeAt(eve.secret, Date.now() + STEP_MS);
    await page.keyboard.type(`${code.slice(0, 3)} ${code.slice(3)}`);
    await page.keyboard.press('Enter');
    await hands.button(`Account: ${eve.name}`).waitFor();
  });
});
