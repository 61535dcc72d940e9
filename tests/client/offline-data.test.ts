import type { Stored } from '@baobab/client';
import { createOffline, type LocalOperator, memoryStore, type OfflineQuery } from '@baobab/client/offline';
import { expect, it, vi } from 'vitest';
import { PASSWORD } from '../support/client-service.ts';
import { type Item, newName, onDevices } from '../support/offline/devices.ts';
import { until } from '../support/patience.ts';

onDevices('the data of the offline store', (world) => {
  it('lists again when rights changed for many documents, or the cursor has expired', async () => {
    const ann = await world.device();
    const bob = await world.device();
    const { id } = await ann.items.create({ title: 'Milk' });
    await ann.offline.sync();
    await bob.offline.sync();
    expect(await bob.items.query().count()).toBe(0);
    await bob.baobab.following.follow(ann.name);
    await bob.offline.sync();
    expect(await bob.items.query().list()).toMatchObject([{ title: 'Milk' }]);
    await bob.baobab.following.unfollow(ann.name);
    await bob.offline.sync();
    expect(await bob.items.query().count()).toBe(0);
    await bob.store.update([], () => []);
    const [[key, meta] = ['', {}]] = (await ann.store.list('u/')).filter(([name]) => name.endsWith('/m'));
    await ann.store.update([], () => [[key, { ...(meta as object), cursor: 'c0.0.ffffff' }]]);
    await ann.items.update(id, { done: true });
    await ann.offline.sync();
    expect(await ann.items.query().list()).toMatchObject([{ title: 'Milk', done: true }]);
  });

  it.each(['nothing', 'an update', 'a removal'])(
    'stores a document once if its answer was lost long ago, before %s',
    async (event) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      try {
        const rejected: string[] = [];
        const { items, offline, net, baobab, name } = await world.device({
          onRejected({ content }, { code }) {
            rejected.push(`${content.title} ${code}`);
            return 'discard';
          },
        });
        const party = await items.create({ title: 'Party' });
        const milk = await items.create({ title: 'Milk', list: party.id });
        net.losesAnswers = true;
        await expect(offline.sync()).rejects.toMatchObject({ code: 'client.network' });
        net.losesAnswers = false;
        vi.setSystemTime(Date.now() + 24 * 3_600_000);
        await baobab.auth.login({ username: name, password: PASSWORD });
        const online = baobab.collection(world.collection);
        if (event === 'an update') await online.update(party.id, { title: 'Big party' });
        if (event === 'a removal') await online.remove(party.id);
        await offline.sync();
        expect([rejected, offline.waiting]).toEqual([[], 0]);
        const stored = await online.query().list();
        const title = event === 'an update' ? 'Big party' : 'Party';
        const expected = event === 'a removal' ? [] : [{ id: party.id, title }];
        expect(stored).toMatchObject([...expected, { id: milk.id, title: 'Milk', list: party.id }]);
        expect(await items.query().list()).toEqual(stored);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('never shows the data of one user to another', async () => {
    const { baobab, offline, items, net, name } = await world.device();
    await items.create({ title: 'Milk' });
    const seen: number[] = [];
    const stop = items.query().live((rows) => seen.push(rows.length));
    await until(() => seen.length === 1);
    // At the moment of the log-out, not some time later.
    const users: unknown[] = [];
    const stopListening = baobab.auth.onChange(() => users.push(offline.user));
    await baobab.auth.logout();
    stopListening();
    expect(users).toEqual([null]);
    expect(await items.query().list()).toEqual([]);
    await expect(items.create({ title: 'x' })).rejects.toMatchObject({ code: 'client.no_user' });
    await expect(offline.sync()).rejects.toMatchObject({ code: 'client.no_user' });
    await baobab.auth.signUp({ username: newName('user'), password: PASSWORD });
    await offline.sync();
    expect(await items.query().list()).toEqual([]);
    expect(net.sent.filter((one) => one.startsWith('POST /document'))).toEqual([]);
    await baobab.auth.login({ username: name, password: PASSWORD });
    expect(await items.query().list()).toMatchObject([{ title: 'Milk' }]);
    await offline.sync();
    expect(await baobab.collection(world.collection).query().count()).toBe(1);
    stop();
    expect(seen).toEqual([1, 0, 1, 1]);
  });

  it('goes on without a session that has ended, and sends after the next login', async () => {
    const { baobab, offline, items, name, store } = await world.device();
    await items.create({ title: 'Milk' });
    await world.admin().admin.users.endSessions(name);
    await expect(offline.sync()).rejects.toMatchObject({ code: 'session.invalid' });
    expect([baobab.auth.session, offline.user?.username]).toEqual([null, name]);
    await items.create({ title: 'Bread' });
    // Also after a reload.
    const later = createOffline(world.client(), { store, collections: [world.collection], automatic: false });
    world.opened.push(later);
    await later.ready;
    expect(await later.collection(world.collection).query().count()).toBe(2);
    await baobab.auth.login({ username: name, password: PASSWORD });
    await offline.sync();
    expect(await baobab.collection(world.collection).query().count()).toBe(2);
    expect(offline.waiting).toBe(0);
  });

  it('hides the data at a logout, also of a session that has ended', async () => {
    const { baobab, offline, items, name, store } = await world.device();
    await items.create({ title: 'Milk' });
    await world.admin().admin.users.endSessions(name);
    await expect(offline.sync()).rejects.toMatchObject({ code: 'session.invalid' });
    await baobab.auth.logout();
    expect(await items.query().list()).toEqual([]);
    const later = createOffline(world.client(), { store, collections: [world.collection], automatic: false });
    world.opened.push(later);
    await later.ready;
    expect([offline.user, later.user]).toEqual([null, null]);
  });

  it('removes the data from the device', async () => {
    const { baobab, offline, items, store } = await world.device();
    await items.create({ title: 'Milk' });
    await baobab.auth.logout();
    await offline.clear();
    expect((await store.list('u/')).length).toBe(0);
    const other = await world.device();
    await other.items.create({ title: 'Bread' });
    await other.offline.sync();
    await other.items.create({ title: 'Eggs' });
    await other.offline.clear({ allUsers: true });
    expect(await other.items.query().list()).toEqual([]);
    await other.offline.sync();
    expect(await other.items.query().list()).toMatchObject([{ title: 'Bread' }]);
  });

  it('lists the data again that was removed during a session', async () => {
    const { offline, items } = await world.device({ automatic: true });
    await items.create({ title: 'Milk' });
    await until(() => offline.status === 'idle' && offline.waiting === 0);
    await offline.clear();
    await until(async () => (await items.query().count()) === 1);
  });

  it('refuses writes for which there is no room, and keeps those before', async () => {
    const few = await world.device({ maxWaiting: 2 });
    for (const title of ['a', 'b']) await few.items.create({ title });
    await expect(few.items.create({ title: 'c' })).rejects.toMatchObject({ code: 'client.store_full' });
    await few.offline.sync();
    await few.items.create({ title: 'c' });
    const small = await world.device({ store: memoryStore({ maxLength: 4_000 }) });
    await small.items.create({ title: 'a' });
    await expect(small.items.create({ title: 'b'.repeat(4_000) })).rejects.toMatchObject({ code: 'client.store_full' });
    expect(await small.items.query().list()).toMatchObject([{ title: 'a' }]);
    await small.offline.sync();
    expect(await small.baobab.collection(world.collection).query().count()).toBe(1);
  });

  it('does not touch data of a newer version', async () => {
    const store = memoryStore();
    await store.update([], () => [['format', 99]]);
    const errors: unknown[] = [];
    const offline = createOffline(world.client(), {
      store,
      collections: [world.collection],
      onError: (error) => errors.push(error),
    });
    world.opened.push(offline);
    await expect(offline.ready).rejects.toMatchObject({ code: 'client.store_newer' });
    expect(errors).toMatchObject([{ code: 'client.store_newer' }]);
    expect(await store.list('')).toEqual([['format', 99]]);
  });

  it('evaluates queries as the service does', async () => {
    const { baobab, offline, items } = await world.device();
    const values: (Item & { n?: unknown })[] = [
      { title: 'a', n: 1 },
      { title: 'b', n: 2 },
      { title: 'c', n: '2' },
      { title: '😀', n: null },
      { title: '\uFFFD', n: true },
      { title: 'd', n: ['2', 2] },
    ];
    for (const value of values) await items.create(value);
    await offline.sync();
    const [local, remote] = [items.query(), baobab.collection(world.collection).query()];
    const conditions: [string, LocalOperator, unknown?][] = [
      ['title', '=', 'a'],
      ['title', '<>', 'a'],
      ['title', '>', 'b'],
      ['title', '<=', 'b'],
      ['n', '=', true],
      ['n', 'is null'],
      ['n', 'is not null'],
      ['title', 'in', ['a', 'd']],
      ['n', 'contains', 2],
      ['n', 'contains', 'x'],
    ];
    for (const [path, operator, value] of conditions) {
      const [here, there] = [local, remote].map((query) =>
        (query as OfflineQuery<Stored<Item>>)
          .whereField(path as 'title', operator as '=', value as never)
          .orderBy('title', 'desc')
          .list(),
      );
      expect([path, operator, await here]).toEqual([path, operator, await there]);
    }
    expect(await local.orderBy('n' as 'title').list()).toEqual(await remote.orderBy('n' as 'title').list());
    expect(await local.list()).toEqual(await remote.list());
    expect(await local.filter(({ title }, most) => title < most, 'c').count()).toBe(2);
    expect((await local.orderBy('title').first())?.title).toBe('a');
  });

  it('tells live queries only what has changed', async () => {
    const { offline, items } = await world.device();
    const { id } = await items.create({ title: 'b' });
    const seen: string[][] = [];
    const stop = items
      .query()
      .orderBy('title')
      .live((rows, { added, updated, removed }) =>
        seen.push([rows.map(({ title }) => title).join(''), `${added.length}${updated.length}${removed.length}`]),
      );
    const documents: (string | undefined)[] = [];
    const stopOne = items.live(id, (document) => documents.push(document?.title));
    await until(() => seen.length === 1);
    await items.create({ title: 'a' });
    await items.update(id, { title: 'c' });
    await items.remove(id);
    stop();
    stopOne();
    await items.create({ title: 'd' });
    expect(seen).toEqual([
      ['b', '100'],
      ['ab', '100'],
      ['ac', '010'],
      ['a', '001'],
    ]);
    expect(documents).toEqual(['b', 'c', undefined]);
    expect(offline.waiting).toBe(5);
  });

  it('shares data between tabs', async () => {
    const one = await world.device();
    const other = await world.device({ store: { ...one.store }, name: one.name });
    const { id } = await one.items.create({ title: 'Milk' });
    await until(async () => (await other.items.query().count()) === 1);
    await other.items.update(id, { done: true });
    await until(async () => (await one.items.get(id))?.done === true);
    await one.offline.sync();
    await until(async () => !other.items.isWaiting(id));
    expect(await other.items.query().list()).toEqual(await one.baobab.collection(world.collection).query().list());
  });
});
