import { increment } from '@baobab/client';
import { memoryStore } from '@baobab/client/offline';
import { expect, it } from 'vitest';
import { onDevices } from '../support/offline/devices.ts';

onDevices('an offline device without room', (world) => {
  const FULL = { code: 'client.store_full' };

  /** A device on which not even the shortest document can be stored. */
  async function fullDevice(...titles: string[]) {
    const one = await world.device({ store: memoryStore({ maxLength: 8_000 }) });
    await one.offline.sync();
    for (const title of titles) await one.items.create({ title });
    for (let length = 1_000; length >= 1; ) {
      const title = 'x'.repeat(length);
      try {
        await one.items.create({ title });
        titles.push(title);
      } catch (error) {
        expect(error).toMatchObject(FULL);
        length = Math.floor(length / 2);
      }
    }
    const remote = one.baobab.collection(world.collection);
    const remoteTitles = async () => (await remote.query().list()).map(({ title }) => title);
    return { ...one, remote, titles, remoteTitles };
  }

  /** Syncs, also if there is no room for what the server has. */
  const sync = async ({ offline }: Pick<Awaited<ReturnType<typeof fullDevice>>, 'offline'>) => {
    await offline.sync().catch((error) => expect(error).toMatchObject(FULL));
  };

  it('sends waiting writes, and shows their documents once there is room', async () => {
    const one = await fullDevice();
    await sync(one);
    expect([one.offline.waiting, one.offline.failed]).toEqual([0, []]);
    expect((await one.remoteTitles()).sort()).toEqual([...one.titles].sort());
    for (const { id, title } of await one.remote.query().list()) if (title.length > 400) await one.remote.remove(id);
    await one.offline.sync();
    const shown = (await one.items.query().list()).map(({ title }) => title);
    expect(shown.sort()).toEqual((await one.remoteTitles()).sort());
  });

  it('sends a write once when its answer is lost', async () => {
    const one = await fullDevice();
    one.net.losesAnswers = true;
    await expect(one.offline.sync()).rejects.toMatchObject({ code: 'client.network' });
    one.net.losesAnswers = false;
    await sync(one);
    expect((await one.remoteTitles()).sort()).toEqual([...one.titles].sort());
  });

  it('sends the writes after one that the server refuses', async () => {
    await world.admin().admin.collections.setSchema(world.collection, { properties: { title: { minLength: 1 } } });
    const one = await fullDevice('');
    await sync(one);
    expect((await one.remoteTitles()).sort()).toEqual(one.titles.slice(1).sort());
    for (const { id } of await one.remote.query().list()) await one.remote.remove(id);
    await one.offline.sync();
    expect(one.offline.failed).toMatchObject([{ content: { title: '' }, error: { code: 'document.invalid' } }]);
  });

  it('sends an update that counts only if it can tell a late retry', async () => {
    const store = memoryStore();
    const one = await world.device({ store });
    const { id } = await one.items.create({ title: 'Milk', litres: 1 });
    await one.offline.sync();
    await one.items.update(id, { litres: increment(1) });
    const { update } = store;
    store.update = async () => {
      throw Object.assign(new Error('no room'), { name: 'QuotaExceededError' });
    };
    await expect(one.offline.sync()).rejects.toMatchObject(FULL);
    const remote = one.baobab.collection(world.collection);
    expect(await remote.get(id)).toMatchObject({ litres: 1 });
    store.update = update;
    await one.offline.sync();
    expect(await remote.get(id)).toMatchObject({ litres: 2 });
  });
});
