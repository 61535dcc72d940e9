import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import { createOffline, memoryStore, type OfflineOptions, type OfflineStore } from '@baobab/client/offline';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { PASSWORD } from '../client-service.ts';
import { fetchInProcess } from '../in-process.ts';

export type Item = {
  title: string;
  done?: boolean;
  list?: string;
  by?: { lists: string[] };
  litres?: number;
  price?: number;
  tags?: string[];
  marks?: string[];
};

interface ItemApp {
  collections: { readonly [name: string]: Item };
}

type Options = Partial<OfflineOptions<ItemApp>>;

let count = 0;
/** Returns a new name. */
export const newName = (prefix: string) => `${prefix}${++count}`;

/** Creates a server in this process, and functions that open devices of its users. */
function createWorld() {
  let backend: TestBackend;
  let admin: AdminClient;
  let collection = '';
  /** Closed after each scenario. */
  const opened: { close(): void }[] = [];

  function client(through?: typeof fetch): AdminClient<ItemApp> {
    const one = createAdminClient<ItemApp>({
      url: 'http://service',
      appCode: backend.appCode,
      fetch: through ?? fetchInProcess(backend),
      retries: 0,
      keepAlive: 0,
    });
    opened.push(one);
    return one;
  }

  /** Opens a device of a user, with control over its network. */
  async function device({
    name = newName('user'),
    ...options
  }: Options & { name?: string; store?: OfflineStore } = {}) {
    const net = {
      isOn: true,
      sent: [] as string[],
      losesAnswers: false,
      /** Answers instead of the server. */
      proxy: (_request: RequestInit): Response | null => null,
    };
    const service = fetchInProcess(backend);
    const baobab = client(async (input, init) => {
      if (!net.isOn) throw new TypeError('there is no network');
      net.sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
      const answer = net.proxy(init ?? {}) ?? (await service(input, init));
      if (net.losesAnswers && init?.method !== 'GET') throw new TypeError('the answer was lost');
      return answer;
    });
    const store = options.store ?? memoryStore();
    const offline = createOffline(baobab, { collections: [collection], automatic: false, ...options, store });
    opened.push(offline);
    const user = { username: name, password: PASSWORD };
    await baobab.auth.signUp(user).catch(() => baobab.auth.login(user));
    await offline.ready;
    return { net, baobab, offline, store, name, items: offline.collection(collection) };
  }

  /** Creates a document changed by another client of the same user, with a conflicting change on the device. */
  async function conflict(options: Options = {}, waitFor?: Promise<unknown>) {
    const one = await device(options);
    const { id } = await one.items.create({ title: 'Milk' });
    await one.offline.sync();
    const [{ id: remoteId } = { id }] = await one.baobab.collection(collection).query().list();
    await one.items.update(id, { done: true });
    await one.baobab.collection(collection).update(remoteId, { title: 'Oat milk' });
    await Promise.race([one.offline.sync(), ...(waitFor === undefined ? [] : [waitFor])]);
    return { ...one, id: remoteId, remote: () => one.baobab.collection(collection).find(remoteId) };
  }

  beforeAll(async () => {
    backend = await createTestBackend();
    admin = client() as unknown as AdminClient;
    opened.length = 0;
    await admin.auth.login({ username: 'admin', password: backend.adminPassword });
  });
  beforeEach(async () => {
    collection = newName('items');
    await admin.admin.collections.create(collection);
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(async () => {
    admin.close();
    await backend.close();
  });

  return {
    client,
    device,
    conflict,
    opened,
    admin: () => admin,
    /** Collection of the scenario. */
    get collection() {
      return collection;
    },
  };
}

/** Declares scenarios with devices that sync only on request. */
export const onDevices = (title: string, scenarios: (world: ReturnType<typeof createWorld>) => void) =>
  describe(title, () => scenarios(createWorld()));
