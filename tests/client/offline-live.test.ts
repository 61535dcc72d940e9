import type { Baobab } from '@baobab/client';
import { createOffline, memoryStore, mergeFields, type Offline } from '@baobab/client/offline';
import { afterEach, expect, it } from 'vitest';
import { nameOf, onEveryService, PASSWORD } from '../support/client-service.ts';
import { createCutFetch } from '../support/live/cut-fetch.ts';
import { until } from '../support/patience.ts';

interface Item {
  title: string;
  done?: boolean;
}

interface App {
  collections: { readonly [name: string]: Item };
}

onEveryService('an offline store that exchanges data by itself', (service) => {
  const opened: Offline<App>[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });

  async function device(collection: string, like?: Baobab<App>) {
    const net = createCutFetch(service.onFirstNode.fetch);
    const baobab: Baobab<App> = like === undefined ? await service.user<App>(net) : service.client<App>(net);
    if (like !== undefined) await baobab.auth.resume(like.auth.session?.token ?? '');
    const errors: unknown[] = [];
    const offline = createOffline(baobab, {
      store: memoryStore(),
      collections: [collection],
      onConflict: mergeFields,
      onError: (error) => errors.push(error),
    });
    opened.push(offline);
    await until(() => offline.status === 'idle');
    return { net, baobab, offline, errors, items: offline.collection(collection) };
  }

  type Device = Awaited<ReturnType<typeof device>>;

  const titles = async ({ items }: Device) => (await items.query().orderBy('title').list()).map(({ title }) => title);
  const show = (one: Device, ...wanted: string[]) =>
    until(async () => String(await titles(one)) === String(wanted) && one.offline.waiting === 0);

  it('shows on one device what is written on another, and goes on after lost connections', async () => {
    const collection = await service.collection();
    const one = await device(collection);
    const other = await device(collection, one.baobab);
    const { id } = await one.items.create({ title: 'Milk' });
    await show(other, 'Milk');
    one.net.setOnline(false);
    await one.items.update(id, { title: 'Oat milk' });
    await one.items.create({ title: 'Bread' });
    await until(() => one.offline.status === 'offline');
    const [milk] = await other.items.query().list();
    await other.items.update(milk?.id ?? '', { done: true });
    await other.items.create({ title: 'Eggs' });
    await show(other, 'Eggs', 'Milk');
    expect(await titles(one)).toEqual(['Bread', 'Oat milk']);
    one.net.setOnline(true);
    await show(one, 'Bread', 'Eggs', 'Oat milk');
    await show(other, 'Bread', 'Eggs', 'Oat milk');
    expect(await one.items.get(id)).toMatchObject({ title: 'Oat milk', done: true });
    expect(one.errors.length).toBeGreaterThan(0);
    other.net.cut();
    await one.items.remove(id);
    await show(other, 'Bread', 'Eggs');
  });

  it('lists again when rights change for many documents at once', async () => {
    const collection = await service.collection();
    const [ann, bob] = [await device(collection), await device(collection)];
    await ann.items.create({ title: 'Milk' });
    await show(ann, 'Milk');
    await bob.items.create({ title: 'Bread' });
    await bob.baobab.following.follow(nameOf(ann.baobab));
    await show(bob, 'Bread', 'Milk');
    await ann.items.create({ title: 'Eggs' });
    await show(bob, 'Bread', 'Eggs', 'Milk');
    await bob.baobab.following.unfollow(nameOf(ann.baobab));
    await show(bob, 'Bread');
  });

  it('waits for the same user when the session has ended', async () => {
    const collection = await service.collection();
    const one = await device(collection);
    const name = nameOf(one.baobab);
    await (await service.admin()).admin.users.endSessions(name);
    await one.items.create({ title: 'Milk' });
    await until(() => one.baobab.auth.session === null);
    expect(await titles(one)).toEqual(['Milk']);
    await one.baobab.auth.login({ username: name, password: PASSWORD });
    await show(one, 'Milk');
    await until(() => one.offline.status === 'idle');
  });
});
