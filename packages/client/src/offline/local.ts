import { BaobabError, isBaobabError } from '../errors.ts';
import type { DocumentFields } from '../wire.ts';
import { type Channel, openChannel, type TabMessage } from './channel.ts';
import { type Entry, isEmpty, type Meta, NEW_META, viewOf, withKnownBase } from './records.ts';
import { isFull, memoryStore, type OfflineStore, type StoreChange } from './store.ts';

export interface LocalUser {
  readonly id: string;
  readonly username: string;
}

/** Data and changes of a transaction. */
export interface Draft {
  readonly meta: Meta;
  get(lid: string): Entry | undefined;
  put(entry: Entry): void;
  /** Removes an entry even if parts of it may still be needed. */
  drop(lid: string): void;
  setMeta(change: Partial<Meta>): void;
}

/** Version of the storage format. */
const FORMAT = 1;
const [FORMAT_KEY, ACTIVE_KEY, USERS] = ['format', 'active', 'u/'];

const prefixOf = (userId: string) => `${USERS}${userId}/`;

const failureOf = (error: unknown) =>
  isFull(error)
    ? new BaobabError('client.store_full', 'There is no room for more data on this device', { cause: error })
    : error;

interface LocalDeps {
  readonly store: OfflineStore;
  /** Called with messages from other tabs. */
  hear(message: TabMessage): void;
  /** Called if the store cannot be used. */
  unavailable(error: unknown): void;
}

/**
 * Data of one user. Reads are served from memory; writes go to the store. Other tabs are notified of changes and read
 * them again.
 */
