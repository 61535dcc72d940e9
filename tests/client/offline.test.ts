import { type Baobab, createClient } from '@baobab/client';
import { createOffline, memoryStore, type OfflineOptions, type OfflineStore } from '@baobab/client/offline';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/client-service.ts';
import { fetchInProcess } from '../support/in-process.ts';

type Item = { title: string; done?: boolean; list?: string; by?: { lists: string[] } };

interface App {
  collections: { readonly [name: string]: Item };
}

let count = 0;

describe('the offline store', () => {
  let backend: TestBackend;
  let admin: Baobab;
  const opened: { close(): void }[] = [];

  const client = (through?: typeof fetch) => {
    const one = createClient<App>({
      url: 'http://service',
      appCode: backend.appCode,
      fetch: through ?? fetchInProcess(backend),
      retries: 0,
      keepAlive: 0,
    });
    opened.push(one);
    return one;
  };

  /** A device of a user, and what controls its network. */
  async function device(options: Partial<OfflineOptions<App>> & { name?: string; store?: OfflineStore } = {}) {
    const { name = `user${++count}`, ...rest } = options;
    const net = { isOn: true, sent: [] as string[], losesAnswers: false };
    const service = fetchInProcess(backend);
    const baobab = client(async (input, init) => {
      if (!net.isOn) throw new TypeError('there is no network');
      net.sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
      const answer = await service(input, init);
      if (net.losesAnswers && init?.method !== 'GET') throw new TypeError('the answer was lost');
      return answer;
    });
    const store = rest.store ?? memoryStore();
    const offline = createOffline(baobab, { collections: [collection], automatic: false, ...rest, store });
    opened.push(offline);
    await baobab.auth
      .signUp({ username: name, password: PASSWORD })
      .catch(() => baobab.auth.login({ username: name, password: PASSWORD }));
    await offline.ready;
    return { net, baobab, offline, store, name, items: offline.collection(collection) };
  }

  let collection = '';
  beforeAll(async () => {
    backend = await createTestBackend();
    admin = client() as unknown as Baobab;
    await admin.auth.login({ username: 'admin', password: backend.adminPassword });
  });
  beforeEach(async () => {
    collection = `items${++count}`;
    await admin.admin.collections.create(collection);
  });
  afterEach(() => {
    for (const one of opened.splice(1)) one.close();
  });
  afterAll(async () => {
    for (const one of opened) one.close();
    await backend.close();
  });

  it('shows a write at once, and sends it when there is a connection', async () => {
    const { net, baobab, offline, items } = await device();
    net.isOn = false;
    const milk = await items.create({ title: 'Milk' });
    await items.update(milk.id, { done: true });
    expect(milk.id).toMatch(/^local-/);
    expect(await items.query().list()).toMatchObject([{ title: 'Milk', done: true }]);
    await expect(offline.sync()).rejects.toMatchObject({ code: 'client.network' });
    expect(items.isWaiting(milk.id)).toBe(true);
    net.isOn = true;
    await offline.sync();
    const stored = await baobab.collection(collection).query().list();
    expect(stored).toMatchObject([{ title: 'Milk', done: true, '@version': 2 }]);
    expect(await items.query().list()).toEqual(stored);
    expect(await items.get(milk.id)).toEqual(stored[0]);
    expect(items.isWaiting(milk.id)).toBe(false);
  });
});
