import { BaobabError } from '../errors.ts';
import type { DocumentFields } from '../wire.ts';
import { type Channel, openChannel, type TabMessage } from './channel.ts';
import { type Entry, isEmpty, type Meta, NEW_META, viewOf, withKnownBase } from './records.ts';
import type { OfflineStore, StoreChange } from './store.ts';

export interface LocalUser {
  readonly id: string;
  readonly username: string;
}

/** What a transaction sees and changes. */
export interface Draft {
  readonly meta: Meta;
  get(lid: string): Entry | undefined;
  put(entry: Entry): void;
  /** Forgets an entry, although something of it may be needed. */
  drop(lid: string): void;
  setMeta(change: Partial<Meta>): void;
}

/** The form in which this version stores data. */
const FORMAT = 1;
const [FORMAT_KEY, ACTIVE_KEY, USERS] = ['format', 'active', 'u/'];

const prefixOf = (userId: string) => `${USERS}${userId}/`;

function failureOf(error: unknown): unknown {
  const isFull = (error as { name?: unknown } | null)?.name === 'QuotaExceededError';
  return isFull
    ? new BaobabError('client.store_full', 'There is no room for more data on this device', { cause: error })
    : error;
}

/**
 * The data of one user: in memory, where it is read, and in the store, where it is changed. Other tabs hear of changes and
 * read them again.
 */
export function createLocal(store: OfflineStore, hear: (message: TabMessage) => void) {
  const listeners = new Set<(lids: readonly string[] | null) => void>();
  let user: LocalUser | null = null;
  let entries = new Map<string, Entry>();
  let lids = new Map<string, string>();
  let views = new WeakMap<Entry, DocumentFields | null>();
  /** What was shown last of documents to which writes wait. */
  let shown = new Map<string, DocumentFields | null>();
  let chain: Promise<unknown> = Promise.resolve();
  let checked: Promise<void> | null = null;

  const notify = (changed: readonly string[] | null) => {
    for (const listener of [...listeners]) listener(changed);
  };

  /** One after the other, so that what is in memory is never older than what it was before. */
  function serially<T>(task: () => Promise<T>): Promise<T> {
    const result = chain.then(task, task);
    chain = result.catch(() => undefined);
    return result.catch((error) => {
      throw failureOf(error);
    });
  }

  const check = () =>
    store.update([FORMAT_KEY], ([format = FORMAT]) => {
      if (format !== FORMAT) {
        throw new BaobabError('client.store_newer', `The local data has the format ${format}: update the app`);
      }
      return [[FORMAT_KEY, FORMAT]];
    });

  function opened(): Promise<void> {
    checked ??= check().catch((error) => {
      checked = null;
      throw error;
    });
    return checked;
  }

  /** Takes an entry into memory. */
  function keep(stored: Entry): void {
    const before = entries.get(stored.lid);
    // The store gives copies. What has not changed stays the same object.
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

  const keyOf = (of: LocalUser, lid: string) => `${prefixOf(of.id)}d/${lid}`;
  const metaKey = (of: LocalUser) => `${prefixOf(of.id)}m`;

  async function transactFor(of: LocalUser, keys: readonly string[], change: (draft: Draft) => void): Promise<void> {
    await opened();
    let changes = new Map<string, Entry | null>();
    await store.update([metaKey(of), ...keys.map((lid) => keyOf(of, lid))], ([stored, ...values]) => {
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

  /** Reads again what another tab has changed. */
  async function reread(of: LocalUser, changed: readonly string[]): Promise<void> {
    if (user?.id !== of.id) return;
    let values: readonly unknown[] = [];
    await store.update(
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
    await opened();
    const found = await store.list(`${prefixOf(of.id)}d/`);
    if (user?.id !== of.id) return;
    reset();
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

  /** The document as the user sees it; the same object as long as it has not changed. */
  function view(entry: Entry): DocumentFields | null {
    let document = views.get(entry);
    if (document !== undefined) return document;
    document = viewOf(entry, viewer);
    const before = shown.get(entry.lid) ?? null;
    // What is known of a write can change without the document.
    if (entry.writes.length > 0 && JSON.stringify(before) === JSON.stringify(document)) document = before;
    views.set(entry, document);
    if (entry.writes.length > 0) shown.set(entry.lid, document);
    else shown.delete(entry.lid);
    return document;
  }

  return {
    store,
    viewer,
    tell: channel.tell,
    user: () => user,
    entries: () => entries as ReadonlyMap<string, Entry>,
    /** By the local id, or the id at the service. */
    find: (id: string) => entries.get(id) ?? entries.get(lids.get(id) ?? ''),
    view,
    /** @param listener gets the ids of the entries that changed; null when they are unknown */
    onChange(listener: (lids: readonly string[] | null) => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Changes entries, all or none. The user is the one whose data it is, even if another one has logged in. */
    transact: (of: LocalUser, keys: readonly string[], change: (draft: Draft) => void) =>
      serially(() => transactFor(of, keys, change)),
    /** Shows the data of another user; null: of nobody. What was shown before disappears at once. */
    async show(next: LocalUser | null): Promise<void> {
      const isSame = user?.id === next?.id;
      user = next;
      if (isSame) return;
      empty();
      if (next !== null) await serially(() => load(next));
    },
    /** Reads everything again. */
    async reload(of: LocalUser): Promise<void> {
      await serially(() => load(of));
    },
    /** The user who has not logged out here, although the session may have ended. */
    async active(): Promise<LocalUser | null> {
      await opened();
      const [found] = await store.list(ACTIVE_KEY);
      return (found?.[1] as LocalUser | undefined) ?? null;
    },
    setActive: (next: LocalUser | null) =>
      serially(async () => {
        await opened();
        await store.update([], () => [[ACTIVE_KEY, next ?? undefined]]);
      }),
    async clear(of: LocalUser | null): Promise<void> {
      await serially(async () => {
        await store.clear(of === null ? USERS : prefixOf(of.id));
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
