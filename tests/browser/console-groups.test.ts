import { describe, expect, it } from 'vitest';
import { CANARY, itIsAccessible, useConsole } from '../support/console-page.ts';

describe('groups in the console', () => {
  const current = useConsole();

  it('are all listed, with those of other users, page by page', async () => {
    const { page, hands, world } = current();
    await page.getByRole('link', { name: 'Groups', exact: true }).click();
    await hands.told('No groups yet');
    const owner = await world.user();
    for (let n = 1; n <= 51; n++)
      await world.call('POST', '/group', { token: owner.token, body: { name: `Group ${n}` } });
    await page.reload();
    await expect.poll(() => hands.rows('Groups')).toHaveLength(50);
    await hands.button('Next page').click();
    await hands.told('51–51 of 51');
    await expect.poll(() => hands.rows('Groups')).toHaveLength(1);
  });

  it('are created, renamed and deleted', async () => {
    const { page, hands, admin } = current();
    await hands.goTo('groups');
    await hands.button('New group').click();
    await hands.field('Name').fill('Gardeners');
    await page.keyboard.press('Enter');
    await hands.heading('Gardeners');
    const id = await hands.field('ID').inputValue();
    expect((await admin('GET', `/group/${id}`)).data).toMatchObject({ name: 'Gardeners', role: 'owner' });
    await hands.field('Name').fill(CANARY);
    await hands.button('Rename').click();
    await hands.heading(CANARY);
    expect(await page.locator('main img').count()).toBe(0);
    await hands.more('Delete group');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete group' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill(CANARY);
    await dialog.getByRole('button', { name: 'Delete group' }).click();
    await hands.heading('Groups');
    expect((await admin('GET', `/group/${id}`)).status).toBe(404);
  });

  it('have members, who get roles, are removed, and take the group over', async () => {
    const { hands, world, admin, inDialog, page } = current();
    const [owner, bob, eve] = [await world.user(), await world.user(), await world.user()];
    const { data: group } = await world.call('POST', '/group', { token: owner.token, body: { name: 'Readers' } });
    const members = async () => (await admin('GET', `/group/${group.id}`)).data.members;
    await hands.goTo(`groups/${group.id}`);
    await expect.poll(() => hands.rows('Members')).toHaveLength(1);
    await hands.field('Username').fill('nobody-of-this-name');
    await hands.button('Add member').click();
    await page.getByRole('alert').waitFor();
    for (const { name } of [bob, eve]) {
      await hands.field('Username').fill(name);
      await hands.button('Add member').click();
      await hands.button(`Remove ${name}`).waitFor();
    }
    await hands.field(`Role of ${bob.name}`).selectOption('Manager');
    await expect.poll(members).toContainEqual({ name: bob.name, role: 'manager' });
    await hands.button(`Remove ${eve.name}`).click();
    await hands.button(`Remove ${eve.name}`).waitFor({ state: 'detached' });
    expect(await members()).toHaveLength(2);
    await hands.field(`Role of ${bob.name}`).selectOption('Owner');
    await inDialog('Transfer ownership').click();
    await hands.button(`Remove ${owner.name}`).waitFor();
    expect(await members()).toEqual(
      expect.arrayContaining([
        { name: bob.name, role: 'owner' },
        { name: owner.name, role: 'manager' },
      ]),
    );
  });

  it('with many members are shown page by page', async () => {
    const { hands, world, admin } = current();
    const { data: group } = await admin('POST', '/group', { name: 'Crowd' });
    for (let n = 0; n < 101; n++)
      await admin('PUT', `/group/${group.id}/member/${(await world.user()).name}`, { role: 'member' });
    await hands.goTo(`groups/${group.id}`);
    await expect.poll(() => hands.rows('Members')).toHaveLength(100);
    await hands.button('Next page').click();
    await expect.poll(() => hands.rows('Members')).toHaveLength(2);
  });

  it('invite users by codes, and show and revoke what is pending', async () => {
    const { hands, page, world, admin, inDialog } = current();
    const [owner, ann, bob] = [await world.user(), await world.user(), await world.user()];
    const { data: group } = await world.call('POST', '/group', { token: owner.token, body: { name: 'Bakers' } });
    await world.call('PUT', `/group/${group.id}/member/${ann.name}`, { token: owner.token, body: { role: 'member' } });
    await hands.goTo(`groups/${group.id}`);
    await expect.poll(() => hands.rows('Invited users')).toHaveLength(1);
    await hands.told('No valid codes.');
    await hands.button('New invitation').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Role').selectOption('Manager');
    await dialog.getByLabel('Uses left').fill('0');
    await inDialog('Create').click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Uses left').fill('2');
    await inDialog('Create').click();
    const code = await dialog.getByLabel('Invitation code', { exact: true }).inputValue();
    await inDialog('Done').click();
    await expect.poll(() => hands.rows('Invitation codes')).toHaveLength(1);
    expect(await hands.rows('Invitation codes')).toEqual([expect.stringContaining('Manager')]);
    expect((await world.call('POST', `/invitation/${code}`, { token: bob.token })).status).toBe(200);
    expect((await admin('GET', `/group/${group.id}`)).data.members).toContainEqual({ name: bob.name, role: 'manager' });
    await page
      .getByRole('region', { name: 'Invitation codes' })
      .getByRole('button', { name: /^Revoke the invitation/ })
      .click();
    await hands.told('No valid codes.');
    expect((await world.call('GET', `/invitation/${code}`)).status).toBe(404);
    await hands.button(`Revoke the invitation ${ann.name}`).click();
    await expect.poll(() => hands.rows('Invited users')).toHaveLength(0);
    expect((await world.call('GET', '/me/group-invitations', { token: ann.token })).data).toEqual([]);
  });

  it('add users by a policy', async () => {
    const { hands, page, admin, inDialog } = current();
    await hands.goTo('groups');
    await hands.more('Default policy');
    await page.getByLabel('Users who are added to a group').selectOption('cannot be added');
    await inDialog('Save').click();
    await hands.saved();
    const { data } = await admin('GET', '/admin/configuration/Application');
    const policy = data.find(({ key }: { key: string }) => key === 'group.add.default');
    expect(policy.value).toBe('nobody');
    await admin('PUT', '/admin/configuration/Application/group.add.default', { value: 'approve' });
  });

  itIsAccessible(current, async () => {
    const { data } = await current().admin('GET', '/admin/group?recordsPerPage=1');
    return [
      ['groups', 'Groups', 'New group'],
      ['groups', 'Groups', '⋯ Default policy'],
      [`groups/${data[0].id}`, data[0].name, 'New invitation'],
      [`groups/${data[0].id}`, data[0].name, '⋯ Delete group'],
    ];
  });
});
