import type { Baobab } from '@baobab/client';
import { live } from '@baobab/client/live';
import { createOffline, memoryStore } from '@baobab/client/offline';
import {
  useDocument,
  useLiveQuery,
  useOffline,
  usePresence,
  useRoom,
  useSession,
  useUpload,
} from '@baobab/client/react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClientService, nameOf, openClientService, PASSWORD } from '../support/client-service.ts';
import { openPage } from '../support/dom.ts';
import { type CutFetch, createCutFetch } from '../support/live/cut-fetch.ts';
import { PATIENCE_MS, until } from '../support/patience.ts';

type Library = typeof import('@testing-library/react');

interface App {
  collections: { readonly [name: string]: { title: string; done?: boolean } };
}

describe('the hooks for React, in strict mode', () => {
  let service: ClientService;
  let library: Library;
  let closePage: () => Promise<void>;
  let net: CutFetch;
  let client: Baobab<App>;
  let notes: ReturnType<Baobab<App>['collection']>;

  beforeAll(async () => {
    closePage = openPage();
    // They look for a page when they are loaded.
    library = await import('@testing-library/react');
    library.configure({ reactStrictMode: true, asyncUtilTimeout: PATIENCE_MS });
    service = await openClientService();
    net = createCutFetch();
    client = await service.user<App>({ live, fetch: net.fetch });
    notes = client.collection(await service.collection());
  });
  afterEach(() => library.cleanup());
  afterAll(async () => {
    await service.close();
    await closePage();
  });

  it('keep the rows of a query up to date, over one stream, while something shows them', async () => {
    await notes.create({ title: 'Milk', done: false });
    const titlesOf = (done: boolean) => {
      // Built anew for each rendering.
      const { rows, state } = useLiveQuery(notes.query().where('done = ?', done).orderBy('title'), { limit: 5 });
      return { titles: rows?.map(({ title }) => title).join(), state };
    };
    const before = net.asked.length;
    const [one, two] = [false, false].map((done) => library.renderHook(titlesOf, { initialProps: done }));
    if (one === undefined || two === undefined) throw new Error('nothing was rendered');
    expect(one.result.current).toEqual({ titles: undefined, state: 'connecting' });
    await library.waitFor(() => expect(one.result.current).toEqual({ titles: 'Milk', state: 'live' }));
    await notes.create({ title: 'Bread', done: false });
    for (const { result } of [one, two]) await library.waitFor(() => expect(result.current.titles).toBe('Bread,Milk'));
    expect(net.asked.length - before).toBe(1);

    one.rerender(true);
    expect(one.result.current).toEqual({ titles: undefined, state: 'connecting' });
    await library.waitFor(() => expect(one.result.current).toEqual({ titles: '', state: 'live' }));
    expect(two.result.current.titles).toBe('Bread,Milk');
    one.unmount();
    two.unmount();
    await until(() => net.open() === 0);
  });

  it('show the data of the device, and how many writes wait', async () => {
    const offline = createOffline(client, { store: memoryStore(), collections: [notes.name], automatic: false });
    const kept = offline.collection(notes.name);
    const { result } = library.renderHook(
      ({ text }) => {
        // Built anew for each rendering, with a function that is.
        const query = kept.query().filter(({ title }, part) => title.includes(part), text);
        const { rows, state } = useLiveQuery(query.orderBy('title'));
        return { titles: rows?.map(({ title }) => title).join(), state, waiting: useOffline(offline).waiting };
      },
      { initialProps: { text: 'off' } },
    );
    await library.waitFor(() => expect(result.current).toEqual({ titles: '', state: 'live', waiting: 0 }));
    const { id } = await kept.create({ title: 'Coffee' });
    await library.waitFor(() => expect(result.current).toEqual({ titles: 'Coffee', state: 'live', waiting: 1 }));
    await offline.sync();
    await library.waitFor(() => expect(result.current.waiting).toBe(0));
    await kept.remove(id);
    await library.waitFor(() => expect(result.current).toEqual({ titles: '', state: 'live', waiting: 1 }));
    await offline.sync();
    offline.close();
  });

  it('render only when something has changed', async () => {
    let renderings = 0;
    const { result } = library.renderHook(() => {
      renderings++;
      return useLiveQuery(notes.query());
    });
    await library.waitFor(() => expect(result.current.state).toBe('live'));
    const { rows } = result.current;
    const before = renderings;
    // Somebody else's document, which the user may not read.
    await (await service.admin()).collection(notes.name).create({ title: 'Hidden' });
    const { id } = await notes.create({ title: 'Eggs' });
    await library.waitFor(() => expect(result.current.rows?.length).toBe((rows?.length ?? 0) + 1));
    // Strict mode renders twice.
    expect(renderings - before).toBe(2);
    expect(result.current.rows?.[0]).toBe(rows?.[0]);
    await notes.remove(id);
  });

  it('say why a query does not work', async () => {
    const { result } = library.renderHook(() => useLiveQuery(client.collection('no-such-collection').query()));
    await library.waitFor(() => expect(result.current.state).toBe('failed'));
    expect([result.current.error?.code, result.current.rows]).toEqual(['collection.not_found', undefined]);
    const none = library.renderHook(() => useLiveQuery(null));
    expect(none.result.current).toEqual({ rows: undefined, state: 'connecting', error: null });
  });

  it('keep a document up to date', async () => {
    const { id } = await notes.create({ title: 'Cheese' });
    const { result, rerender } = library.renderHook((of: string | null) => useDocument(notes, of).document, {
      initialProps: null as string | null,
    });
    expect(result.current).toBeUndefined();
    rerender(id.toUpperCase());
    await library.waitFor(() => expect(result.current?.title).toBe('Cheese'));
    await notes.update(id, { title: 'Old cheese' });
    await library.waitFor(() => expect(result.current?.title).toBe('Old cheese'));
    await notes.remove(id);
    await library.waitFor(() => expect(result.current).toBeNull());
  });

  it('know the session', async () => {
    const own = await service.user();
    const username = nameOf(own);
    const { result } = library.renderHook(() => useSession(own)?.user.username ?? null);
    expect(result.current).toBe(username);
    await library.act(() => own.auth.logout());
    expect(result.current).toBeNull();
    await library.act(() => own.auth.login({ username, password: PASSWORD }));
    expect(result.current).toBe(username);
  });

  it('upload a file, show how far it is, and give it up', async () => {
    const { result } = library.renderHook(() => useUpload(client));
    expect(result.current.state).toBe('idle');
    const stored = await library.act(() => result.current.upload(new Blob(['abc']), { name: 'a.txt' }));
    expect(result.current).toMatchObject({ state: 'done', file: { id: stored?.id, fileName: 'a.txt' }, error: null });

    let isWaiting = false;
    async function* endless() {
      yield new Uint8Array(7);
      isWaiting = true;
      await new Promise(() => undefined);
    }
    let given: Promise<unknown> = Promise.resolve();
    library.act(() => {
      given = result.current.upload(endless());
    });
    await library.waitFor(() => expect(result.current.progress).toEqual({ sent: 7, total: null }));
    await until(() => isWaiting);
    expect(result.current).toMatchObject({ state: 'uploading', file: null });
    library.act(() => result.current.abort());
    expect([result.current.state, await given]).toEqual(['idle', null]);

    const grants = { read: { users: ['nobody-of-this-name'] } };
    await library.act(() => result.current.upload(new Blob(['abc']), { grants }));
    expect(result.current).toMatchObject({ state: 'failed', error: { code: 'grant.user_unknown' } });
  });

  it('show who is in a room while a component is in it', async () => {
    const sockets = createCutFetch();
    const [one, two] = [await service.user<App>({ live, ...sockets }), await service.user<App>({ live, ...sockets })];
    const boards = one.collection(await service.collection());
    const { id } = await boards.create({ title: 'Board' });
    await boards.grant(id, 'read', { user: nameOf(two) });
    const messages: string[] = [];
    const [first, second] = [one, two].map((user) =>
      library.renderHook(() => {
        const room = useRoom<number, string>(user, `${boards.name}/${id}`, {
          onMessage: (text, from) => messages.push(`${from?.user}: ${text}`),
        });
        return { room, users: usePresence(room).map(({ user: name, state }) => `${name} ${state}`) };
      }),
    );
    if (first === undefined || second === undefined) throw new Error('nothing was rendered');
    first.result.current.room?.track(5);
    await library.waitFor(() => expect(second.result.current.users.toSorted()).toContain(`${nameOf(one)} 5`));
    second.result.current.room?.send('hello');
    await library.waitFor(() => expect(messages).toEqual([`${nameOf(two)}: hello`]));
    second.unmount();
    await library.waitFor(() => expect(first.result.current.users).toEqual([`${nameOf(one)} 5`]));
    first.unmount();
    await until(() => sockets.open() === 0);
  });

  it('render on a server, where nothing is followed', () => {
    const before = net.asked.length;
    const Page = () => {
      const { rows } = useLiveQuery(notes.query());
      return createElement('p', null, `${useSession(client) === null ? 'nobody' : 'somebody'}, ${rows?.length ?? '…'}`);
    };
    expect(renderToString(createElement(Page))).toBe('<p>nobody, …</p>');
    expect(net.asked.length).toBe(before);
  });

  it('render rows on a server that the browser shows until it has its own', async () => {
    const { id } = await notes.create({ title: 'Rendered' });
    const query = () => notes.query().where('title = ?', 'Rendered');
    const initialRows = await query().list();
    const Page = () => createElement('p', null, useLiveQuery(query(), { initialRows }).rows?.[0]?.title);
    expect(renderToString(createElement(Page))).toBe('<p>Rendered</p>');
    const { result } = library.renderHook(() => useLiveQuery(query(), { initialRows }));
    expect(result.current).toMatchObject({ rows: initialRows, state: 'connecting' });
    await library.waitFor(() => expect(result.current.state).toBe('live'));
    // Rows that have not changed are the same objects, so that nothing renders again.
    expect(result.current.rows?.[0]).toBe(initialRows[0]);
    await notes.remove(id);
    await library.waitFor(() => expect(result.current.rows).toEqual([]));
  });
});
