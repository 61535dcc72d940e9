import type { Baobab, BaobabError, LiveChange, LiveState, Query } from '@baobab/client';
import { live } from '@baobab/client/live';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClientService, nameOf, onEveryService, openClientService, PASSWORD } from '../support/client-service.ts';
import { type CutFetch, createCutFetch } from '../support/live/cut-fetch.ts';
import { createLatch, until } from '../support/patience.ts';

interface Note {
  title: string;
  litres?: number;
  done?: boolean;
}

interface App {
  collections: { readonly [name: string]: Note };
}

type Notes = ReturnType<Baobab<App>['collection']>;
type NoteQuery = ReturnType<Notes['query']>;
type Row = NoteQuery extends Query<infer T> ? T : never;

/** Follows a query and keeps what it tells. */
function watch(query: NoteQuery, limit?: number) {
  const seen = {
    titles: null as string | null,
    changes: [] as LiveChange<Row>[],
    states: [] as LiveState[],
    errors: [] as (readonly [BaobabError, boolean])[],
  };
  const stop = query.live(
    (rows, change) => {
      seen.titles = rows.map(({ title }) => title).join();
      seen.changes.push(change);
    },
    {
      ...(limit !== undefined && { limit }),
      onState: (state) => seen.states.push(state),
      onError: (error, willRetry) => seen.errors.push([error, willRetry]),
    },
  );
  /** Reports what happened instead, because a test that is only slow looks the same. */
  async function isLive(): Promise<void> {
    const isSo = await until(() => seen.states.at(-1) === 'live').catch(() => false);
    const errors = seen.errors.map(([{ code }, willRetry]) => [code, willRetry]);
    if (!isSo) throw new Error(`not live: ${JSON.stringify({ ...seen, changes: seen.changes.length, errors })}`);
  }

  return {
    seen,
    stop,
    isLive,
    becomes: (titles: string) => expect.poll(() => seen.titles).toBe(titles),
  };
}

/** Transport of a client: its socket, or a stream if sockets are blocked. */
const WAYS = ['socket', 'stream'] as const;
type Way = (typeof WAYS)[number];

