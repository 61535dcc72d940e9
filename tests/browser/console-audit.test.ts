import { describe, expect, it } from 'vitest';
import { CANARY, itIsAccessible, useConsole } from '../support/console-page.ts';

describe('the audit events in the console', () => {
  const current = useConsole();

  it('are listed, and filtered by act, target and day', async () => {
    const { page, hands, admin, asked } = current();
    await admin('POST', '/admin/user', { username: 'ann', password: 'secret' });
    await admin('PUT', '/admin/user/ann', { role: 'BackOffice' });
    await admin('POST', '/admin/key', { name: CANARY, role: 'registereduser', current_password: 'admin' });
    await page.getByRole('link', { name: 'Audit log', exact: true }).click();
    await hands.heading('Audit log');
    await page.getByRole('rowheader', { name: 'user.role_changed' }).waitFor();
    const all = await hands.rows('Audit log');
    // Stored names are text.
    expect(all[0]).toContain(CANARY);
    expect(all[1]).toMatch(
      /user\.role_changed\s+admin\s+ann\s+.*before: registereduser, after: BackOffice\s+127\.0\.0\.0\/24/s,
    );
    await hands.field('Target').fill('ann');
    await hands.field('Event').selectOption('user.created');
    asked();
    await hands.button('Search').last().click();
    await expect.poll(() => hands.rows('Audit log')).toHaveLength(1);
    // The page also sends calls of its own, such as those that keep the session.
    const lists = asked()
      .map((request) => new URL(request.url()))
      .filter(({ pathname }) => pathname.endsWith('/admin/audit'));
    expect(lists.map(({ search }) => search)).toEqual(['?act=user.created&to=ann&recordsPerPage=100']);
    await hands.field('From').fill('2999-01-01');
    await hands.button('Search').last().click();
    await hands.told('No events match');
    await hands.button('Clear filter').last().click();
    await expect.poll(() => hands.rows('Audit log')).toHaveLength(all.length);
    await page.locator('main').getByRole('link', { name: 'ann', exact: true }).first().click();
    await expect.poll(() => hands.rows('Users')).toHaveLength(1);
  });

  itIsAccessible(current, async () => [['audit', 'Audit log']]);
});
