import { increment } from '@baobab/client';
import { type ConflictDecision, mergeFields } from '@baobab/client/offline';
import { expect, it } from 'vitest';
import { UUID } from '../support/documents.ts';
import { type Item, onDevices } from '../support/offline/devices.ts';
import { createLatch, until } from '../support/patience.ts';

onDevices('the offline store', (world) => {
  it('shows a write at once, and sends it when there is a connection', async () => {
    const { net, baobab, offline, items } = await world.device();
    net.isOn = false;
    const milk = await items.create({ title: 'Milk' });
    await items.update(milk.id, { done: true });
    expect(milk.id).toMatch(UUID);
    expect(await items.query().list()).toMatchObject([{ title: 'Milk', done: true }]);
    await expect(offline.sync()).rejects.toMatchObject({ code: 'client.network' });
    expect(items.isWaiting(milk.id)).toBe(true);
    net.isOn = true;
    await offline.sync();
    const stored = await baobab.collection(world.collection).query().list();
    expect(stored).toMatchObject([{ title: 'Milk', done: true, '@version': 2 }]);
    expect(await items.query().list()).toEqual(stored);
    expect(stored[0]?.id).toBe(milk.id);
    expect(items.isWaiting(milk.id)).toBe(false);
  });

  it('sends a write once when its answer is lost, also after the tab was closed', async () => {
    const { net, offline, items, store, name } = await world.device();
    const { id } = await items.create({ title: 'Milk' });
    net.losesAnswers = true;
    await expect(offline.sync()).rejects.toMatchObject({ code: 'client.network' });
    offline.close();
    const again = await world.device({ name, store });
    expect(await again.items.query().list()).toMatchObject([{ id, title: 'Milk' }]);
    await again.offline.sync();
    const stored = await again.baobab.collection(world.collection).query().list();
    expect(stored).toMatchObject([{ title: 'Milk', '@version': 1 }]);
    expect(await again.items.query().list()).toEqual(stored);
    expect((await again.items.get(id))?.id).toBe(stored[0]?.id);
  });

  it('keeps operators that do not fit the field, which the server refuses', async () => {
    const { items, offline } = await world.device();
    const { id } = await items.create({ title: 'Milk' });
    const patch = { title: increment(1) } as unknown as Partial<Item>;
    expect(await items.update(id, patch)).toMatchObject({ title: 'Milk' });
    await offline.sync();
    expect(offline.failed).toMatchObject([
      { changes: { title: ['increment', 1] }, error: { code: 'field.type_invalid' } },
    ]);
    await offline.failed[0]?.discard();
    await expect(items.create({ title: increment(1) } as unknown as Item)).rejects.toThrow(
      'only for members of update',
    );
  });

  it('sends writes in the order in which they were made', async () => {
    const { net, offline, items } = await world.device();
    const { id } = await items.create({ title: 'Milk' });
    await items.replace(id, { title: 'Bread' });
    await items.create({ title: 'Eggs' });
    await items.remove(id);
    net.sent.length = 0;
    await offline.sync();
    const methods = net.sent.map((one) => one.split(' ')[0]);
    expect(methods.slice(0, 5)).toEqual(['POST', 'PUT', 'POST', 'DELETE', 'GET']);
    expect(new Set(methods.slice(5))).toEqual(new Set(['GET']));
    expect(await items.query().list()).toMatchObject([{ title: 'Eggs' }]);
  });

  it('puts the id at the service in place of a local one, in everything that refers to it', async () => {
    const { baobab, offline, items } = await world.device();
    const list = await items.create({ title: 'Party' });
    const item = await items.create({ title: 'Milk', list: list.id, by: { lists: ['x', list.id] } });
    await items.update(item.id, { list: list.id, done: true });
    await offline.sync();
    const [party, milk] = await baobab.collection(world.collection).query().orderBy('title', 'desc').list();
    expect(milk).toMatchObject({ list: party?.id, by: { lists: ['x', party?.id] }, '@version': 2 });
    const found = items.query().whereField('list', '=', list.id);
    expect(await found.list()).toEqual([milk]);
  });

  it('refuses an id that is not a UUID, as the server does', async () => {
    const { items } = await world.device();
    await items.create({ title: 'Milk' });
    for (const id of ['settings', '00000000-0000-0000-0000-000000000000', '']) {
      const error = { code: 'input.invalid', errors: [{ path: 'query.id' }] };
      await expect(items.create({ title: 'Bread' }, { id })).rejects.toMatchObject(error);
    }
    expect(await items.query().list()).toMatchObject([{ title: 'Milk' }]);
  });

  it('finds a document by its id in capital letters', async () => {
    const { offline, items } = await world.device();
    const id = '3E2B9C64-7D0A-4F6E-9B1C-5A8D7F4E2B10';
    expect((await items.create({ title: 'Milk' }, { id })).id).toBe(id.toLowerCase());
    const titles: unknown[] = [];
    const stop = items.live(id, (item) => titles.push(item?.title));
    await offline.sync();
    expect(await items.query().list()).toMatchObject([{ title: 'Milk', id: id.toLowerCase() }]);
    await items.update(id, { title: 'Oat milk' });
    expect([(await items.get(id))?.title, items.isWaiting(id)]).toEqual(['Oat milk', true]);
    await items.replace(id, { title: 'Soy milk' });
    await until(() => titles.at(-1) === 'Soy milk');
    await items.remove(id);
    await until(() => titles.at(-1) === undefined);
    stop();
    await offline.sync();
    expect(await items.query().list()).toEqual([]);
  });

  it('gives a conflict to the app, and does what it decides', async () => {
    const asked: unknown[][] = [];
    const decide = (decision: ConflictDecision) =>
      world.conflict({
        onConflict(...about) {
          asked.push(about);
          return decision;
        },
      });
    const mine = await decide('mine');
    expect(await mine.remote()).toMatchObject({ title: 'Oat milk', done: true });
    const [local, remote, write] = asked[0] ?? [];
    expect([local, remote]).toMatchObject([
      { title: 'Milk', done: true },
      { title: 'Oat milk', '@version': 2 },
    ]);
    expect(write).toMatchObject({
      collection: world.collection,
      kind: 'update',
      content: { done: true },
      base: { title: 'Milk' },
    });
    expect((remote as Item).done).toBeUndefined();
    const theirs = await decide('theirs');
    expect(await theirs.remote()).toMatchObject({ title: 'Oat milk', '@version': 2 });
    const merged = await decide({ title: 'Any milk', done: false });
    expect(await merged.remote()).toMatchObject({ title: 'Any milk', done: false, '@version': 3 });
    for (const { items, offline, remote: now } of [mine, theirs, merged]) {
      expect(await items.query().list()).toEqual([await now()]);
      expect(offline.state).toMatchObject({ waiting: 0, failed: [] });
    }
  });

  it('merges fields', async () => {
    const { items, id, remote } = await world.conflict({ onConflict: mergeFields });
    expect(await remote()).toMatchObject({ title: 'Oat milk', done: true });
    expect(await items.get(id)).toEqual(await remote());
  });

  it('keeps a conflict about which nothing is decided, until the app retries or discards it', async () => {
    const { items, offline, id, remote } = await world.conflict();
    await items.update(id, { list: 'a' });
    await items.create({ title: 'Bread' });
    await offline.sync();
    expect(await remote()).toMatchObject({ title: 'Oat milk', '@version': 2 });
    expect(offline.waiting).toBe(2);
    const [failed] = offline.failed;
    expect(failed).toMatchObject({ id, kind: 'update', content: { done: true }, error: { code: 'document.stale' } });
    await failed?.retry();
    await offline.sync();
    expect(await remote()).toMatchObject({ title: 'Oat milk', done: true, list: 'a' });
    const other = await world.conflict();
    await other.offline.failed[0]?.discard();
    await other.offline.sync();
    expect(await other.remote()).toMatchObject({ title: 'Oat milk', '@version': 2 });
    expect(await other.items.get(other.id)).toEqual(await other.remote());
    expect(other.offline.state).toMatchObject({ waiting: 0, failed: [] });
  });

  it('asks again after a reload when nothing was decided', async () => {
    const dialog = createLatch();
    const onConflict = () => {
      dialog.open();
      return new Promise<ConflictDecision>(() => undefined);
    };
    const { offline, store, name } = await world.conflict({ onConflict }, dialog.opened);
    offline.close();
    const asked: unknown[] = [];
    const again = await world.device({
      store,
      name,
      onConflict(local) {
        asked.push(local);
        return 'mine';
      },
    });
    await again.offline.sync();
    expect(asked).toMatchObject([{ done: true }]);
    expect(await again.items.query().list()).toMatchObject([{ title: 'Oat milk', done: true }]);
  });

  it('makes a document that is gone a new one, or lets it go', async () => {
    for (const decision of ['mine', 'theirs'] as const) {
      const one = await world.device({ onConflict: () => decision });
      const { id } = await one.items.create({ title: 'Milk' });
      await one.offline.sync();
      const notes = one.baobab.collection(world.collection);
      const [{ id: old } = { id }] = await notes.query().list();
      await one.items.update(id, { done: true });
      await one.items.update(id, { list: 'a' });
      await notes.remove(old);
      await one.offline.sync();
      await one.offline.sync();
      const rows = await notes.query().list();
      expect(rows).toMatchObject(decision === 'mine' ? [{ title: 'Milk', done: true, list: 'a' }] : []);
      expect(await one.items.query().list()).toEqual(rows);
      expect(one.offline.waiting).toBe(0);
    }
  });

  it('removes only what the user has seen', async () => {
    const decisions: ConflictDecision[] = ['theirs', 'mine'];
    const one = await world.device({ onConflict: () => decisions.shift() ?? 'keep' });
    const { id } = await one.items.create({ title: 'Milk' });
    await one.offline.sync();
    const notes = one.baobab.collection(world.collection);
    const [{ id: old } = { id }] = await notes.query().list();
    for (const left of [1, 0]) {
      await one.items.remove(id);
      await notes.update(old, { title: `Milk ${left}` });
      await one.offline.sync();
      expect(await notes.query().count()).toBe(left);
      expect(await one.items.query().count()).toBe(left);
    }
  });

  it('gives other refusals to onRejected', async () => {
    await world.admin().admin.collections.setSchema(world.collection, { properties: { title: { minLength: 2 } } });
    const codes: string[] = [];
    const one = await world.device({
      onRejected({ kind }, { code, errors }) {
        codes.push(`${kind} ${code} ${errors[0]?.path}`);
        return codes.length > 2 ? 'discard' : 'retry';
      },
    });
    await one.items.create({ title: '' });
    await one.items.create({ title: 'Milk' });
    await one.offline.sync();
    expect(codes).toEqual(Array.from({ length: 3 }, () => 'create document.invalid /title'));
    expect(await one.items.query().list()).toMatchObject([{ title: 'Milk' }]);
    expect(one.offline.waiting).toBe(0);
  });

  it('hands over a write whose right was taken back, and removes what may no longer be read', async () => {
    const ann = await world.device();
    const rejected: string[] = [];
    const bob = await world.device({
      onRejected({ content }, { code }) {
        rejected.push(`${code} ${JSON.stringify(content)}`);
        return 'discard';
      },
    });
    const { id } = await ann.items.create({ title: 'Milk' }, { grants: { all: { users: [bob.name] } } });
    await ann.offline.sync();
    await bob.offline.sync();
    const [milk] = await bob.items.query().list();
    await bob.items.update(milk?.id ?? '', { done: true });
    await ann.baobab
      .collection(world.collection)
      .revoke((await ann.items.get(id))?.id ?? '', 'all', { user: bob.name });
    await bob.offline.sync();
    expect(rejected).toEqual(['access.denied {"done":true}']);
    expect(await bob.items.query().list()).toEqual([]);
    expect(await ann.items.query().list()).toMatchObject([{ title: 'Milk' }]);
  });
});
