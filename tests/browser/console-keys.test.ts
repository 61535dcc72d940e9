import { describe, expect, it } from 'vitest';
import { keyScenarios } from '../support/api-keys.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { CANARY, itIsAccessible, useConsole } from '../support/console-page.ts';

describe('API keys in the console', () => {
  const clock = createHandDrivenClock(Date.now());
  const current = useConsole(() => ({ clock }));

  const list = async () => (await current().admin('GET', '/admin/key')).data;

  it('are created with a role and a last day; the key is shown once', async () => {
    const { page, hands, world } = current();
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await hands.told('No API keys yet');
    await hands.button('New API key').click();
    await hands.field('Name').fill(CANARY);
    await hands.field('Role').selectOption('administrator');
    await hands.field('Expires').fill('2090-01-31');
    await hands.button('Create').click();
    const key = await hands.field('Key').inputValue();
    await hands.button('Done').click();
    expect(await list()).toMatchObject([
      { name: CANARY, role: 'administrator', expires: '2090-01-31T23:59:59.000+0000', lastUse: null },
    ]);
    expect((await hands.rows('API keys'))[0]).toContain('Never');
    const { withKey } = keyScenarios(world);
    expect((await withKey(key, 'GET', '/admin/user')).status).toBe(200);
    await page.reload();
    await hands.heading('API keys');
    await expect.poll(() => hands.rows('API keys')).toHaveLength(1);
    expect(await page.content()).not.toContain(key);
    expect(await page.locator('main img').count()).toBe(0);
  });

  it('need a fresh login, or one’s own password, which is asked for in place', async () => {
    const { page, hands, backend } = current();
    clock.advance(11 * MINUTE);
    await hands.button('New API key').click();
    await hands.field('Name').fill('A shop');
    await hands.button('Create').click();
    await hands.told('Your last login is more than ten minutes ago');
    await hands.field('Your password').fill('wrong');
    await hands.button('Create').click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasNotText: 'older than' }).waitFor();
    expect(await list()).toHaveLength(1);
    await hands.field('Your password').fill(backend.adminPassword);
    await hands.button('Create').click();
    await hands.button('Done').click();
    await expect.poll(() => hands.rows('API keys')).toHaveLength(2);
    expect(await list()).toMatchObject([{}, { name: 'A shop', role: 'registereduser', expires: null }]);
  });

  itIsAccessible(current, async () => [
    ['keys', 'API keys', 'New API key'],
    [`keys/${(await list())[1].id}`, 'A shop', '⋯ Delete key'],
  ]);

  it('are deleted', async () => {
    const { page, hands, inDialog } = current();
    await hands.goTo('keys');
    await page.getByRole('link', { name: 'A shop' }).click();
    await hands.more('Delete key');
    await inDialog('Delete key').click();
    await hands.heading('API keys');
    await expect.poll(() => hands.rows('API keys')).toHaveLength(1);
    expect(await list()).toHaveLength(1);
  });
});

describe('protected settings in the console', () => {
  const clock = createHandDrivenClock(Date.now());
  const current = useConsole(() => ({ clock }));

  it('ask for one’s own password in place, once the login is not fresh', async () => {
    const { hands, admin, backend } = current();
    await hands.goTo('settings/email');
    await hands.field('SMTP host').fill('a.example.com');
    await hands.button('Save').click();
    await hands.saved();
    clock.advance(11 * MINUTE);
    await hands.field('SMTP host').fill('b.example.com');
    await hands.button('Save').click();
    await hands.told('Your last login is more than ten minutes ago');
    await hands.field('Your password').fill(backend.adminPassword);
    await hands.button('Save').click();
    const host = async () => {
      const { data } = await admin('GET', '/admin/configuration/PasswordRecovery');
      return data.find(({ key }: { key: string }) => key === 'network.smtp.host').value;
    };
    await expect.poll(host).toBe('b.example.com');
  });
});