export function createLocal({ store: given, hear, unavailable }: LocalDeps) {
  const listeners = new Set<(lids: readonly string[] | null) => void>();
  let store = given;
  /** True once the store has been read or written on this page. */
  let hasWorked = false;
  let user: LocalUser | null = null;
  /** True if the user's data is loaded. */
  let isLoaded = true;
  let entries = new Map<string, Entry>();
  let lids = new Map<string, string>();
  let views = new WeakMap<Entry, DocumentFields | null>();
  /** Last shown states of documents with pending writes. */
  let shown = new Map<string, DocumentFields | null>();
  let chain: Promise<unknown> = Promise.resolve();
  let opening: Promise<OfflineStore> | null = null;

  const notify = (changed: readonly string[] | null) => {
    for (const listener of [...listeners]) listener(changed);
  };

  /** Runs tasks one after the other, so that memory never goes back to an older state. */
  function serially<T>(task: () => Promise<T>): Promise<T> {
    const result = chain.then(task, task);
    chain = result.catch(() => undefined);
    return result.catch((error) => {
      if (isBaobabError(error, 'client.store_unavailable')) unavailable(error);
      throw failureOf(error);
    });
  }

  const keyOf = (of: LocalUser, lid: string) => `${prefixOf(of.id)}d/${lid}`;
  const metaKey = (of: LocalUser) => `${prefixOf(of.id)}m`;

  /** Returns the data in memory, for a store that has lost it. Everything is then listed again from the server. */
  function* known(): Iterable<StoreChange> {
    if (user === null) return;
    let meta = NEW_META;
    for (const [lid, entry] of entries) {
      const listing = Math.max(meta.listing, entry.listing);
      const seq = Math.max(meta.seq, (entry.writes.at(-1)?.seq ?? 0) + 1);
      meta = { ...meta, listing, seq, waiting: meta.waiting + entry.writes.length };
      yield [keyOf(user, lid), entry];
    }
    yield [metaKey(user), meta];
    yield [ACTIVE_KEY, user];
  }

  async function check(): Promise<void> {
    await store.update([FORMAT_KEY], ([format]) => {
      if (format === undefined) return [[FORMAT_KEY, FORMAT], ...known()];
      if (format === FORMAT) return [];
      throw new BaobabError('client.store_newer', `The local data has the format ${format}: update the app`);
    });
    hasWorked = true;
  }

  async function open(): Promise<OfflineStore> {
    try {
      await check();
    } catch (error) {
      if (hasWorked || !isBaobabError(error, 'client.store_unavailable')) throw error;
      unavailable(error);
      // The browser has no storage. A store that worked before is not replaced: its data must not seem to be gone.
      store = memoryStore();
      // Other tabs do not share it.
      channel.close();
      await check();
    }
    return store;
  }

  /** Resolves to the usable store: the app's, or one in memory. */
  function opened(): Promise<OfflineStore> {
    opening ??= open().catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  /** Updates the store. First restores lost data, because browsers may delete databases while a page is open. */
  async function update(keys: readonly string[], change: (values: readonly unknown[]) => readonly StoreChange[]) {
    for (let isLost = true; isLost; ) {
      await (await opened()).update([FORMAT_KEY, ...keys], ([format, ...values]) => {
        isLost = format === undefined;
        return isLost ? [] : change(values);
      });
      if (isLost) opening = null;
    }
  }

  /** Loads an entry into memory. */
  function keep(stored: Entry): void {
    const before = entries.get(stored.lid);
    // The store returns copies. Unchanged parts keep their object identity.
    const entry = before === undefined ? stored : withKnownBase(stored, before);
    if (before?.id != null && before.id !== entry.id) lids.delete(before.id);
    entries.set(entry.lid, entry);
    if (entry.id === null) return;
    // Other documents may refer to it.
    if (entry.id !== entry.lid && before?.id !== entry.id) views = new WeakMap();
    lids.set(entry.id, entry.lid);
  }

  function forget(lid: string): void {
    const id = entries.get(lid)?.id;
    if (id != null && lids.get(id) === lid) lids.delete(id);
    entries.delete(lid);
  }

  async function transactFor(of: LocalUser, keys: readonly string[], change: (draft: Draft) => void): Promise<void> {
    let changes = new Map<string, Entry | null>();
    await update([metaKey(of), ...keys.map((lid) => keyOf(of, lid))], ([stored, ...values]) => {
      changes = new Map();
      const known = new Map(keys.map((lid, at) => [lid, values[at] as Entry | undefined]));
      let meta: Meta = { ...NEW_META, ...(stored as Meta | undefined) };
      const waits = (entry: Entry | null | undefined) => entry?.writes.length ?? 0;
      const set = (lid: string, entry: Entry | null) => {
        const before = changes.has(lid) ? changes.get(lid) : known.get(lid);
        meta = { ...meta, waiting: meta.waiting + waits(entry) - waits(before) };
        changes.set(lid, entry);
      };
      change({
        get meta() {
          return meta;
        },
        get: (lid) => (changes.has(lid) ? (changes.get(lid) ?? undefined) : known.get(lid)),
        put: (entry) => set(entry.lid, isEmpty(entry) && entry.lid === entry.id ? null : entry),
        drop: (lid) => set(lid, null),
        setMeta: (part) => {
          meta = { ...meta, ...part };
        },
      });
      const isSame = JSON.stringify(meta) === JSON.stringify(stored);
      return [
        ...(isSame ? [] : [[metaKey(of), meta] as StoreChange]),
        ...Array.from(changes, ([lid, entry]) => [keyOf(of, lid), entry ?? undefined] as StoreChange),
      ];
    });
    const changed = Array.from(changes.keys());
    if (changed.length === 0) return;
    if (user?.id === of.id) {
      for (const [lid, entry] of changes) entry === null ? forget(lid) : keep(entry);
      notify(changed);
    }
    channel.tell({ type: 'changed', userId: of.id, lids: changed });
  }

  /** Reads entries that another tab has changed. */
  async function reread(of: LocalUser, changed: readonly string[]): Promise<void> {
    if (user?.id !== of.id) return;
    let values: readonly unknown[] = [];
    await update(
      changed.map((lid) => keyOf(of, lid)),
      (found) => {
        values = found;
        return [];
      },
    );
    if (user?.id !== of.id) return;
    changed.forEach((lid, at) => {
      const entry = values[at] as Entry | undefined;
      if (entry === undefined) forget(lid);
      else keep(entry);
    });
    notify(changed);
  }

  function reset(): void {
    entries = new Map();
    lids = new Map();
    views = new WeakMap();
    shown = new Map();
  }

  function empty(): void {
    reset();
    notify(null);
  }

  async function load(of: LocalUser): Promise<void> {
    await update([], () => []);
    const found = await store.list(`${prefixOf(of.id)}d/`);
    if (user?.id !== of.id) return;
    reset();
    isLoaded = true;
    for (const [, entry] of found) keep(entry as Entry);
    notify(null);
  }

  const channel: Channel = openChannel(`baobab:${store.name}`, (message) => {
    const of = user;
    if (message.type === 'changed' && of?.id === message.userId) {
      serially(() => reread(of, message.lids)).catch(() => undefined);
    }
    if (message.type === 'cleared' && of !== null) serially(() => load(of)).catch(() => undefined);
    hear(message);
  });

  const viewer = {
    get author() {
      return user?.username ?? '';
    },
    idOf: (lid: string) => entries.get(lid)?.id ?? null,
  };

  /** Returns the document as the user sees it; the same object until it changes. */
  function view(entry: Entry): DocumentFields | null {
    let document = views.get(entry);
    if (document !== undefined) return document;
    document = viewOf(entry, viewer);
    const before = shown.get(entry.lid) ?? null;
    // The state of a write can change without the document.
    if (entry.writes.length > 0 && JSON.stringify(before) === JSON.stringify(document)) document = before;
    views.set(entry, document);
    if (entry.writes.length > 0) shown.set(entry.lid, document);
    else shown.delete(entry.lid);
    return document;
  }

  return {
    opened,
    notify,
    viewer,
    tell: channel.tell,
    user: () => user,
    entries: () => entries as ReadonlyMap<string, Entry>,
    /** Finds an entry by its local id or its id on the server. */
    find: (id: string) => entries.get(id) ?? entries.get(lids.get(id) ?? ''),
    view,
    /** @param listener receives the ids of the changed entries; null if they are unknown */
    onChange(listener: (lids: readonly string[] | null) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /**
     * Changes all given entries, or none. The data belongs to the given user, even if another one has logged in since.
     */
    transact: (of: LocalUser, keys: readonly string[], change: (draft: Draft) => void) =>
      serially(() => transactFor(of, keys, change)),
    /** Shows the data of another user; null shows none. The previous data disappears immediately. */
    async show(next: LocalUser | null): Promise<void> {
      const isSame = user?.id === next?.id;
      user = next;
      if (isSame && isLoaded) return;
      if (!isSame) empty();
      isLoaded = next === null;
      if (next !== null) await serially(() => load(next));
    },
    /** Reads all data again. */
    async reload(of: LocalUser): Promise<void> {
      await serially(() => load(of));
    },
    /** Resolves to the user who has not logged out here, even if the session has expired. */
    active: () =>
      serially(async () => {
        const [found] = await (await opened()).list(ACTIVE_KEY);
        return (found?.[1] as LocalUser | undefined) ?? null;
      }),
    setActive: (next: LocalUser | null) => serially(() => update([], () => [[ACTIVE_KEY, next ?? undefined]])),
    async clear(of: LocalUser | null): Promise<void> {
      await serially(async () => {
        await (await opened()).clear(of === null ? USERS : prefixOf(of.id));
        if (of === null || user?.id === of.id) empty();
      });
      channel.tell({ type: 'cleared' });
    },
    close(): void {
      listeners.clear();
      channel.close();
    },
  };
}

export type Local = ReturnType<typeof createLocal>;
