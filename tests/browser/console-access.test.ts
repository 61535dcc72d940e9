import { describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { CANARY, itIsAccessible, useConsole } from '../support/console-page.ts';

describe('lasting access in the console', () => {
  const clock = createHandDrivenClock(Date.now());
  const current = useConsole(() => ({ clock }));

  it('is listed with its makers, and links to where it is removed', async () => {
    const { page, hands, admin } = current();
    await admin('POST', '/admin/user', { username: 'olivia', password: 'secret', role: 'BackOffice' });
    await admin('POST', '/admin/key', { name: CANARY, role: 'registereduser' });
    await admin('POST', '/admin/collection/news');
    await admin('PUT', '/admin/collection/news/rules', { read: ['anonymous'] });
    await admin('POST', '/admin/webhook', { url: 'https://example.org/hook', collections: ['news'] });
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await hands.heading('Access');
    await expect.poll(() => hands.rows('Administrators and BackOffice users')).toHaveLength(2);
    expect((await hands.rows('Administrators and BackOffice users'))[1]).toMatch(/^olivia\s+BackOffice\s+admin\s/);
    expect(await hands.rows('Open collections')).toEqual([expect.stringMatching(/^news\s+read: anonymous\s+admin\s/)]);
    expect((await hands.rows('API keys'))[0]).toContain(CANARY);
    await page.getByRole('link', { name: 'https://example.org/hook' }).click();
    await hands.heading('https://example.org/hook');
  });

  itIsAccessible(current, async () => [['access', 'Access']]);

  it('is given again only with a fresh login or the password, which is asked for in place', async () => {
    const { hands, backend, admin } = current();
    const [{ id }] = (await admin('GET', '/admin/webhook')).data;
    const url = async () => (await admin('GET', `/admin/webhook/${id}`)).data.url;
    await hands.goTo(`webhooks/${id}/settings`);
    clock.advance(11 * MINUTE);
    await hands.field('URL').fill('https://example.org/other');
    await hands.button('Save').click();
    await hands.told('Your last login is more than ten minutes ago');
    expect(await url()).toBe('https://example.org/hook');
    await hands.field('Your password').fill(backend.adminPassword);
    await hands.button('Save').click();
    await expect.poll(url).toBe('https://example.org/other');
  });
});
