import { type Baobab, createClient, type Stored } from '@baobab/client';
import {
  type ConflictDecision,
  createOffline,
  type LocalOperator,
  memoryStore,
  mergeFields,
  type OfflineOptions,
  type OfflineQuery,
  type OfflineStore,
} from '@baobab/client/offline';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PASSWORD } from '../support/client-service.ts';
import { fetchInProcess } from '../support/in-process.ts';
import { createLatch, until } from '../support/patience.ts';

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

  /** A document that another client of the same user has changed, and the device's own change to it. */
  async function conflict(options: Partial<OfflineOptions<App>> = {}, waitFor?: Promise<unknown>) {
    const one = await device(options);
    const { id } = await one.items.create({ title: 'Milk' });
    await one.offline.sync();
    const [{ id: remoteId } = { id }] = await one.baobab.collection(collection).query().list();
    await one.items.update(id, { done: true });
    await one.baobab.collection(collection).update(remoteId, { title: 'Oat milk' });
    await Promise.race([one.offline.sync(), ...(waitFor === undefined ? [] : [waitFor])]);
    return { ...one, id: remoteId, remote: () => one.baobab.collection(collection).find(remoteId) };
  }

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

  it('sends a write once when its answer is lost, also after the tab was closed', async () => {
    const { net, offline, items, store, name } = await device();
    const { id } = await items.create({ title: 'Milk' });
    net.losesAnswers = true;
    await expect(offline.sync()).rejects.toMatchObject({ code: 'client.network' });
    offline.close();
    const again = await device({ name, store });
    expect(await again.items.query().list()).toMatchObject([{ id, title: 'Milk' }]);
    await again.offline.sync();
    const stored = await again.baobab.collection(collection).query().list();
    expect(stored).toMatchObject([{ title: 'Milk', '@version': 1 }]);
    expect(await again.items.query().list()).toEqual(stored);
    expect((await again.items.get(id))?.id).toBe(stored[0]?.id);
  });

  it('sends writes in the order in which they were made', async () => {
    const { net, offline, items } = await device();
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
    const { baobab, offline, items } = await device();
    const list = await items.create({ title: 'Party' });
    const item = await items.create({ title: 'Milk', list: list.id, by: { lists: ['x', list.id] } });
    await items.update(item.id, { list: list.id });
    await offline.sync();
    const [party, milk] = await baobab.collection(collection).query().orderBy('title', 'desc').list();
    expect(milk).toMatchObject({ list: party?.id, by: { lists: ['x', party?.id] }, '@version': 2 });
    const found = items.query().whereField('list', '=', list.id);
    expect(await found.list()).toEqual([milk]);
  });

  it('gives a conflict to the app, and does what it decides', async () => {
    const asked: unknown[][] = [];
    const decide = (decision: ConflictDecision) =>
      conflict({
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
    expect(write).toMatchObject({ collection, kind: 'update', content: { done: true }, base: { title: 'Milk' } });
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
    const { items, id, remote } = await conflict({ onConflict: mergeFields });
    expect(await remote()).toMatchObject({ title: 'Oat milk', done: true });
    expect(await items.get(id)).toEqual(await remote());
  });

  it('keeps a conflict about which nothing is decided, until the app retries or discards it', async () => {
    const { items, offline, id, remote } = await conflict();
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
    const other = await conflict();
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
    const { offline, store, name } = await conflict({ onConflict }, dialog.opened);
    offline.close();
    const asked: unknown[] = [];
    const again = await device({
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
      const one = await device({ onConflict: () => decision });
      const { id } = await one.items.create({ title: 'Milk' });
      await one.offline.sync();
      const notes = one.baobab.collection(collection);
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
    const one = await device({ onConflict: () => decisions.shift() ?? 'keep' });
    const { id } = await one.items.create({ title: 'Milk' });
    await one.offline.sync();
    const notes = one.baobab.collection(collection);
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
    await admin.admin.collections.setSchema(collection, { properties: { title: { minLength: 2 } } });
    const codes: string[] = [];
    const one = await device({
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
    const ann = await device();
    const rejected: string[] = [];
    const bob = await device({
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
    await ann.baobab.collection(collection).revoke((await ann.items.get(id))?.id ?? '', 'all', { user: bob.name });
    await bob.offline.sync();
    expect(rejected).toEqual(['access.denied {"done":true}']);
    expect(await bob.items.query().list()).toEqual([]);
    expect(await ann.items.query().list()).toMatchObject([{ title: 'Milk' }]);
  });

  it('lists again when rights changed for many documents, or the cursor has expired', async () => {
    const ann = await device();
    const bob = await device();
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

  it('keeps what refers to a given-up document, and what may have been stored long ago', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const codes: string[] = [];
      const one = await device({
        onRejected({ content }, { code }) {
          codes.push(`${content.title} ${code}`);
          return 'discard';
        },
      });
      const party = await one.items.create({ title: 'Party' });
      await one.items.create({ title: 'Milk', list: party.id });
      one.net.losesAnswers = true;
      await expect(one.offline.sync()).rejects.toMatchObject({ code: 'client.network' });
      one.net.losesAnswers = false;
      vi.setSystemTime(Date.now() + 24 * 3_600_000);
      await one.baobab.auth.login({ username: one.name, password: PASSWORD });
      await one.offline.sync();
      expect(codes).toEqual(['Party client.outcome_unknown', 'Milk client.reference_lost']);
      expect(one.offline.waiting).toBe(0);
      // It had been stored, and the feed brings it.
      expect(await one.items.query().list()).toMatchObject([{ title: 'Party' }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('never shows the data of one user to another', async () => {
    const { baobab, offline, items, net, name } = await device();
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
    await baobab.auth.signUp({ username: `user${++count}`, password: PASSWORD });
    await offline.sync();
    expect(await items.query().list()).toEqual([]);
    expect(net.sent.filter((one) => one.startsWith('POST /document'))).toEqual([]);
    await baobab.auth.login({ username: name, password: PASSWORD });
    expect(await items.query().list()).toMatchObject([{ title: 'Milk' }]);
    await offline.sync();
    expect(await baobab.collection(collection).query().count()).toBe(1);
    stop();
    expect(seen).toEqual([1, 0, 1, 1]);
  });

  it('goes on without a session that has ended, and sends after the next login', async () => {
    const { baobab, offline, items, name, store } = await device();
    await items.create({ title: 'Milk' });
    await admin.admin.users.endSessions(name);
    await expect(offline.sync()).rejects.toMatchObject({ code: 'session.invalid' });
    expect([baobab.auth.session, offline.user?.username]).toEqual([null, name]);
    await items.create({ title: 'Bread' });
    // Also after a reload.
    const later = createOffline(client(), { store, collections: [collection], automatic: false });
    opened.push(later);
    await later.ready;
    expect(await later.collection(collection).query().count()).toBe(2);
    await baobab.auth.login({ username: name, password: PASSWORD });
    await offline.sync();
    expect(await baobab.collection(collection).query().count()).toBe(2);
    expect(offline.waiting).toBe(0);
  });

  it('removes the data from the device', async () => {
    const { baobab, offline, items, store } = await device();
    await items.create({ title: 'Milk' });
    await baobab.auth.logout();
    await offline.clear();
    expect((await store.list('u/')).length).toBe(0);
    const other = await device();
    await other.items.create({ title: 'Bread' });
    await other.offline.sync();
    await other.items.create({ title: 'Eggs' });
    await other.offline.clear({ allUsers: true });
    expect(await other.items.query().list()).toEqual([]);
    await other.offline.sync();
    expect(await other.items.query().list()).toMatchObject([{ title: 'Bread' }]);
  });

  it('refuses writes for which there is no room, and keeps those before', async () => {
    const few = await device({ maxWaiting: 2 });
    for (const title of ['a', 'b']) await few.items.create({ title });
    await expect(few.items.create({ title: 'c' })).rejects.toMatchObject({ code: 'client.store_full' });
    await few.offline.sync();
    await few.items.create({ title: 'c' });
    const small = await device({ store: memoryStore({ maxLength: 4_000 }) });
    await small.items.create({ title: 'a' });
    await expect(small.items.create({ title: 'b'.repeat(4_000) })).rejects.toMatchObject({ code: 'client.store_full' });
    expect(await small.items.query().list()).toMatchObject([{ title: 'a' }]);
    await small.offline.sync();
    expect(await small.baobab.collection(collection).query().count()).toBe(1);
  });

  it('does not touch data of a newer version', async () => {
    const store = memoryStore();
    await store.update([], () => [['format', 99]]);
    const errors: unknown[] = [];
    const offline = createOffline(client(), {
      store,
      collections: [collection],
      onError: (error) => errors.push(error),
    });
    opened.push(offline);
    await expect(offline.ready).rejects.toMatchObject({ code: 'client.store_newer' });
    expect(errors).toMatchObject([{ code: 'client.store_newer' }]);
    expect(await store.list('')).toEqual([['format', 99]]);
  });

  it('evaluates queries as the service does', async () => {
    const { baobab, offline, items } = await device();
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
    const [local, remote] = [items.query(), baobab.collection(collection).query()];
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
    const { offline, items } = await device();
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
    const one = await device();
    const other = await device({ store: { ...one.store }, name: one.name });
    const { id } = await one.items.create({ title: 'Milk' });
    await until(async () => (await other.items.query().count()) === 1);
    await other.items.update(id, { done: true });
    await until(async () => (await one.items.get(id))?.done === true);
    await one.offline.sync();
    await until(async () => !other.items.isWaiting(id));
    expect(await other.items.query().list()).toEqual(await one.baobab.collection(collection).query().list());
  });
});
