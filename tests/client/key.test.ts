import { isBaobabError } from '@baobab/client';
import { live } from '@baobab/client/live';
import { expect, it } from 'vitest';
import { onEveryService } from '../support/client-service.ts';
import { until } from '../support/patience.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error) => (isBaobabError(error) ? error.code : error),
  );

onEveryService('a client with an API key', (service) => {
  async function withKey() {
    const { admin } = await service.admin();
    const { key } = await admin.keys.create({ name: service.unique('worker'), role: 'backoffice' });
    return { admin, key };
  }

  it('acts for its role without a login, also in live queries', async () => {
    const { key } = await withKey();
    const collection = await service.collection();
    const user = await service.user();
    const client = service.client({ key, live });
    const { id } = await user.collection(collection).create({ title: 'Milk' });
    expect(await client.collection(collection).get(id)).toMatchObject({ title: 'Milk' });
    let titles: unknown[] = [];
    const stop = client
      .collection(collection)
      .query()
      .live((rows) => {
        titles = rows.map(({ title }) => title);
      });
    await until(() => titles.length === 1);
    await user.collection(collection).create({ title: 'Bread' });
    await until(() => titles.length === 2);
    stop();
    expect(client.auth.session).toBeNull();
  });

  it('fails when the key is removed, and where a user is needed', async () => {
    const { admin, key } = await withKey();
    const client = service.client({ key });
    expect(await codeOf(client.users.me())).toBe('key.user_required');
    const [made] = (await admin.keys.list()).toReversed();
    await admin.keys.remove(made?.id ?? '');
    expect(await codeOf(client.users.query().list())).toBe('key.invalid');
  });

  it('has no key in addresses', async () => {
    const { key } = await withKey();
    const client = service.client({ key });
    expect(client.files.url('00000000-0000-7000-8000-000000000000')).not.toContain(key);
  });
});
