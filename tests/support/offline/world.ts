import type { SessionStorage, Stored } from '@baobab/client';
import { type AdminClient, createAdminClient } from '@baobab/client/admin';
import {
  createOffline,
  memoryStore,
  type Offline,
  type OfflineOptions,
  type OfflineStore,
} from '@baobab/client/offline';
import type { TestBackend } from '@baobab/server/testing';
import { fetchInProcess } from '../in-process.ts';

export interface Note {
  [member: string]: unknown;
}

export interface App {
  collections: { readonly [name: string]: Note };
}

/**
 * Fate of a request: it is lost, its response is lost, it arrives twice, again later, or the tab is killed before or
 * after it takes effect.
 */
export type Fault = 'none' | 'drop' | 'lost' | 'twice' | 'late' | 'killBefore' | 'killAfter';

const never = () => new Promise<never>(() => undefined);

/** Creates a tab's access to the network and the device, which ends when the tab is killed. */
function createTab(service: typeof fetch, stored: OfflineStore) {
  const faults: Fault[] = [];
  const late: (() => Promise<unknown>)[] = [];
  const state = { isOn: true, isDead: false };
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => {
    die = () => {
      state.isDead = true;
      resolve();
    };
  });

  async function deliver(fault: Fault, request: Parameters<typeof fetch>): Promise<Response> {
    if (fault === 'twice') await service(...request);
    if (fault === 'late') late.push(() => service(...request));
    const answer = await service(...request);
    if (fault === 'lost') throw new TypeError('the answer was lost');
    if (fault === 'killAfter') die();
    return answer;
  }

  async function send(...request: Parameters<typeof fetch>): Promise<Response> {
    const fault = state.isOn ? (faults.shift() ?? 'none') : 'drop';
    if (fault === 'drop') throw new TypeError('the request was lost');
    if (fault === 'killBefore') die();
    const answer = state.isDead ? never() : await deliver(fault, request);
    return state.isDead ? never() : answer;
  }

  const alive = <T>(call: () => Promise<T>): Promise<T> => (state.isDead ? never() : call());
  const store: OfflineStore = {
    ...stored,
    list: (prefix) => alive(() => stored.list(prefix)),
    update: (keys, change) => alive(() => stored.update(keys, change)),
    clear: (prefix) => alive(() => stored.clear(prefix)),
  };

  return {
    state,
    faults,
    store,
    died,
    die,
    fetch: send,
    async deliverLate(): Promise<void> {
      for (const one of late.splice(0)) await one();
    },
  };
}

export interface DeviceOptions extends Partial<OfflineOptions<App>> {
  readonly backend: TestBackend;
  readonly collection: string;
  /** Storage of the user's session. */
  readonly storage: SessionStorage;
}

/** Opens a device with one open tab. */
export async function openDevice({ backend, collection, storage, ...options }: DeviceOptions) {
  const stored = options.store ?? memoryStore();
  const service = fetchInProcess(backend);

  async function openTab() {
    const tab = createTab(service, stored);
    const { appCode } = backend;
    const baobab: AdminClient<App> = createAdminClient<App>({
      url: 'http://service',
      appCode,
      fetch: tab.fetch,
      storage,
      retries: 0,
      keepAlive: 0,
    });
    const offline: Offline<App> = createOffline<App>(baobab, {
      collections: [collection],
      automatic: false,
      ...options,
      store: tab.store,
    });
    await offline.ready;
    return { ...tab, baobab, offline, notes: offline.collection(collection) };
  }

  let tab = await openTab();

  const close = () => {
    tab.offline.close();
    tab.baobab.close();
  };

  return {
    tab: () => tab,
    rows: (): Promise<readonly Stored<Note>[]> => tab.notes.query().list(),
    /** Kills the tab at any point of its work, and opens another one. */
    async kill(): Promise<void> {
      tab.die();
      const { faults, state } = tab;
      await tab.deliverLate();
      close();
      tab = await openTab();
      tab.state.isOn = state.isOn;
      tab.faults.push(...faults);
    },
    close,
  };
}

export type Device = Awaited<ReturnType<typeof openDevice>>;
