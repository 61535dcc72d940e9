import { BaobabError, isBaobabError } from '../errors.ts';
import { randomKey } from '../transport/random.ts';
import type { DocumentFields } from '../wire.ts';
import { type Channel, openChannel, type TabMessage } from './channel.ts';
import { type Entry, isEmpty, type Meta, NEW_META, newId, viewOf, withKnownBase } from './records.ts';
import { memoryStore, type OfflineStore, type StoreChange, storeFailure } from './store.ts';

export interface LocalUser {
  readonly id: string;
  readonly username: string;
}

/** Data and changes of a transaction. */
export interface Draft {
  readonly meta: Meta;
  get(id: string): Entry | undefined;
  /** Stores an entry, or removes it if it is empty. */
  put(entry: Entry): void;
  setMeta(change: Partial<Meta>): void;
}

/** Version of the storage format. */
const FORMAT = 1;
const [FORMAT_KEY, ACTIVE_KEY, USERS] = ['format', 'active', 'u/'];

const prefixOf = (userId: string) => `${USERS}${userId}/`;

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
  const listeners = new Set<(ids: readonly string[] | null) => void>();
  let store = given;
  /** True once the store has been read or written on this page. */
  let hasWorked = false;
  let user: LocalUser | null = null;
  /** True if the user's data is loaded. */
  let isLoaded = true;
  let entries = new Map<string, Entry>();
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
      // A mistake in an argument, such as a content that JSON lacks.
      if (error instanceof TypeError) throw error;
      const failure = storeFailure(error);
      if (failure.code === 'client.store_unavailable') unavailable(failure);
      throw failure;
    });
  }

  const keyOf = (of: LocalUser, id: string) => `${prefixOf(of.id)}d/${id}`;
  const metaKey = (of: LocalUser) => `${prefixOf(of.id)}m`;

  /** Returns the data in memory, for a store that has lost it. Everything is then listed again from the server. */
  function* known(): Iterable<StoreChange> {
    if (user === null) return;
    let meta = NEW_META;
    for (const [id, entry] of entries) {
      const listing = Math.max(meta.listing, entry.listing);
      const seq = Math.max(meta.seq, (entry.writes.at(-1)?.seq ?? 0) + 1);
      meta = { ...meta, listing, seq, waiting: meta.waiting + entry.writes.length };
      yield [keyOf(user, id), entry];
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
    const before = entries.get(stored.id);
    // The store returns copies. Unchanged parts keep their object identity.
    entries.set(stored.id, before === undefined ? stored : withKnownBase(stored, before));
  }

  async function transactFor(of: LocalUser, keys: readonly string[], change: (draft: Draft) => void): Promise<void> {
    let changes = new Map<string, Entry | null>();
    await update([metaKey(of), ...keys.map((id) => keyOf(of, id))], ([stored, ...values]) => {
      changes = new Map();
      const known = new Map(keys.map((id, at) => [id, values[at] as Entry | undefined]));
      let meta: Meta = { ...NEW_META, ...(stored as Meta | undefined) };
      const waits = (entry: Entry | null | undefined) => entry?.writes.length ?? 0;
      const set = (id: string, entry: Entry | null) => {
        const before = changes.has(id) ? changes.get(id) : known.get(id);
        meta = { ...meta, waiting: meta.waiting + waits(entry) - waits(before) };
        changes.set(id, entry);
      };
      change({
        get meta() {
          return meta;
        },
        get: (id) => (changes.has(id) ? (changes.get(id) ?? undefined) : known.get(id)),
        put: (entry) => set(entry.id, isEmpty(entry) ? null : entry),
        setMeta: (part) => {
          meta = { ...meta, ...part };
        },
      });
      const isSame = JSON.stringify(meta) === JSON.stringify(stored);
      return [
        ...(isSame ? [] : [[metaKey(of), meta] as StoreChange]),
        ...Array.from(changes, ([id, entry]) => [keyOf(of, id), entry ?? undefined] as StoreChange),
      ];
    });
    const changed = Array.from(changes.keys());
    if (changed.length === 0) return;
    if (user?.id === of.id) {
      for (const [id, entry] of changes) entry === null ? entries.delete(id) : keep(entry);
      notify(changed);
    }
    channel.tell({ type: 'changed', userId: of.id, ids: changed });
  }

  /** Reads entries that another tab has changed. */
  async function reread(of: LocalUser, changed: readonly string[]): Promise<void> {
    if (user?.id !== of.id) return;
    let values: readonly unknown[] = [];
    await update(
      changed.map((id) => keyOf(of, id)),
      (found) => {
        values = found;
        return [];
      },
    );
    if (user?.id !== of.id) return;
    changed.forEach((id, at) => {
      const entry = values[at] as Entry | undefined;
      if (entry === undefined) entries.delete(id);
      else keep(entry);
    });
    notify(changed);
  }

  function reset(): void {
    entries = new Map();
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
      serially(() => reread(of, message.ids)).catch(() => undefined);
    }
    if (message.type === 'cleared' && of !== null) serially(() => load(of)).catch(() => undefined);
    hear(message);
  });

  const author = () => user?.username ?? '';
  let lastTime = 0;

  /** Returns the document as the user sees it; the same object until it changes. */
  function view(entry: Entry): DocumentFields | null {
    let document = views.get(entry);
    if (document !== undefined) return document;
    document = viewOf(entry, author());
    const before = shown.get(entry.id) ?? null;
    // The state of a write can change without the document.
    if (entry.writes.length > 0 && JSON.stringify(before) === JSON.stringify(document)) document = before;
    views.set(entry, document);
    if (entry.writes.length > 0) shown.set(entry.id, document);
    else shown.delete(entry.id);
    return document;
  }

  return {
    opened,
    notify,
    author,
    /** Returns an id for a new document, greater than those before. */
    newId(): string {
      lastTime = Math.max(Date.now(), lastTime + 1);
      return newId(lastTime, randomKey());
    },
    tell: channel.tell,
    user: () => user,
    entries: () => entries as ReadonlyMap<string, Entry>,
    view,
    /** @param listener receives the ids of the changed entries; null if they are unknown */
    onChange(listener: (ids: readonly string[] | null) => void): () => void {
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