const scenarios = (way: Way) => (service: ClientService) => {
  const through = (net: CutFetch) => (way === 'socket' ? net : { fetch: net.fetch });

  async function open() {
    const net = createCutFetch(service.onFirstNode.fetch);
    const client = await service.user<App>({ live, ...through(net) });
    return { net, client, notes: client.collection(await service.collection()) };
  }

  it('list, and then follow what changes, ordered and filtered as the query', async () => {
    const { notes } = await open();
    const [milk] = [
      await notes.create({ title: 'Milk', done: false }),
      await notes.create({ title: 'Old', done: true }),
    ];
    const watched = watch(notes.query().where('done = ?', false).orderBy('title', 'desc'));
    await watched.becomes('Milk');
    await watched.isLive();
    const bread = await notes.create({ title: 'Bread', done: false });
    await watched.becomes('Milk,Bread');
    await notes.update(bread.id, { title: 'Quark' });
    await watched.becomes('Quark,Milk');
    await notes.update(milk.id, { done: true });
    await watched.becomes('Quark');
    await notes.remove(bread.id);
    await watched.becomes('');
    await notes.update(milk.id, { done: false });
    await watched.becomes('Milk');
    expect(watched.seen.changes[0]?.added.map(({ title }) => title)).toEqual(['Milk']);
    expect(watched.seen.changes.at(-2)?.removed.map(({ title }) => title)).toEqual(['Quark']);
    expect(watched.seen.errors).toEqual([]);
    watched.stop();
  });

  it('have the rows of others as soon as a grant allows it, and no longer', async () => {
    const { client, notes } = await open();
    const other = await service.user<App>({ live, ...service.onFirstNode });
    const watched = watch(other.collection(notes.name).query());
    await watched.isLive();
    const { id } = await notes.create({ title: 'Mine' });
    await notes.grant(id, 'read', { user: nameOf(other) });
    await watched.becomes('Mine');
    await notes.revoke(id, 'read', { user: nameOf(other) });
    await watched.becomes('');
    // Rights over many documents at once: the query lists again.
    await other.following.follow(nameOf(client));
    await watched.becomes('Mine');
    await other.following.unfollow(nameOf(client));
    await watched.becomes('');
    watched.stop();
  });

  it('resume after a lost connection without a gap', async () => {
    const { net, client, notes } = await open();
    const first = await notes.create({ title: 'a' });
    const watched = watch(notes.query().orderBy('title'));
    await watched.isLive();
    net.setOnline(false);
    const others = service.client<App>(service.onFirstNode);
    await others.auth.login({ username: nameOf(client), password: PASSWORD });
    const same = others.collection(notes.name);
    await same.create({ title: 'b' });
    await same.remove(first.id);
    await until(() => watched.seen.errors.length > 0);
    expect(watched.seen.errors[0]?.[0].code).toBe('client.network');
    expect(watched.seen.errors[0]?.[1]).toBe(true);
    expect([watched.seen.states.at(-1), watched.seen.titles]).toEqual(['connecting', 'a']);
    net.setOnline(true);
    await watched.becomes('b');
    await watched.isLive();
    expect(net.asked.length).toBeGreaterThan(1);
    watched.stop();
  });

  it('keep the first rows, and fetch what is missing when rows leave', async () => {
    const { notes } = await open();
    const titles = Array.from({ length: 60 }, (_, at) => String(at).padStart(2, '0'));
    const rows: Row[] = [];
    for (const title of titles) rows.push(await notes.create({ title }));
    const watched = watch(notes.query().orderBy('title').pageSize(7), 3);
    await watched.isLive();
    expect(watched.seen.titles).toBe('00,01,02');
    await notes.remove(rows[1]?.id ?? '');
    await watched.becomes('00,02,03');
    await notes.update(rows[59]?.id ?? '', { title: '011' });
    await watched.becomes('00,011,02');
    await notes.update(rows[0]?.id ?? '', { title: '99' });
    await watched.becomes('011,02,03');
    // More than are kept in reserve.
    for (const { id } of rows.slice(2, 40)) await notes.remove(id);
    await watched.becomes('011,40,41');
    watched.stop();
  });

  it('share one stream when they are equal, and close it with the last listener', async () => {
    const { net, notes } = await open();
    const query = () => notes.query().where('litres > ?', 1);
    const first = watch(query());
    await first.isLive();
    const second = watch(query());
    await second.isLive();
    await notes.create({ title: 'Milk', litres: 2 });
    await Promise.all([first.becomes('Milk'), second.becomes('Milk')]);
    await expect.poll(() => net.open()).toBe(1);
    first.stop();
    await notes.create({ title: 'Cream', litres: 3 });
    await second.becomes('Milk,Cream');
    expect(first.seen.titles).toBe('Milk');
    await expect.poll(() => net.open()).toBe(1);
    second.stop();
    await until(() => net.open() === 0);
  });

  it('follow one document', async () => {
    const { notes } = await open();
    const { id } = await notes.create({ title: 'Milk' });
    const seen: (string | null)[] = [];
    // The server accepts ids in any letter case.
    const stop = notes.live(id.toUpperCase(), (note) => seen.push(note?.title ?? null));
    await until(() => seen.length === 1);
    await notes.update(id, { title: 'Cream' });
    await until(() => seen.length === 2);
    await notes.remove(id);
    await until(() => seen.length === 3);
    expect(seen).toEqual(['Milk', 'Cream', null]);
    stop();
  });

  it('belong to the user', async () => {
    const { client, net, notes } = await open();
    await notes.create({ title: 'Secret' });
    const username = nameOf(client);
    const watched = watch(notes.query());
    await watched.becomes('Secret');
    await client.auth.signUp({ username: service.unique('other'), password: PASSWORD });
    expect(watched.seen.titles).toBe('');
    await watched.isLive();
    await client.auth.login({ username, password: PASSWORD });
    await watched.becomes('Secret');
    client.close();
    await until(() => net.open() === 0);
  });

  it('report what cannot work on the console, once, unless the app handles it', async () => {
    const { client } = await open();
    const reported: unknown[] = [];
    const log = vi.spyOn(console, 'error').mockImplementation((...about) => void reported.push(...about));
    try {
      const states: LiveState[] = [];
      const query = client.collection(service.unique('nowhere')).query();
      const follow = () => query.live(() => undefined, { onState: (state) => states.push(state) });
      const hasFailed = (times: number) => until(() => states.filter((state) => state === 'failed').length >= times);
      const stops = [follow()];
      await hasFailed(1);
      stops.push(follow());
      await hasFailed(2);
      expect(reported).toEqual([expect.objectContaining({ code: 'collection.not_found' })]);
      for (const stop of stops) stop();
      const watched = watch(client.collection(service.unique('nowhere')).query());
      await until(() => watched.seen.errors.length > 0);
      expect(reported).toHaveLength(1);
      watched.stop();
    } finally {
      log.mockRestore();
    }
  });

  it('report what cannot work, and start again with another user', async () => {
    const { client } = await open();
    const name = service.unique('later');
    const watched = watch(client.collection(name).query());
    await until(() => watched.seen.errors.length > 0);
    const errors = watched.seen.errors.map(([{ code }, willRetry]) => [code, willRetry]);
    expect([errors, watched.seen.states.at(-1)]).toEqual([[['collection.not_found', false]], 'failed']);
    await (await service.admin()).admin.collections.create(name);
    await client.auth.signUp({ username: service.unique('other'), password: PASSWORD });
    await watched.isLive();
    expect([watched.seen.titles, watched.seen.errors.length]).toEqual(['', 1]);
    watched.stop();
  });

  it('come back after the session was ended and renewed', async () => {
    const net = createCutFetch(service.onFirstNode.fetch);
    const asked = createLatch();
    const client = await service.user<App>({
      live,
      ...through(net),
      reauthenticate: async (username) => {
        asked.open();
        return { username, password: PASSWORD };
      },
    });
    const notes = client.collection(await service.collection());
    await notes.create({ title: 'Milk' });
    const watched = watch(notes.query());
    await watched.isLive();
    const admin = await service.admin();
    await admin.admin.users.endSessions(nameOf(client));
    await asked.opened;
    await notes.create({ title: 'Bread' });
    await watched.becomes('Milk,Bread');
    expect(watched.seen.changes.flatMap(({ removed }) => removed)).toEqual([]);
    watched.stop();
  });
};

