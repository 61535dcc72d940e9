import { describe, expect, it } from 'vitest';
import { itIsAccessible, useConsole } from '../support/console-page.ts';

describe('the indexes in the console', () => {
  const current = useConsole();

  it('of users, files and assets are added and deleted, and a path that cannot be indexed is refused', async () => {
    const { page, hands, admin } = current();
    await hands.goTo('indexes');
    await hands.heading('Indexes');
    const users = page.getByRole('region', { name: 'User indexes' }).first();
    const path = users.getByLabel('Path, such as visibleByRegisteredUsers.city');
    await path.fill('user.roles');
    await users.getByRole('button', { name: 'Add index' }).click();
    await users.getByText('in users these can be indexed').waitFor();
    await path.fill('visibleByTheUser.city');
    await users.getByRole('button', { name: 'Add index' }).click();
    await users.getByRole('rowheader', { name: 'visibleByTheUser.city' }).waitFor();
    const indexesOf = async (list: string) => (await admin('GET', `/admin/index/${list}`)).data;
    expect(await indexesOf('users')).toEqual([{ path: 'visibleByTheUser.city', state: 'ready', unique: false }]);
    expect(await indexesOf('files')).toEqual([]);

    const assets = page.getByRole('region', { name: 'Asset indexes' }).first();
    await assets.getByLabel('Path, such as meta.language').fill('["contentType","name"]');
    await assets.getByRole('button', { name: 'Add index' }).click();
    await assets.getByRole('rowheader', { name: '["contentType","name"]' }).waitFor();
    await assets.getByRole('button', { name: 'Delete index on ["contentType","name"]' }).click();
    await assets.getByText('No indexes yet.').waitFor();
    expect(await indexesOf('assets')).toEqual([]);
  });

  itIsAccessible(current, async () => [['indexes', 'Indexes']]);
});
