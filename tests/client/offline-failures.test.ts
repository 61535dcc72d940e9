import { BaobabError } from '@baobab/client';
import { createOffline, memoryStore, type OfflineStore } from '@baobab/client/offline';
import { afterEach, expect, it, vi } from 'vitest';
import { newName, onDevices } from '../support/offline/devices.ts';
import { until } from '../support/patience.ts';

/** A store that the test makes unusable. */
function fragileStore(stored: OfflineStore = memoryStore()) {
  const state = { isUsable: true };
  const failure = new BaobabError('client.store_unavailable', 'The test has broken the store');
  const guarded = <T>(call: () => Promise<T>) => (state.isUsable ? call() : Promise.reject(failure));
  const store: OfflineStore = {
    ...stored,
    list: (prefix) => guarded(() => stored.list(prefix)),
    update: (keys, change) => guarded(() => stored.update(keys, change)),
    clear: (prefix) => guarded(() => stored.clear(prefix)),
  };
  return { state, store };
}

const UNAVAILABLE = { code: 'client.store_unavailable' };

onDevices('the offline store on a device that fails', (world) => {
  afterEach(() => vi.unstubAllGlobals());

  it('reports a write that cannot be stored, and stores the next one', async () => {
    const { state, store } = fragileStore();
    const errors: unknown[] = [];
    const { offline, items, baobab } = await world.device({ store, onError: (error) => errors.push(error) });
    await items.create({ title: 'Milk' });
    state.isUsable = false;
    await expect(items.create({ title: 'Bread' })).rejects.toMatchObject(UNAVAILABLE);
    expect(errors).toMatchObject([UNAVAILABLE]);
    state.isUsable = true;
    await items.create({ title: 'Eggs' });
    await offline.sync();
    const stored = await baobab.collection(world.collection).query().orderBy('title').list();
    expect(stored.map(({ title }) => title)).toEqual(['Eggs', 'Milk']);
    expect(await items.query().orderBy('title').list()).toEqual(stored);
  });

  /** Another tab of a device that has written without a connection. Until `mend`, the store cannot be read. */
  async function unreadable(times = Number.POSITIVE_INFINITY) {
    const { store } = fragileStore();
    const { items, baobab } = await world.device({ store });
    await items.create({ title: 'Milk' });
    const read = store.list;
    let reads = 0;
    const list = vi.spyOn(store, 'list').mockImplementation(async (prefix) => {
      if (reads++ < times) throw new BaobabError('client.store_unavailable', 'Not now');
      return read(prefix);
    });
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const offline = createOffline(baobab, { store, collections: [world.collection], onError });
    world.opened.push(offline);
    const tab = offline.collection(world.collection);
    const shown: string[] = [];
    tab.query().live((rows) => shown.push(String(rows.map(({ title }) => title))));
    const isSent = async () => (await baobab.collection(world.collection).query().count()) === 1;
    const isIdle = () => until(() => offline.status === 'idle' && offline.waiting === 0);
    return { offline, items: tab, errors, shown, isSent, isIdle, mend: () => list.mockRestore() };
  }

  it('reads the data as soon as it is needed and the store can be read', async () => {
    const { offline, items, errors, mend, isSent, isIdle } = await unreadable();
    await expect(offline.ready).rejects.toMatchObject(UNAVAILABLE);
    await expect(items.query().list()).rejects.toMatchObject(UNAVAILABLE);
    expect(errors[0]).toMatchObject(UNAVAILABLE);
    mend();
    expect(await items.query().list()).toMatchObject([{ title: 'Milk' }]);
    await isIdle();
    expect(await isSent()).toBe(true);
  });

  it('shows live queries what the exchange has read after a failure', async () => {
    const { errors, shown, isIdle } = await unreadable(1);
    await until(() => shown.includes('Milk'));
    await isIdle();
    expect(errors).toMatchObject([UNAVAILABLE]);
  });

  it('shows and exchanges the data after a failure without being asked', async () => {
    const { errors, shown, mend, isSent, isIdle } = await unreadable();
    await until(() => errors.length > 2);
    mend();
    await until(() => shown.includes('Milk'));
    await isIdle();
    expect(await isSent()).toBe(true);
  });

  it('keeps what is shown when the browser has deleted the store', async () => {
    const store = memoryStore();
    const { net, offline, items, name } = await world.device({ store });
    const { id } = await items.create({ title: 'Milk' });
    await offline.sync();
    net.isOn = false;
    await items.update(id, { done: true });
    await items.create({ title: 'Bread' });
    await store.clear('');
    await items.create({ title: 'Eggs' });
    await items.update(id, { list: 'a' });
    offline.close();
    const again = await world.device({ store, name });
    expect(again.offline.waiting).toBe(4);
    await again.offline.sync();
    expect(await again.baobab.collection(world.collection).query().orderBy('title').list()).toMatchObject([
      { title: 'Bread', '@version': 1 },
      { title: 'Eggs', '@version': 1 },
      { title: 'Milk', done: true, list: 'a', '@version': 3 },
    ]);
    expect(again.offline.state).toMatchObject({ waiting: 0, failed: [] });
  });

  it('learns what others have removed when the browser has deleted the store', async () => {
    const store = memoryStore();
    const { offline, items, baobab } = await world.device({ store });
    for (const title of ['Milk', 'Bread']) await items.create({ title });
    await offline.sync();
    const [bread] = await baobab.collection(world.collection).query().where('title = ?', 'Bread').list();
    await store.clear('');
    await baobab.collection(world.collection).remove(bread?.id ?? '');
    await offline.sync();
    expect(await items.query().list()).toMatchObject([{ title: 'Milk' }]);
    expect((await store.list('')).length).toBeGreaterThan(0);
  });

  it('stores a write once although the browser reports a failure of what it has stored', async () => {
    const stored = memoryStore();
    const update: OfflineStore['update'] = async (keys, change) => {
      await stored.update(keys, change);
      await stored.update(keys, change);
    };
    const { offline, items, baobab } = await world.device({ store: { ...stored, update } });
    const { id } = await items.create({ title: 'Milk' });
    expect(await items.update(id, { done: true })).toMatchObject({ title: 'Milk', done: true });
    expect(offline.waiting).toBe(2);
    await offline.sync();
    expect(await baobab.collection(world.collection).query().list()).toMatchObject([{ title: 'Milk', '@version': 2 }]);
    expect(offline.state).toMatchObject({ waiting: 0, failed: [] });
  });

  it('does not send what another tab has removed from the store', async () => {
    const store = memoryStore();
    const { net, offline, items, name } = await world.device({ store });
    await items.create({ title: 'Milk' });
    await store.clear(`u/${offline.user?.id}/`);
    net.sent.length = 0;
    await offline.sync();
    expect(net.sent.filter((one) => one.startsWith('POST'))).toEqual([]);
    expect([await items.query().list(), offline.waiting, offline.user?.username]).toEqual([[], 0, name]);
  });

  it('keeps data in memory where there is no storage', async () => {
    const { state, store } = fragileStore();
    state.isUsable = false;
    const errors: unknown[] = [];
    const { offline, items, baobab } = await world.device({ store, onError: (error) => errors.push(error) });
    await items.create({ title: 'Milk' });
    expect(errors).toMatchObject([UNAVAILABLE]);
    await offline.sync();
    expect(await baobab.collection(world.collection).query().count()).toBe(1);
    expect(await items.query().list()).toMatchObject([{ title: 'Milk' }]);
  });

  it('lets each tab send that has its data in memory', async () => {
    const stores = [fragileStore(memoryStore({ name: 'app' })), fragileStore(memoryStore({ name: 'app' }))];
    const name = newName('user');
    for (const { store, state } of stores) {
      state.isUsable = false;
      const { offline, items } = await world.device({ store, name, automatic: true });
      await items.create({ title: 'Milk' });
      await until(() => offline.status === 'idle' && offline.waiting === 0);
    }
    const [one, other] = [memoryStore(), memoryStore()];
    expect(one.name).not.toBe(other.name);
  });

  it.each([
    [
      'locks are refused',
      'navigator',
      { locks: { request: () => Promise.reject(new DOMException('no', 'SecurityError')) } },
    ],
    [
      'other tabs cannot be reached',
      'BroadcastChannel',
      class {
        constructor() {
          throw new DOMException('no', 'SecurityError');
        }
      },
    ],
    [
      'messages to other tabs fail',
      'BroadcastChannel',
      class {
        postMessage() {
          throw new DOMException('no', 'InvalidStateError');
        }
        close() {
          // Nothing to close.
        }
      },
    ],
  ])('exchanges data where %s', async (_what, of, replacement) => {
    vi.stubGlobal(of, replacement);
    const errors: unknown[] = [];
    const { offline, items, baobab } = await world.device({ automatic: true, onError: (error) => errors.push(error) });
    await items.create({ title: 'Milk' });
    await until(() => offline.status === 'idle' && offline.waiting === 0);
    expect(await baobab.collection(world.collection).query().count()).toBe(1);
    offline.close();
    expect(errors).toEqual([]);
  });

  it.each([413, 414, 431])(
    'hands over a write that a proxy refuses with %i, and sends those after it',
    async (status) => {
      const { net, offline, items, baobab } = await world.device();
      net.proxy = ({ body }) => (String(body).includes('long') ? new Response('<html></html>', { status }) : null);
      await items.create({ title: 'long' });
      await items.create({ title: 'Milk' });
      await offline.sync();
      expect(offline.failed).toMatchObject([{ content: { title: 'long' }, error: { code: 'client.answer', status } }]);
      expect(await baobab.collection(world.collection).query().list()).toMatchObject([{ title: 'Milk' }]);
    },
  );

  it('forgets a document of its own that was removed before the first listing arrived', async () => {
    const { net, offline, items, baobab } = await world.device();
    net.isOn = false;
    await expect(offline.sync()).rejects.toMatchObject({ status: 0 });
    await items.create({ title: 'Milk' });
    net.isOn = true;
    // The connection ends after the write, before the listing.
    const sending = vi.spyOn(net.sent, 'push').mockImplementation(() => {
      net.isOn = false;
      return 0;
    });
    await expect(offline.sync()).rejects.toMatchObject({ status: 0 });
    sending.mockRestore();
    net.isOn = true;
    expect(await items.query().count()).toBe(1);
    const remote = baobab.collection(world.collection);
    for (const { id } of await remote.query().list()) await remote.remove(id);
    await offline.sync();
    expect(await items.query().list()).toEqual([]);
  });
});
