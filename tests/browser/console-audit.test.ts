import { describe, expect, it } from 'vitest';
import { CANARY, itIsAccessible, useConsole } from '../support/console-page.ts';

describe('the audit events in the console', () => {
  const current = useConsole();

  it('are listed, and filtered by act, target and day', async () => {
    const { page, hands, admin, asked } = current();
    await admin('POST', '/admin/user', { username: 'ann', password: 'secret' });
    await admin('PUT', '/admin/user/ann', { role: 'BackOffice' });
    await admin('POST', '/admin/key', { name: CANARY, role: 'registereduser', current_password: 'admin' });
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await hands.heading('Audit');
    await page.getByRole('cell', { name: 'user.role_changed' }).waitFor();
    const all = await hands.rows('Audit');
    // Stored names are text.
    expect(all[0]).toContain(CANARY);
    expect(all[1]).toMatch(
      /user\.role_changed\s+admin\s+ann\s+127\.0\.0\.0\/24\s+before: registereduser, after: BackOffice/,
    );
    await hands.field('To').fill('ann');
    await hands.field('Event').selectOption('user.created');
    asked();
    await hands.button('Find').click();
    await expect.poll(() => hands.rows('Audit')).toHaveLength(1);
    // The page also sends calls of its own, such as those that keep the session.
    const lists = asked()
      .map((request) => new URL(request.url()))
      .filter(({ pathname }) => pathname.endsWith('/admin/audit'));
    expect(lists.map(({ search }) => search)).toEqual(['?act=user.created&to=ann&recordsPerPage=100']);
    await hands.field('From').fill('2999-01-01');
    await hands.button('Find').click();
    await hands.told('No matching events.');
    await hands.button('Clear').click();
    await expect.poll(() => hands.rows('Audit')).toHaveLength(all.length);
    await page.getByRole('link', { name: 'ann' }).first().click();
    await expect.poll(() => hands.rows('Users')).toHaveLength(1);
  });

  itIsAccessible(current, async () => [['audit', 'Audit']]);
});