for (const way of WAYS) onEveryService(`live queries over a ${way}`, scenarios(way));

describe('live queries where answers cannot be streamed', () => {
  let service: ClientService;

  beforeAll(async () => {
    service = await openClientService();
  });
  afterAll(() => service.close());

  it('read pages of changes, of which those count that the condition is true for', async () => {
    const plain: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('/changes/stream')) return response;
      void response.body?.cancel();
      return Object.defineProperty(new Response(null, response), 'body', { value: undefined });
    };
    const client = await service.user<App>({ live, fetch: plain });
    const notes = client.collection(await service.collection());
    const watched = watch(notes.query().where('litres > ?', 1));
    await watched.isLive();
    const { id } = await notes.create({ title: 'Milk', litres: 2 });
    await notes.create({ title: 'Bread', litres: 1 });
    await watched.becomes('Milk');
    await notes.update(id, { litres: 0 });
    await watched.becomes('');
    watched.stop();
  });

  it('are refused at once where they cannot be', async () => {
    const without = service.client<App>();
    const able = service.client<App>({ live });
    const listen = () => undefined;
    expect(() => without.collection('notes').query().live(listen)).toThrow(/@baobab\/client\/live/);
    expect(() => able.collection('notes').query().expand('list').live(listen)).toThrow(/whole documents/);
  });
});
